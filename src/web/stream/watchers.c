#include "web/stream/watchers.h"

#include "codec/sse.h"
#include "web/http/resource.h"

#define WATCH_EVENT_MAX 1024

static void write_event(struct strbuf *out, const char *name, const struct view *v)
{
    AUTO_STRBUF json;
    strbuf_init(&json, WATCH_EVENT_MAX);
    view_json(v, &json);
    sse_write(out, name, NULL, strbuf_str(&json));
}

void watch_state(struct strbuf *out, int64_t head_id)
{
    AUTO(arena) a = arena_new();
    struct view *v = view_new(a);
    view_id(a, v, "head", head_id);
    write_event(out, "state", v);
}

static void began_event(struct strbuf *out, const struct turn_started *s)
{
    AUTO(arena) a = arena_new();
    struct view *v = view_new(a);
    view_text(v, "turn", s->turn);
    view_id(a, v, "asked", s->asked_id);
    view_id(a, v, "reply", s->reply_id);
    view_id(a, v, "parent", s->parent_id);
    write_event(out, "began", v);
}

void watchers_attach(struct watchers *w, struct loop *l, struct reader *r, const struct turn_started *running)
{
    if (!reader_open(r, l, &w->list, &w->all) || !running)
        return;
    AUTO_STRBUF event;
    strbuf_init(&event, WATCH_EVENT_MAX);
    began_event(&event, running);
    reader_send(r, strbuf_str(&event));
}

void watchers_began(struct watchers *w, const struct turn_started *s)
{
    AUTO_STRBUF event;
    strbuf_init(&event, WATCH_EVENT_MAX);
    began_event(&event, s);
    for (struct reader *r = w->list, *next; r; r = next) {
        next = r->next;
        if (r->session_id == s->session_id)
            reader_send(r, strbuf_str(&event));
    }
}

void watchers_ping(struct watchers *w)
{
    readers_send(w->list, EVENTS_PAGE, SSE_PING);
}
