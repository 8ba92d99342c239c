/* The memory page: the facts that Alfred stores about the user, with all actions. */
#include <stdlib.h>

#include "app/jobs/helper_notify.h"
#include "base/letter.h"
#include "codec/url.h"
#include "web/memory/memory_list.h"
#include "web/memory/memory_page.h"
#include "web/page/pages.h"
#include "web/suggestion/suggestion_view.h"

#define TAGS_SHOWN 64

/* The list with another tag or from another fact on; the query is kept. */
static const char *list_url(const struct req *r, struct str tag, int64_t after)
{
    const char *from = after ? arena_printf(r->arena, "%lld", (long long)after) : "";
    return URL_WITH(r->arena, "/memory", {field_name(F_Q), req_str(r, F_Q)}, {field_name(F_TAG), tag},
        {field_name(F_AFTER), str_of(from)});
}

static bool is_in(const struct str *tags, size_t n, struct str tag)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(tags[i], tag))
            return true;
    return false;
}

static int by_name(const void *a, const void *b)
{
    return letter_compare_names(*(const struct str *)a, *(const struct str *)b);
}

static void view_tags(const struct req *r, struct view *v, const struct memories *l)
{
    struct view *list = view_list(v, "all_tags");
    struct str tags[TAGS_SHOWN];
    size_t n = 0;
    for (size_t i = 0; i < l->tag_lines_n; i++) {
        struct str rest = str_of(l->tag_lines[i]);
        while (rest.s && n < TAGS_SHOWN) {
            struct str tag = str_cut(&rest, ' ');
            if (!is_in(tags, n, tag))
                tags[n++] = tag;
        }
    }
    if (n > 1)
        qsort(tags, n, sizeof *tags, by_name);
    for (size_t i = 0; i < n; i++) {
        struct view *item = view_item(list);
        bool current = str_eq(req_str(r, F_TAG), tags[i]);
        view_str(item, "name", tags[i]);
        view_text(item, "url", list_url(r, current ? STR("") : tags[i], 0));
        view_bool(item, "current", current);
    }
    view_bool(v, "any_tags", n > 0);
}

/* After a refused edit its form is on the page, also when the fact is not among the newest. */
static enum rc add_edited(const struct req *r, struct memories *l, struct err *e)
{
    struct memory m;
    for (size_t i = 0; i < l->n; i++)
        if (l->rows[i].id == req_int(r, F_MEMORY))
            return RC_OK;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_memory_get(db, r->arena, r->who.user_id, req_int(r, F_MEMORY), r->now, &m, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    l->rows = arena_with_first(r->arena, &m, l->rows, l->n, sizeof m);
    l->n++;
    return RC_OK;
}

/* `why`: the error of an action. */
static enum rc show(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    static const char *const facts[] = {SUGGESTION_REMEMBER, NULL};
    struct memories l;
    struct view *v;
    enum rc rc = memories_read(r, &l, e);
    if (rc == RC_OK && why && req_has(r, F_MEMORY))
        rc = add_edited(r, &l, e);
    if (rc == RC_OK)
        rc = page_view(r, lang_text(r->lang, "script_later.memory"), AT_MEMORY, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    bool whole = !req_str(r, F_Q).len && !req_str(r, F_TAG).len && !req_has(r, F_AFTER);
    view_bool(v, "any", l.n > 0);
    view_bool(v, "adds", whole && !l.n);
    view_bool(v, "paused", l.paused);
    view_text(v, "q", req_str(r, F_Q).len ? req_text(r, F_Q) : NULL);
    view_text(v, "tag", req_str(r, F_TAG).len ? req_text(r, F_TAG) : NULL);
    view_bool(v, "filtered", !whole);
    view_text(v, "next_url", l.next ? list_url(r, req_str(r, F_TAG), l.next) : NULL);
    if (whole && !l.paused && (rc = suggestions_view(r, facts, v, e)) != RC_OK)
        return rc;
    view_tags(r, v, &l);
    struct view *list = view_list(v, "memories");
    for (size_t i = 0; i < l.n; i++)
        memory_view(r, view_item(list), &l.rows[i]);
    return why ? page_problem(r, out, "memory", v, why, e) : resp_page(r, out, 200, "memory", v, e);
}

enum rc page_memory(struct req *r, struct resp *out, struct err *e)
{
    return show(r, out, NULL, e);
}

static enum rc finish(
    struct req *r, struct resp *out, enum rc rc, const struct err *why, const char *done, struct err *e)
{
    if (rc != RC_OK)
        return page_again(r, out, show, why, e);
    helper_notify(r->web->config->server.data_dir); /* the fact's vector is made */
    return page_done(out, page_list_path(r, "/memory"), done);
}

enum rc page_memory_add(struct req *r, struct resp *out, struct err *e)
{
    struct memory_input in = memory_input_of(r, 0);
    struct memory m;
    struct err why = ERR_INIT;
    bool merged = false;
    enum rc rc = memory_add(r->web->store, &in, r->arena, &m, &merged, &why);
    return finish(r, out, rc, &why, merged ? "memory_known" : "memory_added", e);
}

enum rc page_memory_change(struct req *r, struct resp *out, struct err *e)
{
    struct memory_input in = memory_input_of(r, req_int(r, F_MEMORY));
    struct memory m;
    struct err why = ERR_INIT;
    in.sets_permanent = true; /* an unticked box is not sent */
    enum rc rc = memory_change(r->web->store, &in, r->arena, &m, &why);
    return finish(r, out, rc, &why, "memory_saved", e);
}

enum rc page_memory_delete(struct req *r, struct resp *out, struct err *e)
{
    int64_t id = req_int(r, F_MEMORY);
    enum rc rc = memory_delete(r->web->store, r->who.user_id, id, r->now, e);
    return rc == RC_OK ? page_undoable(r, out, page_list_path(r, "/memory"), id, "memory_deleted") : rc;
}

enum rc page_memory_restore(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = memory_restore(r->web->store, r->who.user_id, req_int(r, F_MEMORY), r->now, e);
    if (rc == RC_OK)
        page_done(out, page_list_path(r, "/memory"), "memory_restored");
    return rc;
}

/* ---- all of it ---- */

static enum rc pause(struct req *r, struct resp *out, bool paused, struct err *e)
{
    enum rc rc = memory_pause(r->web->store, r->who.user_id, paused, r->now, e);
    if (rc == RC_OK)
        page_done(out, "/memory", paused ? "memory_paused" : "memory_resumed");
    return rc;
}

enum rc page_memory_pause(struct req *r, struct resp *out, struct err *e)
{
    return pause(r, out, true, e);
}

enum rc page_memory_resume(struct req *r, struct resp *out, struct err *e)
{
    return pause(r, out, false, e);
}

enum rc page_memory_clear_ask(struct req *r, struct resp *out, struct err *e)
{
    struct view *v;
    enum rc rc = page_view(r, lang_text(r->lang, "memory.clear_title"), AT_MEMORY, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    view_text(v, "title", lang_text(r->lang, "memory.clear_title"));
    view_text(v, "text", lang_text(r->lang, "memory.clear_text"));
    view_text(v, "action", "/memory/clear");
    view_text(v, "danger_label", lang_text(r->lang, "memory.clear"));
    view_text(v, "cancel_url", "/memory");
    view_list(v, "fields");
    return resp_page(r, out, 200, "confirm", v, e);
}

enum rc page_memory_clear(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = memory_clear(r->web->store, r->who.user_id, r->address, r->now, e);
    if (rc == RC_OK)
        page_done(out, "/memory", "memory_cleared");
    return rc;
}
