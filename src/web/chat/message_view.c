#include "web/chat/message_view.h"

#include "app/reminding/reminding.h"
#include "app/tools/tools.h"
#include "base/clock.h"
#include "base/humanize.h"
#include "base/utf8.h"
#include "codec/markdown/markdown_typed.h"
#include "web/chat/compaction_mark.h"
#include "web/http/resource.h"
#include "web/http/web.h"
#include "web/page/markdown_view.h"
#include "web/page/tool_view.h"
#include "web/page/views.h"
#include "web/picture/picture_resource.h"

#define ARTICLE_TEMPLATE "partials/message"

/* A question with more lines is shown by its beginning, its end and a button. Of a question with more bytes,
 * which may have files or a pasted log, the page has only that: a link leads to the page that has all of it
 * (F_WHOLE). Answers are shown completely. */
#define WHOLE_BYTES  ((size_t)20 * 1024)
#define BEGIN_BYTES  ((size_t)4 * 1024) /* of a text that the page has only a part of */
#define FOLDED_LINES 30
#define END_LINES    6
#define FILES_MAX    32 /* of a question, that are shown as such */
#define LINE_BYTES   80

/* The approximate number of lines that a line takes in the window. */
static size_t shown_lines(struct str line)
{
    return (line.len + LINE_BYTES - 1) / LINE_BYTES;
}

static bool is_folded(struct str text)
{
    size_t lines = 0;
    for (struct str rest = text; rest.s && lines <= FOLDED_LINES;)
        lines += shown_lines(str_cut(&rest, '\n'));
    return text.len > WHOLE_BYTES || lines > FOLDED_LINES;
}

/* The end of a folded question: as many of its last paragraphs as have at most END_LINES lines. If the last
 * paragraph is longer, its last END_LINES lines, and *cut is true. Empty if the question ends with a code
 * block, because code blocks are not cut. */
static struct str end_of(struct str text, bool *cut)
{
    size_t first = markdown_typed_code_end(text), at = text.len, begin = at, paragraph = at, lines = 0;
    while (at > first) {
        size_t from = at;
        while (from > first && text.s[from - 1] != '\n')
            from--;
        struct str line = str_trim((struct str){text.s + from, at - from});
        lines += line.len ? shown_lines(line) : 1;
        if (lines > END_LINES)
            break;
        if (line.len)
            begin = from;
        else
            paragraph = begin;
        at = from > first ? from - 1 : first;
    }
    *cut = paragraph == text.len;
    return str_from(text, *cut ? begin : paragraph);
}

/* The beginning of a text, whose end follows. Up to the end of a line, if that is not far. */
static struct str begin_of(struct str text)
{
    struct str begin = {text.s, utf8_cut_bytes(text, text.len < BEGIN_BYTES ? text.len : BEGIN_BYTES)};
    const char *line = memrchr(begin.s + begin.len / 2, '\n', begin.len - begin.len / 2);
    if (line)
        begin.len = (size_t)(line - begin.s);
    return begin;
}

/* A text that differs for another text, for the page's scripts: its bytes and a hash. */
static const char *text_mark(struct arena *a, struct str text)
{
    return arena_printf(a, "%zu-%llx", text.len, (unsigned long long)str_hash(text, 0));
}

/* True when the page has only a part of the text. */
static bool view_is_partial(const struct message_frame *f, struct view *v, const struct message *m)
{
    bool partial = m->text.len > WHOLE_BYTES && f->whole != m->id;
    view_bool(v, "is_partial", partial);
    if (partial)
        view_text(v, "whole_url",
            arena_printf(f->arena, "/s/%s?%smessage=%lld&whole=%lld#m-%lld", f->session,
                f->leaf ? arena_printf(f->arena, "at=%lld&", (long long)f->leaf) : "", (long long)m->id,
                (long long)m->id, (long long)m->id));
    view_text(v, "text_mark", m->text.len > WHOLE_BYTES ? text_mark(f->arena, m->text) : NULL);
    return partial;
}

/* Adds the files that were attached, and returns the text before them. */
static struct str view_files(
    const struct message_frame *f, struct view *v, const struct message *m, bool partial)
{
    struct typed_file files[FILES_MAX];
    struct str text = m->text;
    size_t n = m->pasted_from < 0
                   ? 0
                   : markdown_typed_files(m->text, (size_t)m->pasted_from, files, FILES_MAX, &text);
    view_bool(v, "has_files", n > 0);
    struct view *list = view_list(v, "files");
    int line = 0; /* of the name, from 0 on */
    for (size_t i = 0; i < n; i++) {
        struct view *one = view_item(list);
        const char *from = i ? files[i - 1].name.s : m->text.s;
        line += (int)str_count((struct str){from, (size_t)(files[i].name.s - from)}, '\n');
        view_str(one, "name", files[i].name);
        view_int(one, "line", line);
        view_text(one, "size",
            humanize_bytes(f->arena, f->locale.lang, (int64_t)files[i].content.len, LANG_ROUND_UP));
        if (!partial)
            view_typed(one, "block_html", files[i].block);
    }
    return text;
}

