/* The page "Your data": all that is a person's out of the house, and conversations from elsewhere into it. */
#include "web/page/pages.h"
#include "web/transfer/transfer_view.h"
#include "web/chat/message_view.h"

#define MIB (1024 * 1024)

/* `why`: what was wanted could not be done. */
static enum rc show(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    struct view *v;
    bool going = false;
    enum rc rc = page_view(r, "Your data", AT_ACCOUNT, 0, &v, e);
    if (rc == RC_OK)
        rc = transfers_view(r, view_list(v, "transfers"), &going, e);
    if (rc != RC_OK)
        return rc;
    const struct view *list = view_get(v, STR("transfers"));
    view_bool(v, "any", view_truthy(list));
    view_bool(v, "any_going", going);
    view_int(v, "most_mb", r->web->config->limits.import_bytes / MIB);
    return why ? page_problem(r, out, "data", v, why, e) : resp_page(r, out, 200, "data", v, e);
}

enum rc page_data(struct req *r, struct resp *out, struct err *e)
{
    return show(r, out, NULL, e);
}

/* Back to the page: with a notice, or with what went wrong. */
static enum rc back(
    struct req *r, struct resp *out, enum rc rc, const struct err *why, const char *done, struct err *e)
{
    if (rc == RC_OK)
        page_done(out, "/data", done);
    else if (page_can_say(rc))
        return show(r, out, why, e);
    else
        *e = *why;
    return rc;
}

enum rc page_data_export(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    struct transfer t;
    struct err why = ERR_INIT;
    enum rc rc = transfer_export(r->web->store, r->web->config, r->who.user_id, &from, r->arena, &t, &why);
    return back(r, out, rc, &why, "export_asked", e);
}

enum rc page_data_import(struct req *r, struct resp *out, struct err *e)
{
    struct transfer t;
    struct err why = ERR_INIT;
    enum rc rc = transfer_take_upload(r, &t, &why);
    return back(r, out, rc, &why, "import_asked", e);
}

enum rc page_data_delete(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    enum rc rc =
        transfer_delete(r->web->store, r->web->config, r->who.user_id, req_text(r, F_TRANSFER), &from, e);
    if (rc == RC_OK)
        page_done(out, "/data", "transfer_deleted");
    return rc;
}

enum rc page_data_file(struct req *r, struct resp *out, struct err *e)
{
    return transfer_send_file(r, out, e);
}
