#include "app/context/context.h"

#include "app/context/context_pictures.h"
#include "app/context/message_files.h"
#include "base/utf8.h"
#include "codec/view.h"

#define CUT_MARK                                                                                    \
    "\n[\xE2\x80\xA6 the middle of this message is left out: it is longer than the model can read " \
    "\xE2\x80\xA6]\n"

#define CALLS_BYTES_MAX ((size_t)2 * 1024 * 1024)
/* Limits of one call's arguments. TURN_CALLS_PER_STEP calls together stay below JSON_CONTAINERS_MAX. */
#define ARGS_LIMITS ((struct json_limits){JSON_DEPTH_MAX, 1000})

enum rc context_calls(struct arena *a, const char *text, struct llm_tool_call **out, size_t *n, struct err *e)
{
    AUTO(json_t) list = NULL;
    *out = NULL;
    *n = 0;
    if (!text)
        return RC_OK;
    if (json_parse_within(str_of(text), CALLS_BYTES_MAX, CONTEXT_CALLS_LIMITS, &list, NULL) != RC_OK ||
        !json_is_array(list))
        return err_set(e, RC_INTERNAL, "stored tool calls are not a JSON list");
    *out = ARENA_ARRAY(a, struct llm_tool_call, json_array_size(list));
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct str id, name, raw;
        const json_t *call = json_array_get(list, i), *args = json_object_get(call, "args");
        if (!json_get_str(call, "id", &id) || !json_get_str(call, "name", &name))
            return err_set(e, RC_INTERNAL, "a stored tool call lacks id or name");
        AUTO_FREE char *object = json_is_object(args) ? json_dumps(args, JSON_COMPACT) : NULL;
        raw = json_is_string(args) ? str_of(json_string_value(args)) : str_of(object ? object : "{}");
        (*out)[(*n)++] = (struct llm_tool_call){.id = arena_strdup(a, id.s),
            .name = arena_strdup(a, name.s),
            .args = arena_strndup(a, raw.s, raw.len)};
    }
    return RC_OK;
}

void context_calls_json(const struct llm_tool_call *calls, size_t n, struct strbuf *out)
{
    strbuf_addc(out, '[');
    for (size_t i = 0; i < n; i++) {
        struct str args = str_trim(str_of(calls[i].args));
        strbuf_adds(out, i ? ",{\"id\":" : "{\"id\":");
        json_add_string(out, str_of(calls[i].id));
        strbuf_adds(out, ",\"name\":");
        json_add_string(out, str_of(calls[i].name));
        strbuf_adds(out, ",\"args\":");
        if (!str_starts(args, STR("{")) || !json_compact(out, args, ARGS_LIMITS))
            json_add_string(out, str_of(calls[i].args));
        strbuf_addc(out, '}');
    }
    strbuf_addc(out, ']');
}

int64_t context_tokens(struct str text)
{
    return (int64_t)(text.len / CONTEXT_BYTES_PER_TOKEN) + CONTEXT_TOKENS_PER_ENTRY;
}

/* False for an answer that failed at once, for example: an empty message would only confuse the model. */
static bool has_content(const struct message *m)
{
    return m->text.len > 0 || m->calls || pictures_of(m);
}

static bool is_sent(const struct context_frame *f, const struct message *m)
{
    return has_content(m) &&
           !(f->text_only && (m->role == ROLE_TOOL || (m->text.len == 0 && !pictures_of(m))));
}

static int64_t most_messages(const struct config *c, size_t n)
{
    switch (c->context.policy) {
    case CONTEXT_WINDOW: return c->context.window_messages;
    case CONTEXT_THRIFTY: return c->context.thrifty_messages;
    case CONTEXT_FULL: break;
    }
    return (int64_t)n;
}

/* The part of a message that the policy allows; all of the new one. */
static struct str policy_text(const struct config *c, const struct message *m, bool newest)
{
    struct str text = m->text;
    if (c->context.policy == CONTEXT_THRIFTY && m->role != ROLE_TOOL && !newest)
        text.len = utf8_cut_chars(text, (size_t)c->context.thrifty_chars);
    return text;
}

bool context_wants_files(int64_t window, int64_t bytes)
{
    return bytes / CONTEXT_BYTES_PER_TOKEN > window / CONTEXT_SHARE_FILES;
}

/* The bytes that a text of `len` bytes may keep when the messages have `room` tokens. A text that is longer
 * than the whole room is cut. The newest message may take all of the room, unless the model can read the
 * rest. An older one may take only a share, so that others fit, too. */
