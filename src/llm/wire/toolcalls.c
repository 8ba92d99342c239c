/* Assembles tool calls from a stream. Their arguments arrive in pieces that are JSON only when joined. */
#include <stdio.h>
#include <stdlib.h>

#include "codec/json/json.h"
#include "llm/internal.h"

#define ROOM_MIN 4

void llm_calls_release(struct llm_calls *calls)
{
    for (size_t i = 0; i < calls->n; i++) {
        strbuf_release(&calls->list[i].args);
        json_decref(calls->list[i].extra);
    }
    free(calls->list);
    *calls = (struct llm_calls){0};
}

/* Valid ids and names are ASCII words; any other character becomes '_'. */
static void copy_word(char to[LLM_NAME_MAX + 1], struct str from)
{
    size_t n = 0;
    for (; n < from.len && n < LLM_NAME_MAX; n++)
        to[n] = from.s[n] > ' ' && from.s[n] < 0x7F ? from.s[n] : '_';
    to[n] = '\0';
}

/* Models mix marks of their template into the name: "get_time<|channel|>commentary". */
static void copy_name(char to[LLM_NAME_MAX + 1], struct str name)
{
    name = str_trim(name);
    const char *mark = name.len ? memmem(name.s, name.len, "<|", 2) : NULL;
    if (mark && mark != name.s)
        name.len = (size_t)(mark - name.s);
    copy_word(to, name);
}

static struct llm_part *append(struct llm_calls *calls, int64_t index)
{
    if (calls->n == LLM_CALLS_MAX)
        return NULL;
    if (calls->n == calls->room) {
        calls->room = calls->room ? calls->room * 2 : ROOM_MIN;
        calls->list = xrealloc(calls->list, calls->room * sizeof *calls->list);
    }
    struct llm_part *part = &calls->list[calls->n++];
    *part = (struct llm_part){.index = index};
    strbuf_init(&part->args, LLM_TOOL_ARGS_MAX);
    return part;
}

struct llm_part *llm_calls_at(struct llm_calls *calls, int64_t index, struct str id, bool named)
{
    char word[LLM_NAME_MAX + 1];
    struct llm_part *found = NULL, *same_id = NULL;
    copy_word(word, id);
    for (size_t i = 0; i < calls->n; i++) {
        if (calls->list[i].index != index)
            continue;
        found = &calls->list[i]; /* the newest, because some servers reuse an index */
        if (word[0] && strcmp(found->id, word) == 0)
            same_id = found;
    }
    found = same_id ? same_id : found;
    bool another = found && named && word[0] && found->id[0] && strcmp(found->id, word) != 0;
    if (!found || another)
        found = append(calls, index);
    if (found && !found->id[0])
        memcpy(found->id, word, sizeof word);
    return found;
}

static bool ends_object(const struct strbuf *args)
{
    struct str text = str_trim(strbuf_str(args));
    AUTO(json_t) v = NULL;
    return text.len && text.s[text.len - 1] == '}' && json_parse(text, LLM_TOOL_ARGS_MAX, &v, NULL) == RC_OK;
}

/* Some servers send a call once more as a whole. */
static bool repeats(const struct llm_part *part, struct str id, struct str args)
{
    char word[LLM_NAME_MAX + 1];
    copy_word(word, id);
    if (!word[0] || strcmp(part->id, word) != 0)
        return false;
    AUTO(json_t) now = json_loadb(args.s, args.len, 0, NULL);
    AUTO(json_t) before = json_loadb(part->args.s, part->args.len, 0, NULL);
    return now && before && json_equal(now, before);
}

struct llm_part *llm_calls_next(
    struct llm_calls *calls, struct llm_part *part, struct str id, struct str name, struct str args)
{
    char word[LLM_NAME_MAX + 1];
    copy_name(word, name);
    args = str_trim(args);
    bool begins = args.len && args.s[0] == '{' && ends_object(&part->args) && !repeats(part, id, args);
    bool another =
        part->name[0] && strcmp(part->name, word) != 0 && (part->args.len == 0 || ends_object(&part->args));
    if (!name.len || (!begins && !another))
        return part;
    part = append(calls, part->index);
    if (part)
        copy_name(part->name, name);
    return part;
}

