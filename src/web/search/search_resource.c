#include "web/search/search_resource.h"

#include "codec/snippet.h"
#include "web/chat/message_view.h"
#include "web/http/web.h"

#define SNIPPET_BYTES 280

void view_snippet(struct arena *a, struct view *v, struct str text, const struct bag *words)
{
    struct snippet s = snippet_of(a, text, words, SNIPPET_BYTES);
    struct view *pieces = view_list(v, "pieces");
    for (size_t i = 0; i < s.n; i++) {
        struct view *p = view_item(pieces);
        view_str(p, "text", s.pieces[i].text);
        view_bool(p, "hit", s.pieces[i].hit);
    }
    view_bool(v, "cut_head", s.cut_head);
    view_bool(v, "cut_end", s.cut_end);
}

/* ---- a summary on one line ---- */

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

/* The first heading only says that this is what it was about; the later ones part what follows. */
struct str summary_plain(struct arena *a, struct str summary)
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
            line = (struct str){line.s + 2, line.len - 2};
        while (line.len && strchr("# ", line.s[0]))
            line = (struct str){line.s + 1, line.len - 1};
        add_words(&out, line);
        if (heading)
            strbuf_addc(&out, ':');
    }
    return (struct str){arena_strndup(a, out.len ? out.s : "", out.len), out.len};
}

/* ---- what was found ---- */

void view_found_session(
    const struct req *r, struct view *v, const struct search_session *h, const struct bag *words)
{
    view_session(r->arena, v, &h->session, r->now);
    view_bool(v, "has_summary", h->summary_id != 0);
    view_text(
        v, "summary_url", h->summary_id ? arena_printf(r->arena, "/s/%s/summary", h->session.pub) : NULL);
    view_snippet(r->arena, v, summary_plain(r->arena, h->summary), words);
}

void view_found_memory(
    const struct req *r, struct view *v, const struct search_memory *h, const struct bag *words)
{
    const struct memory *m = &h->memory;
    long long id = (long long)m->id, source = (long long)m->source_id;
    bool sourced = m->source_id && m->source_session;
    view_text(v, "id", arena_printf(r->arena, "%lld", id));
    /* the page begins with this fact */
    view_text(v, "url", arena_printf(r->arena, "/memory?after=%lld#memory-%lld", id + 1, id));
    view_str(v, "text", m->text);
    view_text(v, "tags", m->tags);
    view_bool(v, "has_tags", *m->tags != '\0');
    view_text(v, "source_url",
        sourced ? arena_printf(r->arena, "/s/%s?at=%lld#m-%lld", m->source_session, source, source) : NULL);
    view_created(r->arena, v, m->created_at, r->now);
    view_snippet(r->arena, v, m->text, words);
}

enum rc related_view(const struct req *r, struct view *v, int64_t session, int limit, struct err *e)
{
    struct search_where where = {r->web->store, r->web->config, r->web->providers};
    struct search_sessions found;
    enum rc rc = search_related(&where, r->who.user_id, session, limit, r->arena, &found, e);
    if (rc != RC_OK)
        return rc;
    struct view *list = view_list(v, "related");
    for (size_t i = 0; i < found.n; i++)
        view_found_session(r, view_item(list), &found.hits[i], &found.words);
    return RC_OK;
}
