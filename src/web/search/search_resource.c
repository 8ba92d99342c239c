#include "web/search/search_resource.h"

#include "codec/markdown/markdown.h"
#include "codec/markdown/markdown_line.h"
#include "codec/words/snippet.h"
#include "web/http/resource.h"
#include "web/session/session_resource.h"
#include "web/session/session_view.h"

#define SNIPPET_BYTES 280
#define TYPED_BYTES   90  /* in the search box */
#define BESIDE_BYTES  140 /* bytes of the messages before and after a hit */

static void view_snippet(
    struct arena *a, struct view *v, struct str text, const struct bag *words, size_t bytes)
{
    struct snippet s = snippet_of(a, text, words, bytes);
    struct view *pieces = view_list(v, "pieces");
    for (size_t i = 0; i < s.n; i++) {
        struct view *p = view_item(pieces);
        view_str(p, "text", s.pieces[i].text);
        view_bool(p, "hit", s.pieces[i].hit);
    }
    view_bool(v, "cut_head", s.cut_head);
    view_bool(v, "cut_end", s.cut_end);
}

static void snippet_resource(struct arena *a, struct view *v, struct str text, const struct bag *words)
{
    view_snippet(a, v, text, words, SNIPPET_BYTES);
}

/* ---- a summary on one line, without its Markdown ---- */

static bool is_heading(struct str line)
{
    return line.s[0] == '#' ||
           (str_starts(line, STR("**")) && line.len > 4 && memcmp(line.s + line.len - 2, "**", 2) == 0);
}

static void add_words(struct strbuf *out, struct str line)
{
    for (size_t i = 0; i < line.len; i++)
        if (!strchr("*`", line.s[i]))
            strbuf_addc(out, line.s[i]);
}

/* The first heading only says that a summary follows, so it is dropped. A later one becomes the beginning
 * of its sentence. */
static struct str plain_summary(struct arena *a, struct str summary)
{
    AUTO_STRBUF out;
    strbuf_init(&out, 2 * summary.len + 1);
    while (summary.s) {
        struct str line = str_trim(str_cut(&summary, '\n'));
        bool heading = line.len && is_heading(line);
        if (line.len == 0 || (heading && out.len == 0))
            continue;
        if (out.len)
            strbuf_addc(&out, ' ');
        if (str_starts(line, STR("- ")) || str_starts(line, STR("* ")))
            line = str_from(line, 2);
        while (line.len && strchr("# ", line.s[0]))
            line = str_from(line, 1);
        add_words(&out, line);
        if (heading)
            strbuf_addc(&out, ':');
    }
    return arena_str(a, strbuf_str(&out));
}

/* ---- results ---- */

/* A user's text is no Markdown, but the page shows blocks between fences, such as attached files, as code. */
static void add_without_fences(struct strbuf *out, struct str text)
{
    for (struct str rest = text; rest.s;) {
        struct str line = str_cut(&rest, '\n');
        if (line_fence_width(line))
            continue;
        strbuf_adds(out, out->len ? "\n" : "");
        strbuf_addstr(out, line);
    }
}

struct str message_words(struct arena *a, const struct message *m)
{
    AUTO_STRBUF out;
    strbuf_init(&out, 2 * m->text.len + 1);
    if (m->role == ROLE_USER)
        add_without_fences(&out, m->text);
    else if (m->role != ROLE_ASSISTANT || !markdown_plain(m->text, &out))
        return m->text;
    return arena_str(a, strbuf_str(&out));
}

void summary_snippet(struct arena *a, struct view *v, const struct search_session *h, const struct bag *words)
{
    view_text(v, "summary_url", h->summary_id ? arena_printf(a, "/s/%s/summary", h->session.pub) : NULL);
    snippet_resource(a, v, plain_summary(a, h->summary), words);
}

static void found_session(struct arena *a, const struct lang *l, struct view *v,
    const struct search_session *h, const struct bag *words)
{
    session_resource(a, l, v, &h->session);
    summary_snippet(a, v, h, words);
}

void found_memory_resource(
    struct arena *a, struct view *v, const struct search_memory *h, const struct bag *words)
{
    const struct memory *m = &h->memory;
    view_id(a, v, "id", m->id);
    view_text(v, "url", memory_url(a, m->id));
    view_str(v, "text", m->text);
    view_text(v, "tags", m->tags);
    view_source(a, v, m->source_session, m->source_id);
    view_bool(v, "source_in_trash", m->source_in_trash);
    view_at(v, "created_at", m->created_at);
    snippet_resource(a, v, m->text, words);
}

void found_file_resource(
    struct arena *a, struct view *v, const struct search_file *h, const struct bag *words)
{
    view_id(a, v, "id", h->file.id);
    view_text(v, "url", workspace_file_url(a, h->file.id));
    view_text(v, "workspace", h->file.workspace);
    view_text(v, "name", h->file.name);
    view_at(v, "changed_at", h->file.changed_at);
    snippet_resource(a, v, h->file.text, words);
}

