/* Forms of the chat page that work without script: changing and deleting a message. */
#include "app/session/session_actions.h"
#include "app/trash/trash.h"
#include "web/chat/chat_routes.h"
#include "web/chat/pages_chat.h"
#include "web/chat/transcript.h"
#include "web/http/resource.h"
#include "web/page/pages.h"

enum rc page_message_delete(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    const char *session = req_text(r, F_SESSION), *url = session_url(r->arena, session);
    char entry[ID_SIZE];
    struct err why = ERR_INIT;
    enum rc rc = trash_message(
        r->web->store, r->web->config, r->who.user_id, session, req_int(r, F_MESSAGE), &from, entry, &why);
    if (rc == RC_OK)
        return page_deleted(r, out, url, "message_deleted", entry);
    if (page_can_say(rc))
        return page_chat_show(r, out, &(struct chat_trouble){.why = &why}, e);
    *e = why;
    return rc;
}

/* F_AT is the message here: the button is in the form of /s/{session}/edit, which sends F_MESSAGE in its
 * body. F_PARENT is the end of the shown branch, absent for the session's own branch. The redirect returns
 * to it, except to a new version of an answer. */
enum rc page_message_text(struct req *r, struct resp *out, struct err *e)
{
    const char *session = req_text(r, F_SESSION);
    int64_t at = req_int(r, F_AT), edited = at;
    struct err why = ERR_INIT;
    enum rc rc = session_edit_text(r->web->store, r->web->config, r->who.user_id, session, at,
        req_str(r, F_TEXT), MESSAGE_TYPED, &edited, &why);
    long long id = (long long)edited;
    if (rc == RC_OK && req_has(r, F_PARENT) && edited == at)
        resp_redirect(out, "/s/%s?at=%lld&message=%lld&done=saved#m-%lld", session,
            (long long)req_int(r, F_PARENT), id, id);
    else if (rc == RC_OK)
        resp_redirect(out, "/s/%s?at=%lld&done=saved#m-%lld", session, id, id);
    else if (page_can_say(rc))
        return page_chat_show(r, out, &(struct chat_trouble){.why = &why, .text = req_text(r, F_TEXT)}, e);
    else
        *e = why;
    return rc;
}

/* Continues with one of two compared answers. */
enum rc page_message_choose(struct req *r, struct resp *out, struct err *e)
{
    const char *session = req_text(r, F_SESSION);
    struct err why = ERR_INIT;
    enum rc rc =
        session_set_head(r->web->store, r->web->config, r->who.user_id, session, req_int(r, F_MESSAGE), &why);
    if (rc == RC_OK)
        resp_redirect(out, "/s/%s", session);
    else if (page_can_say(rc))
        return page_chat_show(r, out, &(struct chat_trouble){.why = &why}, e);
    else
        *e = why;
    return rc;
}
