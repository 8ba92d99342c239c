#include "web/session/session_list.h"

#include "store/session/workspace.h"
#include "web/http/respond.h"
#include "web/http/web.h"
#include "web/page/sidebar.h"

static const char *const shows[] = {
    [SESSIONS_LISTED] = "listed",
    [SESSIONS_ARCHIVED_BY_USER] = "hidden",
    [SESSIONS_ACTIVE] = "active",
    [SESSIONS_ARCHIVED] = "archived",
    [SESSIONS_ALL] = "all",
};

static const char *const sorts[] = {[SESSIONS_BY_ACTIVITY] = "activity", [SESSIONS_BY_CREATION] = "created"};

static void note(struct session_list *l, const char *text)
{
    if (l->notes_n < SESSION_LIST_NOTES)
        l->notes[l->notes_n++] = text;
}

/* Turns a failure into a note, for a page. */
static enum rc forgive(const struct req *r, struct session_list *l, enum rc rc, struct err *e)
{
    if (rc != RC_BAD_INPUT || l->use == SESSION_LIST_API)
        return rc;
    note(l, public_text(r, e));
    return RC_OK;
}

/* The place of a word in a list; -1: none. */
static int place_of(struct str word, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_is(word, words[i]))
            return (int)i;
    return -1;
}

static enum rc read_show(const struct req *r, struct session_filter *f, struct err *e)
{
    if (!req_str(r, F_SHOW).len)
        return RC_OK;
    int i = place_of(req_str(r, F_SHOW), shows, ARRAY_LEN(shows));
    if (i < 0)
        return err_say(e, RC_BAD_INPUT, "form.show_sessions");
    f->show = (enum session_show)i;
    return RC_OK;
}

static enum rc read_sort(const struct req *r, struct session_filter *f, struct err *e)
{
    if (!req_str(r, F_SORT).len)
        return RC_OK;
    int i = place_of(req_str(r, F_SORT), sorts, ARRAY_LEN(sorts));
    if (i < 0)
        return err_say(e, RC_BAD_INPUT, "form.sort_sessions");
    f->sort = (enum session_sort)i;
    return RC_OK;
}

static enum rc read_place(const struct req *r, struct session_page *p, struct err *e)
{
    p->newer = req_str(r, F_NEWER).len > 0;
    struct str key = req_str(r, p->newer ? F_NEWER : F_AFTER);
    if ((p->newer || req_has(r, F_AFTER)) && !session_key_parse(key, &p->from)) {
        *p = (struct session_page){.limit = p->limit, .brief = p->brief};
        return err_say(e, RC_BAD_INPUT, "form.bad_after");
    }
    return RC_OK;
}

/* ---- the query ---- */

static const char *part(const struct req *r, const char *so_far, const char *name, struct str value)
{
    value = str_trim(value);
    if (value.len == 0)
        return so_far;
    bool negated = value.s[0] == '-' && strcmp(name, "is") == 0;
    value = negated ? str_from(value, 1) : value;
    return arena_printf(r->arena, "%s%s%s%s:%s", so_far, *so_far ? " " : "", negated ? "-" : "", name,
        query_quoted(r->arena, value));
}

struct str session_list_query(const struct req *r)
{
    const char *q = "";
    for (struct str rest = req_str(r, F_TAGS); rest.len;)
        q = part(r, q, "tag", str_cut(&rest, ','));
    for (struct str rest = req_str(r, F_IS); rest.len;)
        q = part(r, q, "is", str_cut(&rest, ','));
    q = part(r, q, "model", req_str(r, F_MODEL));
    q = part(r, q, "channel", req_str(r, F_CHANNEL));
    /* The words come last: an open quotation mark in them would include the parts behind it. */
    struct str words = req_str(r, F_Q);
    return str_of(arena_printf(r->arena, "%s%s%.*s", q, *q && words.len ? " " : "", STR_FMT(words)));
}

static enum rc check_notices(const struct req *r, struct session_list *l, struct err *e)
{
    for (size_t i = 0; i < l->query.notices_n; i++) {
        const struct search_notice *n = &l->query.notices[i];
        if (l->use == SESSION_LIST_API)
            return err_say(e, RC_BAD_INPUT, n->key, arg_text("name", n->name));
        note(l, lang_fill(r->arena, r->lang, n->key, LANG_ARGS({"name", n->name})));
    }
    return RC_OK;
}

/* `workspace`: the field with the workspace of the list. A workspace in the query replaces it. */
static struct session_filter filter_of(
    const struct req *r, const struct search_query *q, enum field workspace)
{
    struct session_filter f = search_query_filter(r->arena, q);
    if (q->parts.n == 0)
        f.show = SESSIONS_LISTED;
    if (req_str(r, workspace).len && !f.workspace.is)
        f.workspace.is = req_text(r, workspace);
    return f;
}

