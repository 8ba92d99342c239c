/* Messages whose answer nobody needs, and the headers of all messages. */
#include "mcp/mcp_private.h"

#include <stdlib.h>

struct mcp_post {
    struct mcp_client *client;
    struct mcp_post *prev, *next;
    struct http_call *http;
    loop_fn *done;
    void *arg;
};

static void leave(struct mcp_post *p)
{
    if (p->prev)
        p->prev->next = p->next;
    else
        p->client->posts = p->next;
    if (p->next)
        p->next->prev = p->prev;
    free(p);
}

static bool on_data(void *arg, struct str piece)
{
    (void)arg;
    (void)piece;
    return false; /* the status is enough */
}

static void on_done(void *arg, enum rc rc, const struct err *e)
{
    struct mcp_post *p = arg;
    loop_fn *done = p->done;
    void *of = p->arg;
    (void)rc;
    (void)e;
    leave(p);
    if (done)
        done(of);
}

size_t mcp_headers(const struct mcp_server *s, const struct mcp_link *link, bool stateless,
    const char *method, struct http_header *out)
{
    size_t n = 0;
    for (size_t i = 0; i < s->headers_n && n + 6 < MCP_HEADERS_MAX; i++)
        out[n++] = s->headers[i];
    out[n++] = (struct http_header){"Content-Type", "application/json"};
    out[n++] = (struct http_header){"Accept", "application/json, text/event-stream"};
    if (stateless) {
        out[n++] = (struct http_header){"MCP-Protocol-Version", MCP_STATELESS_VERSION};
        out[n++] = (struct http_header){"Mcp-Method", method};
    } else if (link->open) {
        out[n++] = (struct http_header){"MCP-Protocol-Version", link->version};
        if (*link->session)
            out[n++] = (struct http_header){"Mcp-Session-Id", link->session};
    }
    return n;
}

void mcp_post(struct mcp_client *c, const struct mcp_server *s, const struct mcp_link *link, struct str body,
    loop_fn *done, void *arg)
{
    static const struct http_callbacks cb = {.on_data = on_data, .on_done = on_done};
    struct http_header headers[MCP_HEADERS_MAX];
    struct mcp_post *p = xcalloc(1, sizeof *p);
    *p = (struct mcp_post){.client = c, .next = c->posts, .done = done, .arg = arg};
    if (p->next)
        p->next->prev = p;
    c->posts = p;
    struct http_request r = {.method = body.len ? "POST" : "DELETE",
        .server = s->label,
        .url = s->url,
        .body = body,
        .headers = headers,
        .headers_n = mcp_headers(s, link, false, NULL, headers),
        .limits = {.connect_ms = MCP_CONNECT_MS,
            .silence_ms = MCP_CONNECT_MS,
            .total_ms = MCP_CONNECT_MS,
            .body_max = MCP_BODY_MAX},
        .ca_file = s->ca_file,
        .system_too = true,
        .once = true};
    struct err e = ERR_INIT;
    if (http_start(c->http, &r, &cb, p, &p->http, &e) == RC_OK)
        return;
    leave(p);
    if (done)
        loop_post(c->loop, done, arg);
}

void mcp_posts_free(struct mcp_client *c)
{
    while (c->posts) {
        http_cancel(c->posts->http);
        leave(c->posts);
    }
}