static void view_question(const struct message_frame *f, struct view *v, const struct message *m)
{
    bool partial = view_is_partial(f, v, m), cut = false;
    struct str text = view_files(f, v, m, partial);
    bool folded = is_folded(text), long_text = text.len > WHOLE_BYTES;
    struct str end = folded ? end_of(text, &cut) : STR(""), begin = {text.s, text.len - end.len};
    view_bool(v, "has_text", str_trim(text).len > 0);
    view_bool(v, "is_long", folded);
    if (partial && long_text)
        begin = begin_of(begin);
    view_bool(v, "has_begin_only", partial && long_text);
    view_str(v, "text", partial ? STR("") : m->text);
    view_typed(v, "body_html", begin);
    view_bool(v, "has_end", end.len > 0);
    if (!end.len)
        return;
    view_bool(v, "cut", cut);
    view_typed(v, "end_html", end);
}

static void view_body(const struct message_frame *f, struct view *v, const struct message *m)
{
    if (m->role != ROLE_USER) {
        view_bool(v, "is_partial", false);
        view_text(v, "text_mark", NULL);
        view_str(v, "text", m->text);
        if (m->status == MESSAGE_RUNNING)
            view_markdown(f->arena, v, f->locale.lang, m->text);
        else
            view_markdown_kept(f->html, m->id, f->arena, v, f->locale.lang, m->text);
        return;
    }
    view_question(f, v, m);
}

static void view_tool(const struct message_frame *f, struct view *v, const struct message *m)
{
    view_text(v, "tool", m->tool);
    view_text(v, "tool_icon", tool_failed(m->text) ? "alert" : tool_look(m->tool ? m->tool : "").icon);
    tool_call_view(f->arena, v, f->locale.lang, m);
}

static void view_branches(const struct message_frame *f, struct view *v, const struct message *m)
{
    static const char *const keys[2][2] = {{"prev_id", "prev_url"}, {"next_id", "next_url"}};
    int64_t ids[2] = {m->prev_sibling, m->next_sibling};
    view_int(v, "sibling", m->sibling);
    view_int(v, "siblings", m->siblings);
    view_bool(v, "has_siblings", m->siblings > 1);
    for (int i = 0; i < 2; i++) {
        view_id(f->arena, v, keys[i][0], ids[i]);
        view_text(v, keys[i][1], ids[i] ? message_url(f->arena, f->session, ids[i]) : NULL);
    }
}

static const char *usage_words(struct arena *a, const struct lang *l, const struct message *m)
{
    const char *cached =
        m->tokens_cached && m->tokens_in
            ? lang_fill(a, l, "answer.from_cache",
                  LANG_ARGS({"percent", arena_printf(a, "%d", (int)(m->tokens_cached * 100 / m->tokens_in))}))
            : "";
    const char *reasoning = m->tokens_reasoning
                                ? lang_fill(a, l, "answer.reasoning_tokens",
                                      LANG_ARGS({"tokens", humanize_number(a, l, m->tokens_reasoning)}))
                                : "";
    return lang_fill(a, l, "answer.tokens",
        LANG_ARGS({"in", humanize_number(a, l, m->tokens_in)}, {"cached", cached},
            {"out", humanize_number(a, l, m->tokens_out)}, {"reasoning", reasoning}));
}

/* "Thought for 12 s" */
static const char *thought_words(struct arena *a, const struct lang *l, int64_t ms)
{
    int64_t s = (ms + MS_PER_S / 2) / MS_PER_S;
    if (s < 1)
        return lang_text(l, "script_later.thought_briefly");
    const char *seconds = humanize_number(a, l, s < S_PER_MIN ? s : s % S_PER_MIN);
    return s < S_PER_MIN
               ? lang_fill(a, l, "answer.thought_seconds", LANG_ARGS({"seconds", seconds}))
               : lang_fill(a, l, "answer.thought_minutes",
                     LANG_ARGS({"minutes", humanize_number(a, l, s / S_PER_MIN)}, {"seconds", seconds}));
}

static void view_thought(struct arena *a, const struct lang *l, struct view *v, const struct message *m)
{
    if (m->reasoning.len == 0) {
        view_null(v, "thought");
        return;
    }
    struct view *thought = view_obj(v, "thought");
    view_text(thought, "words", thought_words(a, l, m->reasoning_ms));
    view_str(thought, "reasoning", m->reasoning);
}

