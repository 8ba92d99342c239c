/* Where a conversation was shortened: what stands for the older part, and that part as it was. */
#include "app/session/session_actions.h"
#include "web/summary/compaction_resource.h"
#include "web/page/pages.h"
#include "web/chat/transcript.h"

/* Of the newest messages that were read, those that the compaction itself replaced. */
static void keep_replaced(struct transcript *t, const struct compaction *c)
{
    while (t->n && t->messages[0].id < c->first_id) {
        t->messages++;
        t->n--;
        t->older = 0;
    }
    if (t->older && t->older < c->first_id)
        t->older = 0;
}

enum rc page_compaction(struct req *r, struct resp *out, struct err *e)
{
    struct session s;
    struct compaction c;
    struct transcript t;
    struct view *v;
    int64_t before = req_int(r, F_BEFORE);
    enum rc rc = compaction_find(r, &s, &c, e);
    if (rc == RC_OK && before && (before < c.first_id || before > c.last_id))
        return err_set(e, RC_NOT_FOUND, "message %lld was not replaced there", (long long)before);
    struct transcript_want want = {.session = s.pub, .before = before ? before : c.last_id};
    if (rc == RC_OK)
        rc = transcript_read(r, &want, &t, e);
    if (rc == RC_OK)
        rc =
            page_view(r, arena_printf(r->arena, "What the model reads of %s", s.title ? s.title : "New chat"),
                AT_NONE, s.id, &v, e);
    if (rc != RC_OK)
        return rc;
    keep_replaced(&t, &c);
    view_session(r->arena, view_obj(v, "session"), &s, r->now);
    struct view *shown = view_obj(v, "compaction");
    compaction_view(r, shown, &s, &c);
    transcript_view(r, &t, v);
    const char *url = arena_printf(r->arena, "/s/%s/compactions/%lld", s.pub, (long long)c.id);
    view_text(v, "older_url",
        t.older ? arena_printf(r->arena, "%s?before=%lld#messages", url, (long long)t.older) : NULL);
    view_text(v, "newer_url", before ? arena_printf(r->arena, "%s#messages", url) : NULL);
    return resp_page(r, out, 200, "compaction", v, e);
}

enum rc page_compact(struct req *r, struct resp *out, struct err *e)
{
    const char *session = req_text(r, F_SESSION);
    struct err why = ERR_INIT;
    enum rc rc = chat_compact(
        r->web->store, r->web->config, r->who.user_id, session, req_text(r, F_KEEP), r->now, &why);
    if (rc == RC_OK)
        page_done(out, arena_printf(r->arena, "/s/%s", session), "compact_asked");
    else if (page_can_say(rc))
        return page_chat_show(r, out, &(struct chat_trouble){.why = &why}, e);
    else
        *e = why;
    return rc;
}