static size_t most_bytes(const struct context_frame *f, int64_t room, size_t len, bool newest)
{
    size_t whole = room > CONTEXT_TOKENS_PER_ENTRY
                       ? (size_t)(room - CONTEXT_TOKENS_PER_ENTRY) * CONTEXT_BYTES_PER_TOKEN
                       : 0;
    if (len <= whole || len <= CONTEXT_MESSAGE_LEAST)
        return len;
    size_t most = newest && !f->reads_files ? whole : whole / CONTEXT_SHARE_CUT;
    return most > CONTEXT_MESSAGE_LEAST ? most : CONTEXT_MESSAGE_LEAST;
}

/* Moves a cut to the nearest line breaks within a quarter of each half, so that both parts have whole lines.
 */
static void cut_at_lines(struct str text, size_t *head, size_t *tail)
{
    size_t reach = *head / 4;
    const char *before = memrchr(text.s + *head - reach, '\n', reach);
    const char *after = memchr(text.s + *tail, '\n', text.len - *tail < reach ? text.len - *tail : reach);
    if (before)
        *head = (size_t)(before - text.s) + 1;
    if (after)
        *tail = (size_t)(after - text.s) + 1;
}

static struct str cut_middle(
    struct arena *a, const struct context_frame *f, const struct message *m, struct str text, size_t most)
{
    if (text.len <= most)
        return text;
    bool marks = f->reads_files && m->role == ROLE_USER && most > 2 * MESSAGE_CUT_MARK_MAX;
    size_t half = (most - (marks ? MESSAGE_CUT_MARK_MAX : strlen(CUT_MARK))) / 2,
           head = utf8_cut_bytes(text, half), tail = text.len - half;
    while (tail < text.len && ((unsigned char)text.s[tail] & 0xC0) == 0x80) /* to the start of a character */
        tail++;
    if (marks)
        cut_at_lines(text, &head, &tail);
    return str_of(arena_printf(a, "%.*s%s%.*s", (int)head, text.s,
        marks ? message_cut_mark(a, text, m->id, head, tail) : CUT_MARK, (int)(text.len - tail),
        text.s + tail));
}

/* True for the end of an exchange that the provider refused. */
static bool is_refused(const struct message *m)
{
    return m->stop == STOP_REFUSAL || m->stop == STOP_REJECTED ||
           (m->stop == STOP_FILTER && m->text.len == 0);
}

size_t context_without_refused(struct message *path, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && path[end].role != ROLE_USER; end++)
            ;
        if (is_refused(&path[end - 1]))
            continue;
        memmove(path + kept, path + i, (end - i) * sizeof *path);
        kept += end - i;
    }
    return kept;
}

bool context_counts(const struct message *m)
{
    return has_content(m) && (m->role == ROLE_USER || (m->role == ROLE_ASSISTANT && !m->calls));
}

/* The provider's data of an answer (LLM_OPAQUE) for the model that wrote it. An answer that is cut for its
 * length has none. */
static struct str opaque_of(const struct context_frame *f, const struct message *m)
{
    bool same = f->provider && f->model && m->provider && m->model && strcmp(f->provider, m->provider) == 0 &&
                strcmp(f->model, m->model) == 0;
    return same ? m->opaque : STR("");
}

/* The text is counted elsewhere; blocks that repeat it are not counted twice. */
static int64_t opaque_tokens(struct str opaque, struct str text)
{
    return opaque.len > text.len ? context_tokens((struct str){opaque.s, opaque.len - text.len}) : 0;
}

static int64_t cost_of(
    const struct config *c, const struct context_frame *f, int64_t room, const struct message *m, bool newest)
{
    if (!is_sent(f, m))
        return 0;
    bool calls = m->calls && !f->text_only;
    struct str text = policy_text(c, m, newest);
    text.len = most_bytes(f, room, text.len, newest);
    int64_t back = text.len == m->text.len ? opaque_tokens(opaque_of(f, m), text) : 0;
    return back + context_tokens(text) + (calls ? context_tokens(str_of(m->calls)) : 0);
}

/* The next message of the user at or after `from`, so that neither half an exchange nor a result without
 * its call is first. */
static size_t at_user(const struct message *path, size_t n, size_t from)
{
    while (from + 1 < n && path[from].role != ROLE_USER)
        from++;
    return from;
}

/* Goes back from the newest message while the policy's count allows it. */
static size_t first_wanted(const struct config *c, const struct message *path, size_t n)
{
    size_t from = n;
    int64_t most = most_messages(c, n), count = 0;
    while (from > 0) {
        bool counts = from < n && context_counts(&path[from - 1]);
        if (counts && count == most)
            break;
        count += counts;
        from--;
    }
    return at_user(path, n, from);
}

