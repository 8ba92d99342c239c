#include "web/session/session_list.h"

#include "store/session/workspace.h"
#include "web/http/web.h"
#include "web/page/sidebar.h"

static const char *const shows[] = {
    [SESSIONS_LISTED] = "listed",
    [SESSIONS_HIDDEN] = "hidden",
    [SESSIONS_ACTIVE] = "active",
    [SESSIONS_ARCHIVED] = "archived",
    [SESSIONS_ALL] = "all",
};

static enum rc read_show(const struct req *r, enum session_show *out, struct err *e)
{
    *out = req_str(r, F_Q).len ? SESSIONS_ALL : SESSIONS_LISTED;
    if (!req_str(r, F_SHOW).len)
        return RC_OK;
    for (size_t i = 0; i < ARRAY_LEN(shows); i++)
        if (str_is(req_str(r, F_SHOW), shows[i])) {
            *out = (enum session_show)i;
            return RC_OK;
        }
    return err_say(e, RC_BAD_INPUT, "form.show_sessions");
}

enum rc session_list_read(const struct req *r, struct session_list *out, struct err *e)
{
    *out = (struct session_list){0};
    struct session_key after = {0};
    if (req_has(r, F_AFTER) && !session_key_parse(req_str(r, F_AFTER), &after))
        return err_say(e, RC_BAD_INPUT, "form.bad_after");
    const char *match = req_str(r, F_Q).len ? req_text(r, F_Q) : NULL;
    int limit = req_has(r, F_LIMIT) ? (int)req_int(r, F_LIMIT) : SESSION_LIST_ROWS;
    enum rc rc = read_show(r, &out->show, e);
    if (rc != RC_OK)
        return rc;
    struct db *db = store_read(r->web->store);
    out->workspace = req_str(r, F_WORKSPACE).len ? req_text(r, F_WORKSPACE) : NULL;
    struct session_filter f = {.show = out->show, .workspace = {.is = out->workspace}, .words = match};
    rc = store_session_list(db, r->arena, r->who.user_id, &f,
        &(struct session_page){.from = after, .limit = limit + 1}, &out->rows, &out->n, e);
    if (rc == RC_OK)
        rc = store_workspace_list(db, r->arena, r->who.user_id, &out->workspaces, &out->workspaces_n, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK || out->n <= (size_t)limit)
        return rc;
    out->n = (size_t)limit; /* the extra row only shows that there are more */
    out->next = session_key_text(r->arena, session_key_of(&out->rows[out->n - 1], f.sort));
    return RC_OK;
}
