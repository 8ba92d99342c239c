#include "web/reminder/calendar_routes.h"

#include "app/calendar/calendar.h"
#include "web/http/conditional.h"
#include "web/http/respond.h"
#include "web/http/web.h"
#include "web/page/pages.h"
#include "web/reminder/reminder_page.h"

#define LINK_CHARS_MAX 80
#define FILE_END       ".ics"

/* ---- the feed, for everybody with its address ---- */

static enum rc calendar(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    struct calendar_feed feed;
    struct str link = req_str(r, F_LINK), end = STR(FILE_END);
    if (link.len < end.len || !str_is((struct str){link.s + link.len - end.len, end.len}, FILE_END))
        return err_set(e, RC_NOT_FOUND, "there is no calendar at this address");
    const char *token = arena_strndup(r->arena, link.s, link.len - end.len);
    enum rc rc = calendar_find(r->web->store, r->web->config, token, &from, &feed, e);
    if (rc != RC_OK)
        return rc;
    AUTO_STRBUF text;
    strbuf_init(&text, CALENDAR_BYTES_MAX);
    struct db *db = store_read(r->web->store);
    rc = calendar_write(db, r->web->config, feed.owner, r->now, &text, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    const char *tag =
        arena_printf(r->arena, "\"%016llx\"", (unsigned long long)str_hash(strbuf_str(&text), 0));
    out->type = "text/calendar; charset=utf-8";
    out->cache = "private, no-cache";
    out->referrer = "no-referrer";
    resp_header(out, "ETag", "%s", tag);
    resp_header(out, "X-Robots-Tag", "noindex, nofollow, noarchive");
    if (conditional_is_known(r, tag))
        out->status = HTTP_NOT_MODIFIED;
    else
        strbuf_addstr(&out->body, strbuf_str(&text));
    return RC_OK;
}

/* ---- its owner ---- */

/* The answer shows the address, once. */
static enum rc page_renew(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    char token[TOKEN_SIZE];
    enum rc rc = calendar_renew(r->web->store, r->who.user_id, &from, token, e);
    return rc == RC_OK ? reminders_show(r, out, token, NULL, e) : rc;
}

/* RC_NOT_FOUND counts as success: another tab has ended it already. */
static enum rc page_end(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    enum rc rc = calendar_end(r->web->store, r->who.user_id, &from, e);
    return rc == RC_OK || rc == RC_NOT_FOUND ? page_done(out, "/reminders", "calendar_ended") : rc;
}

static const struct field_rule calendar_fields[] = {
    {.field = F_LINK, .type = FIELD_LINE, .required = true, .max = LINK_CHARS_MAX},
    {.field = F_NONE},
};

static const struct route routes[] = {
    {HTTP_GET, "/calendar/{link}", calendar, PAGE_READ(ACCESS_PUBLIC), calendar_fields},
    {HTTP_POST, "/reminders/calendar", page_renew, PAGE_CHANGE(ACCESS_MEMBER), no_fields},
    {HTTP_POST, "/reminders/calendar/end", page_end, PAGE_CHANGE(ACCESS_MEMBER), no_fields},
};

const struct route_table calendar_routes = {routes, ARRAY_LEN(routes)};