/* From there on, finds the oldest message that still fits. */
static size_t first_fitting(const struct config *c, const struct context_frame *f, const struct message *path,
    size_t n, size_t wanted)
{
    size_t from = n, shown = pictures_first_shown(f->pictures, path, n);
    int64_t room = context_room(c, f), budget = room;
    while (from > wanted) {
        int64_t cost =
            cost_of(c, f, room, &path[from - 1], from == n) + pictures_tokens(&path[from - 1], from > shown);
        if (from < n && budget < cost)
            break;
        budget -= cost;
        from--;
    }
    return at_user(path, n, from);
}

int64_t context_tool_tokens(const struct llm_tool *t)
{
    return context_tokens(str_of(t->name)) + context_tokens(str_of(t->description)) +
           context_tokens(str_of(t->schema));
}

int64_t context_tools_tokens(const struct llm_tool *list, size_t n)
{
    int64_t all = 0;
    for (size_t i = 0; i < n; i++)
        all += context_tool_tokens(&list[i]);
    return all;
}

int64_t context_frame_tokens(const struct context_frame *f)
{
    return f->reserve + f->tools_tokens + (f->prompt.len ? context_tokens(f->prompt) : 0) +
           (f->aside.len ? context_tokens(f->aside) : 0);
}

static int64_t least(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

int64_t context_room(const struct config *c, const struct context_frame *f)
{
    int64_t limit = f->answer ? f->answer : c->context.answer_tokens;
    int64_t answer =
        limit ? least(limit, f->window / 2) : least(CONTEXT_ANSWER_TOKENS, f->window / CONTEXT_SHARE_ANSWER);
    return f->window - answer - context_frame_tokens(f);
}

int64_t context_message_tokens(const struct config *c, const struct context_frame *f, const struct message *m)
{
    return cost_of(c, f, context_room(c, f), m, false) +
           pictures_tokens(m, f->pictures != CONTEXT_PICTURES_NONE);
}

struct context_span context_span(
    const struct config *c, const struct context_frame *f, const struct message *path, size_t n)
{
    struct context_span s = {.wanted = first_wanted(c, path, n)};
    s.from = first_fitting(c, f, path, n, s.wanted);
    return s;
}

int64_t context_sent(const struct llm_message *messages, size_t n)
{
    int64_t all = 0;
    for (size_t i = 0; i < n; i++) {
        all += context_tokens(messages[i].text) + opaque_tokens(messages[i].opaque, messages[i].text) +
               (messages[i].aside.len ? context_tokens(messages[i].aside) : 0);
        all += pictures_sent_tokens(&messages[i]);
        for (size_t k = 0; k < messages[i].calls_n; k++)
            all += context_tokens(str_of(messages[i].calls[k].name)) +
                   context_tokens(str_of(messages[i].calls[k].args));
    }
    return all;
}

static struct context_size measure(const struct config *c, const struct context_frame *f,
    const struct message *path, size_t n, size_t wanted)
{
    struct context_size s = {.tokens = context_frame_tokens(f)};
    int64_t room = context_room(c, f);
    size_t shown = pictures_first_shown(f->pictures, path, n);
    for (size_t i = 0; i < n; i++) {
        s.messages += context_counts(&path[i]);
        if (i >= wanted)
            s.tokens += cost_of(c, f, room, &path[i], i + 1 == n) + pictures_tokens(&path[i], i >= shown);
    }
    return s;
}

struct context_size context_measure(
    const struct config *c, const struct context_frame *f, const struct message *path, size_t n)
{
    return measure(c, f, path, n, first_wanted(c, path, n));
}

static enum llm_role role_of(enum message_role r)
{
    static const enum llm_role map[] = {[ROLE_USER] = LLM_USER,
        [ROLE_ASSISTANT] = LLM_ASSISTANT,
        [ROLE_SYSTEM] = LLM_SYSTEM,
        [ROLE_TOOL] = LLM_TOOL};
    return map[r];
}

/* True when all results of an answer's calls follow it (a branch may begin between them). Otherwise
 * providers would refuse the calls: the answer is sent as text only, and its results are left out. */
static bool answered(size_t calls, const struct message *path, size_t n, size_t at)
{
    size_t results = 0;
    while (at + 1 + results < n && path[at + 1 + results].role == ROLE_TOOL)
        results++;
    return results == calls;
}

/* True when a message follows another one of its role: an answer after an answer, as a reminder does, or a
 * question after one without an answer. Many servers and templates refuse two in a row. */
static bool continues(const struct llm_message *list, size_t at)
{
    if (list[at].role != list[at - 1].role || (list[at].text.len == 0 && !list[at].pictures_n))
        return false;
    return list[at].role == LLM_USER ||
           (list[at].role == LLM_ASSISTANT && !list[at].calls_n && !list[at - 1].calls_n);
}

/* Joins messages that continue each other. The opaque data of all but a lone one is dropped, because it is
 * valid for that answer alone. Only the newest message has an aside. Returns the new number of messages. */
static size_t join(struct arena *a, struct llm_message *list, size_t n)
{
    static const struct str between = {"\n\n", 2};
    size_t got = 0;
    for (size_t i = 0, end; i < n; i = end) {
        size_t bytes = list[i].text.len, pictures = list[i].pictures_n;
        for (end = i + 1; end < n && continues(list, end); end++) {
            bytes += between.len + list[end].text.len;
            pictures += list[end].pictures_n;
        }
        struct llm_message one = list[i];
        if (pictures > one.pictures_n)
            pictures_join(a, list + i, end - i, &one);
        if (end > i + 1) {
            char *all = arena_take(a, bytes + 1), *to = all;
            for (size_t k = i; k < end; k++) {
                to = to > all && list[k].text.len ? mempcpy(to, between.s, between.len) : to;
                to = mempcpy(to, list[k].text.s, list[k].text.len);
            }
            *to = '\0';
            one.text = (struct str){all, (size_t)(to - all)};
            one.earlier = one.role == LLM_USER ? one.text.len - list[end - 1].text.len : 0;
            one.opaque = STR("");
            one.aside = list[end - 1].aside;
        }
        list[got++] = one;
    }
    return got;
}

/* An answer is missing between the result of a tool and a question, because the turn failed or was stopped.
 * Mistral and the templates of its models refuse that. */
static void add_missing_answer(struct llm_message *list, size_t *n, const struct message *next)
{
    if (*n && next->role == ROLE_USER && list[*n - 1].role == LLM_TOOL)
        list[(*n)++] = (struct llm_message){.role = LLM_ASSISTANT, .text = STR("(No answer.)")};
}

enum rc context_build(struct arena *a, const struct config *c, const struct context_frame *f,
    const struct message *path, size_t n, struct llm_message **out, size_t *out_n, struct context_size *size,
    struct err *e)
{
    struct context_span s = context_span(c, f, path, n);
    int64_t room = context_room(c, f);
    struct llm_message *list = ARENA_ARRAY(a, struct llm_message, 2 * (n - s.from) + 1);
    size_t got = 0, shown = pictures_first_shown(f->pictures, path, n);
    if (size) {
        *size = measure(c, f, path, n, s.wanted);
        size->cut = s.from > s.wanted;
    }
    if (f->prompt.len)
        list[got++] = (struct llm_message){.role = LLM_SYSTEM, .text = f->prompt};
    bool whole = false; /* the calls above have all their results */
    for (size_t i = s.from; i < n; i++) {
        const struct message *m = &path[i];
        bool newest = i + 1 == n;
        if (!is_sent(f, m) || (m->role == ROLE_TOOL && !whole))
            continue;
        add_missing_answer(list, &got, m);
        struct llm_message *to = &list[got];
        struct str text = policy_text(c, m, newest);
        *to = (struct llm_message){.role = role_of(m->role),
            .text = cut_middle(a, f, m, text, most_bytes(f, room, text.len, newest)),
            .call_id = m->call_id};
        if (to->text.len == m->text.len)
            to->opaque = opaque_of(f, m);
        pictures_add(a, to, m, i >= shown);
        if (newest)
            to->aside = f->aside.len
                            ? str_of(arena_printf(a, "<context>\n%.*s\n</context>", STR_FMT(f->aside)))
                            : STR("");
        if (m->role == ROLE_ASSISTANT && m->calls && !f->text_only) {
            struct llm_tool_call *calls;
            enum rc rc = context_calls(a, m->calls, &calls, &to->calls_n, e);
            if (rc != RC_OK)
                return rc;
            to->calls = calls;
            whole = answered(to->calls_n, path, n, i);
            if (!whole)
                to->calls_n = 0;
        }
        got += m->role != ROLE_ASSISTANT || to->text.len > 0 || to->calls_n > 0;
    }
    *out = list;
    *out_n = join(a, list, got);
    return RC_OK;
}