#define DOCUMENT_LINES 15 /* a longer answer can be opened beside the conversation */

/* True when the prose of an answer is long. Code blocks do not count: each long one can be opened by itself.
 */
static bool is_document(struct str text)
{
    size_t lines = 0;
    char fence = '\0'; /* of the code block that is open */
    for (struct str rest = text; rest.s && lines <= DOCUMENT_LINES;) {
        struct str line = str_trim(str_cut(&rest, '\n'));
        bool marks = str_starts(line, STR("```")) || str_starts(line, STR("~~~"));
        if (!fence && marks)
            fence = line.s[0];
        else if (!fence)
            lines += shown_lines(line);
        else if (marks && line.s[0] == fence)
            fence = '\0';
    }
    return lines > DOCUMENT_LINES;
}

/* True when the provider has refused its key, which only an admin can correct. */
static bool is_about_key(const char *error)
{
    static const char *const keys[] = {"provider.wrong_key", "provider.needs_key"};
    return STR_IN(((struct str){error, strcspn(error, "\t\n")}), keys);
}

void message_view(const struct message_frame *f, struct view *v, const struct message *m)
{
    bool assistant = m->role == ROLE_ASSISTANT, running = m->status == MESSAGE_RUNNING;
    bool last = m->id == f->last_id;
    view_id(f->arena, v, "id", m->id);
    view_text(v, "anchor", arena_printf(f->arena, "m-%lld", (long long)m->id));
    view_id(f->arena, v, "parent_id", m->parent_id);
    view_text(v, "role", message_role_name(m->role));
    view_bool(v, "is_user", m->role == ROLE_USER);
    view_bool(v, "is_assistant", assistant);
    view_bool(v, "is_tool", m->role == ROLE_TOOL);
    view_text(v, "status", message_status_name(m->status));
    view_bool(v, "running", running);
    view_bool(v, "stopped", m->status == MESSAGE_STOPPED);
    view_bool(v, "interrupted", m->status == MESSAGE_INTERRUPTED);
    view_bool(v, "failed", m->status == MESSAGE_FAILED);
    view_text(v, "error", said_words(f->arena, f->locale.lang, m->error));
    bool key = m->error && is_about_key(m->error);
    view_bool(v, "offers_connect", key && f->admin);
    view_bool(v, "refers_to_admin", key && !f->admin);
    view_bool(v, "has_calls", assistant && m->calls);
    view_bool(v, "can_retry",
        assistant && last &&
            ((m->status == MESSAGE_FAILED && !m->lasting) || m->status == MESSAGE_INTERRUPTED));
    view_bool(v, "can_copy", m->text.len > 0);
    view_bool(v, "is_document", assistant && !running && is_document(m->text));
    view_bool(v, "can_choose", assistant && providers_list(f->providers)->n > 1);
    bool reminder = m->channel && strcmp(m->channel, REMINDING_CHANNEL) == 0; /* answers no question */
    view_bool(v, "can_again", !reminder && (m->status != MESSAGE_FAILED || m->lasting));
    view_bool(v, "can_continue", last && message_can_continue(m));
    view_bool(v, "edited", assistant && m->edited);
    view_bool(v, "has_pictures", m->pictures_n > 0);
    pictures_view(f->arena, v, m);
    view_body(f, v, m);
    view_thought(f->arena, f->locale.lang, v, m);
    if (m->role == ROLE_TOOL)
        view_tool(f, v, m);
    view_branches(f, v, m);
    view_created(f->arena, v, &f->locale, m->created_at);
    const struct provider_choice *choice =
        assistant && m->provider ? providers_by_name(f->providers, m->provider, m->model) : NULL;
    view_text(v, "usage_words",
        assistant && (m->tokens_in || m->tokens_out) ? usage_words(f->arena, f->locale.lang, m) : NULL);
    view_text(v, "model_label",
        choice      ? provider_choice_label(choice, f->locale.lang)
        : assistant ? m->model
                    : NULL);
    view_text(v, "session_id", f->session);
    view_text(v, "csrf", f->csrf);
    view_text(v, "turn", running ? f->turn : NULL);
    view_id(f->arena, v, "leaf_id", f->leaf);
    annotations_view(f->annotations, f->arena, f->locale.lang, v, m);
    compaction_mark_view(f, v, m);
}

enum rc message_html(const struct web *w, const struct message_frame *f, const struct message *m,
    struct strbuf *out, struct err *e)
{
    struct view *v = view_new(f->arena);
    message_view(f, v, m);
    return templates_render(w->templates, f->locale.lang, ARTICLE_TEMPLATE, v, out, e);
}