/* The beginning of a message beside a hit; null when there is none. */
static void view_beside(
    struct arena *a, struct view *v, const char *key, const struct message *m, const struct bag *none)
{
    if (m->id == 0) {
        view_null(v, key);
        return;
    }
    struct snippet s = snippet_of(a, message_words(a, m), none, BESIDE_BYTES);
    view_text(v, key, arena_printf(a, "%.*s%s", STR_FMT(s.whole), s.cut_end ? "…" : ""));
}

void hit_resource(struct arena *a, struct view *v, const struct search_hit *h, const struct bag *words)
{
    view_id(a, v, "id", h->message.id);
    view_text(v, "url", message_url(a, h->session_id, h->message.id));
    view_text(v, "session", h->session_id);
    view_text(v, "title", h->session_title);
    view_text(v, "role", message_role_name(h->message.role));
    view_at(v, "created_at", h->message.created_at);
    snippet_resource(a, v, message_words(a, &h->message), words);
    view_beside(a, v, "before", &h->before, &(struct bag){0});
    view_beside(a, v, "after", &h->after, &(struct bag){0});
}

void search_results_resource(
    struct arena *a, const struct lang *l, struct view *v, const struct search_results *s)
{
    struct view *list = view_list(v, "notices");
    for (size_t i = 0; i < s->query.notices_n; i++)
        view_item_text(
            list, lang_fill(a, l, s->query.notices[i].key, LANG_ARGS({"name", s->query.notices[i].name})));
    list = view_list(v, "memories");
    for (size_t i = 0; i < s->memories.n; i++)
        found_memory_resource(a, view_item(list), &s->memories.hits[i], &s->memories.words);
    list = view_list(v, "sessions");
    for (size_t i = 0; i < s->sessions.n; i++)
        found_session(a, l, view_item(list), &s->sessions.hits[i], &s->sessions.words);
    list = view_list(v, "files");
    for (size_t i = 0; i < s->files.n; i++)
        found_file_resource(a, view_item(list), &s->files.hits[i], &s->files.words);
    list = view_list(v, "hits");
    for (size_t i = 0; i < s->messages.n; i++)
        hit_resource(a, view_item(list), &s->messages.hits[i], &s->messages.words);
}

void related_resource(struct arena *a, const struct lang *l, struct view *v, const struct search_sessions *s)
{
    struct view *list = view_list(v, "related");
    for (size_t i = 0; i < s->n; i++)
        found_session(a, l, view_item(list), &s->hits[i], &s->words);
}

void search_typed_resource(struct arena *a, struct view *v, const struct search_typed *s)
{
    struct view *list = view_list(v, "offers");
    for (size_t i = 0; i < s->offers_n; i++) {
        struct view *item = view_item(list);
        view_text(item, "query", s->offers[i].query);
        view_text(item, "part", s->offers[i].part);
    }
    list = view_list(v, "sessions");
    for (size_t i = 0; i < s->sessions_n; i++) {
        struct view *item = view_item(list);
        view_text(item, "id", s->sessions[i].pub);
        view_text(item, "title", s->sessions[i].title);
        view_text(item, "url", session_url(a, s->sessions[i].pub));
        view_at(item, "active_at", s->sessions[i].active_at);
    }
    list = view_list(v, "hits");
    for (size_t i = 0; i < s->hits_n; i++) {
        const struct search_hit *h = &s->hits[i];
        struct view *item = view_item(list);
        view_text(item, "url", message_url(a, h->session_id, h->message.id));
        view_text(item, "title", h->session_title);
        view_at(item, "created_at", h->message.created_at);
        view_snippet(a, item, message_words(a, &h->message), &s->words, TYPED_BYTES);
    }
    list = view_list(v, "workspaces");
    for (size_t i = 0; i < s->workspaces_n; i++) {
        struct view *item = view_item(list);
        view_text(item, "name", s->workspaces[i]);
        view_text(item, "url", workspace_url(a, s->workspaces[i]));
    }
    list = view_list(v, "files");
    for (size_t i = 0; i < s->files_n; i++) {
        struct view *item = view_item(list);
        view_text(item, "name", s->files[i].name);
        view_text(item, "workspace", s->files[i].workspace);
        view_text(item, "url", workspace_file_url(a, s->files[i].id));
    }
    list = view_list(v, "memories");
    for (size_t i = 0; i < s->memories_n; i++) {
        struct view *item = view_item(list);
        view_text(item, "url", memory_url(a, s->memories[i].id));
        view_snippet(a, item, s->memories[i].text, &s->words, TYPED_BYTES);
    }
}