static enum rc read_filter(const struct req *r, struct db *db, struct session_list *l, struct err *e)
{
    l->q = session_list_query(r);
    const struct search_input typed = {r->who.user_id, r->now, r->zone, l->q};
    enum rc rc = search_query_read(db, r->arena, &typed, &l->query, e);
    if (rc == RC_OK)
        rc = check_notices(r, l, e);
    if (rc != RC_OK)
        return rc;
    l->filter = filter_of(r, &l->query, F_WORKSPACE);
    l->workspace = req_str(r, F_WORKSPACE).len ? req_text(r, F_WORKSPACE) : NULL;
    rc = forgive(r, l, read_show(r, &l->filter, e), e);
    if (rc == RC_OK)
        rc = forgive(r, l, read_sort(r, &l->filter, e), e);
    return rc;
}

enum rc session_list_filter(const struct req *r, struct session_filter *out, struct err *e)
{
    struct search_query query;
    const struct search_input typed = {r->who.user_id, r->now, r->zone, req_str(r, F_Q)};
    struct db *db = store_read(r->web->store);
    enum rc rc = search_query_read(db, r->arena, &typed, &query, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    if (query.notices_n)
        return err_say(e, RC_BAD_INPUT, query.notices[0].key, arg_text("name", query.notices[0].name));
    *out = filter_of(r, &query, F_WITHIN);
    return read_show(r, out, e);
}

const char *session_list_show(const struct session_list *l)
{
    return shows[l->filter.show];
}

/* ---- the page ---- */

/* The extra row only shows that there are more. */
static void cut(const struct req *r, struct session_list *l, const struct session_page *p, size_t limit)
{
    bool more = l->n > limit, first = !p->from.at && !p->from.id;
    if (more && p->newer)
        l->rows++;
    l->n -= more;
    if (!l->n)
        return;
    if (p->newer || more)
        l->next = session_key_text(r->arena, session_key_of(&l->rows[l->n - 1], l->filter.sort));
    if (p->newer ? more : !first)
        l->newer = session_key_text(r->arena, session_key_of(&l->rows[0], l->filter.sort));
}

/* Reads a page. When at most one page of rows precedes the key of F_NEWER, that is the first page. */
static enum rc read_rows(
    const struct req *r, struct db *db, struct session_page p, struct session_list *l, struct err *e)
{
    size_t limit = (size_t)p.limit++;
    enum rc rc = store_session_list(db, r->arena, r->who.user_id, &l->filter, &p, &l->rows, &l->n, e);
    if (rc == RC_OK && p.newer && l->n <= limit) {
        p = (struct session_page){.limit = p.limit, .brief = p.brief};
        rc = store_session_list(db, r->arena, r->who.user_id, &l->filter, &p, &l->rows, &l->n, e);
    }
    if (rc == RC_OK)
        cut(r, l, &p, limit);
    return rc;
}

/* For the menus of the filter. */
static enum rc read_choices(const struct req *r, struct db *db, struct session_list *l, struct err *e)
{
    int64_t owner = r->who.user_id;
    enum rc rc = store_tag_list(db, r->arena, owner, &l->tags, &l->tags_n, e);
    if (rc == RC_OK)
        rc = store_session_models(db, r->arena, owner, &l->models, &l->models_n, e);
    if (rc == RC_OK)
        rc = store_session_channels(db, r->arena, owner, &l->channels, &l->channels_n, e);
    return rc;
}

enum rc session_list_read(
    const struct req *r, enum session_list_use use, struct session_list *out, struct err *e)
{
    *out = (struct session_list){.use = use};
    struct session_page p = {.limit = req_has(r, F_LIMIT) ? (int)req_int(r, F_LIMIT) : SESSION_LIST_ROWS,
        .brief = use == SESSION_LIST_PAGE};
    struct db *db = store_read_state(r->web->store);
    enum rc rc = read_filter(r, db, out, e);
    if (rc == RC_OK)
        rc = forgive(r, out, read_place(r, &p, e), e);
    if (rc == RC_OK && !out->query.trashed)
        rc = read_rows(r, db, p, out, e);
    if (rc == RC_OK)
        rc = store_workspace_list(db, r->arena, r->who.user_id, &out->workspaces, &out->workspaces_n, e);
    if (rc == RC_OK && use == SESSION_LIST_PAGE)
        rc = read_choices(r, db, out, e);
    store_read_done(r->web->store, db);
    return rc;
}