void llm_calls_name(struct llm_part *part, struct str name)
{
    if (!part->name[0]) /* some servers repeat the name in every piece */
        copy_name(part->name, name);
}

static enum rc check(const struct llm_calls *calls, const struct llm_provider *p, struct err *e)
{
    for (size_t i = 0; i < calls->n; i++) {
        const struct llm_part *part = &calls->list[i];
        if (!part->name[0])
            return err_say(e, RC_UPSTREAM, "provider.nameless_call", arg_text("provider", p->s.name));
        if (part->args.failed)
            return err_say(e, RC_TOO_BIG, "provider.big_call", arg_text("provider", p->s.name));
    }
    return RC_OK;
}

static bool is_taken(const struct llm_calls *calls, size_t i, const char *id)
{
    for (size_t k = 0; k < calls->n; k++)
        if (k != i && strcmp(calls->list[k].id, id) == 0)
            return true;
    return false;
}

/* A tool's result must name its call. Some servers give no id, or the same one to several calls. */
static void ensure_id(struct llm_calls *calls, size_t i)
{
    char *id = calls->list[i].id;
    for (size_t n = i + 1; !id[0] || is_taken(calls, i, id); n++)
        snprintf(id, LLM_NAME_MAX + 1, "call_%zu", n);
}

const char *llm_sendable_args(const char *args)
{
    AUTO(json_t) v = NULL;
    bool object = json_parse(str_of(args), LLM_TOOL_ARGS_MAX, &v, NULL) == RC_OK && json_is_object(v);
    return object ? args : "{}";
}

/* The arguments where a text has several values: servers repeat them behind their pieces, or begin with an
 * empty object. The text itself when it is one value or no values. */
static struct str last_value(struct str args)
{
    struct str rest = args, last = args;
    bool found = false;
    while (rest.len) {
        json_error_t end;
        AUTO(json_t) v = json_loadb(rest.s, rest.len, JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK, &end);
        if (!v)
            return args;
        if (!found || json_object_size(v) > 0 || json_is_string(v))
            last = (struct str){rest.s, (size_t)end.position};
        found = true;
        rest = str_trim(str_from(rest, (size_t)end.position));
    }
    return last;
}

/* Some models write the object of their arguments as a string, which is decoded. Appends the object without
 * whitespace; what is none is appended as it is, and the tool reports the error to the model. */
static void add_args(struct strbuf *out, struct str args)
{
    json_t *v = NULL;
    args = last_value(str_trim(args));
    if (args.len && args.s[0] == '"' && (v = json_loadb(args.s, args.len, JSON_DECODE_ANY, NULL)))
        args = (struct str){json_string_value(v), json_string_length(v)};
    if (!str_is(args, "null") && !json_compact(out, args, JSON_LIMITS)) /* null: there are none */
        strbuf_addstr(out, args);
    json_decref(v);
}

enum rc llm_calls_emit(struct llm_calls *calls, struct llm_call *c, struct err *e)
{
    enum rc rc = check(calls, c->p, e);
    if (rc)
        return rc;
    for (size_t i = 0; i < calls->n; i++) {
        struct llm_part *part = &calls->list[i];
        AUTO_STRBUF args, compact;
        struct utf8_stitch m = {0};
        strbuf_init(&args, 2 * LLM_TOOL_ARGS_MAX);
        strbuf_init(&compact, 2 * LLM_TOOL_ARGS_MAX);
        utf8_stitch_text(&m, strbuf_str(&part->args), &args);
        utf8_stitch_end(&m, &args);
        ensure_id(calls, i);
        add_args(&compact, strbuf_str(&args));
        llm_emit_call(c, &(struct llm_tool_call){part->id, part->name, compact.len ? compact.s : "{}"});
    }
    return RC_OK;
}
