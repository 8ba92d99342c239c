#include "web/api.h"
#include "web/transfer/transfer_view.h"

static enum rc answer(struct req *r, struct resp *out, int status, const char *pub, struct err *e)
{
    struct view *v = view_new(r->arena);
    enum rc rc = transfer_view_one(r, view_obj(v, "transfer"), pub, e);
    return rc == RC_OK ? resp_json(out, status, v, e) : rc;
}

enum rc api_exports(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    struct transfer t;
    enum rc rc = transfer_export(r->web->store, r->web->config, r->who.user_id, &from, r->arena, &t, e);
    return rc == RC_OK ? answer(r, out, 202, t.pub, e) : rc;
}

enum rc api_imports(struct req *r, struct resp *out, struct err *e)
{
    struct transfer t;
    enum rc rc = transfer_take_upload(r, &t, e);
    return rc == RC_OK ? answer(r, out, 202, t.pub, e) : rc;
}

enum rc api_transfers(struct req *r, struct resp *out, struct err *e)
{
    struct view *v = view_new(r->arena);
    enum rc rc = transfers_view(r, view_list(v, "transfers"), NULL, e);
    return rc == RC_OK ? resp_json(out, 200, v, e) : rc;
}

enum rc api_transfer(struct req *r, struct resp *out, struct err *e)
{
    return answer(r, out, 200, req_text(r, F_TRANSFER), e);
}

enum rc api_transfer_file(struct req *r, struct resp *out, struct err *e)
{
    return transfer_send_file(r, out, e);
}

enum rc api_transfer_delete(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    enum rc rc =
        transfer_delete(r->web->store, r->web->config, r->who.user_id, req_text(r, F_TRANSFER), &from, e);
    return rc == RC_OK ? resp_json(out, 200, view_new(r->arena), e) : rc;
}
