#include "app/mcp/remote_call.h"

#include <stdlib.h>

#include "mcp/mcp_message.h"

struct remote_link {
    struct remote_link *prev, *next; /* the one that was used last comes first */
    struct mcp_link link;
    size_t server;
    int64_t owner;
    int calls; /* running ones */
};

struct remote_client {
    struct awaited_client awaits;
    const struct mcp_servers *servers;
    struct mcp_client *mcp;
    struct remote_link *first, *last;
    size_t links_n;
};

/* ---- the call as a value ---- */

static const char *dumped(struct arena *a, const json_t *value)
{
    AUTO_FREE char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    return arena_strdup(a, text ? text : "null");
}

void remote_call_want(struct remote_call *r, const struct connected_tool *tool, const json_t *args)
{
    AUTO(json_t) name = json_string(tool->name);
    AUTO(json_t) schema = NULL;
    size_t n = 0;
    r->awaited.wanted = true;
    r->tool = tool;
    r->arena = arena_new();
    r->params = arena_printf(
        r->arena, "\"name\":%s,\"arguments\":%s", dumped(r->arena, name), dumped(r->arena, args));
    r->headers = ARENA_ARRAY(r->arena, struct http_header, MCP_PARAMS_MAX + 1);
    r->headers[0] = (struct http_header){"Mcp-Name", mcp_header_value(r->arena, str_of(tool->name))};
    if (json_parse(str_of(tool->offer.schema), MCP_SCHEMA_MAX, &schema, NULL) == RC_OK)
        mcp_param_headers(r->arena, schema, args, r->headers + 1, &n);
    r->headers_n = n + 1;
}

void remote_call_release(struct remote_call *r)
{
    awaited_release(&r->awaited);
    mcp_answer_release(&r->answer);
    arena_free(r->arena);
    r->arena = NULL;
}

/* ---- kept sessions ---- */

static void take_out(struct remote_client *c, struct remote_link *l)
{
    *(l->prev ? &l->prev->next : &c->first) = l->next;
    *(l->next ? &l->next->prev : &c->last) = l->prev;
    l->prev = l->next = NULL;
}

static void put_first(struct remote_client *c, struct remote_link *l)
{
    l->next = c->first;
    *(c->first ? &c->first->prev : &c->last) = l;
    c->first = l;
}

/* At most REMOTE_CALLS_MAX are in use. */
static void drop_oldest(struct remote_client *c)
{
    struct remote_link *l = c->last;
    while (l && l->calls)
        l = l->prev;
    if (!l || c->links_n < REMOTE_LINKS_MAX)
        return;
    take_out(c, l);
    free(l);
    c->links_n--;
}

static struct remote_link *link_of(struct remote_client *c, const struct remote_call *r)
{
    struct remote_link *l = c->first;
    while (l && (l->server != r->tool->server || l->owner != r->awaited.owner))
        l = l->next;
    if (l) {
        take_out(c, l);
    } else {
        drop_oldest(c);
        l = xcalloc(1, sizeof *l);
        l->server = r->tool->server;
        l->owner = r->awaited.owner;
        c->links_n++;
    }
    put_first(c, l);
    if (l->link.era == MCP_ERA_UNKNOWN)
        l->link.era = r->tool->era;
    return l;
}

/* ---- running ---- */

static void on_answer(void *arg, const struct mcp_answer *answer)
{
    struct remote_call *r = arg;
    r->answer = *answer;
    json_incref(r->answer.result);
    r->link->calls--;
    r->call = NULL;
    if (answer->rc != RC_OK)
        *err_kept(&r->awaited.err) = answer->err;
    awaited_end(&r->awaited, answer->rc);
}

static void start(struct awaited *w)
{
    struct remote_call *r = (struct remote_call *)w;
    struct remote_client *c = (struct remote_client *)w->client;
    r->link = link_of(c, r);
    r->link->calls++;
    struct mcp_request q = {.server = &c->servers->list[r->tool->server],
        .link = &r->link->link,
        .method = "tools/call",
        .params = str_of(r->params),
        .headers = r->headers,
        .headers_n = r->headers_n,
        .repeats = r->tool->reads};
    r->call = mcp_start(c->mcp, &q, on_answer, r);
}

static void cancel(struct awaited *w)
{
    struct remote_call *r = (struct remote_call *)w;
    if (r->call)
        mcp_cancel(r->call);
}

static void free_client(struct awaited_client *a)
{
    struct remote_client *c = (struct remote_client *)a;
    for (struct remote_link *l = c->first, *next; l; l = next) {
        next = l->next;
        free(l);
    }
    mcp_client_free(c->mcp);
    free(c);
}

struct awaited_client *remote_client_new(struct loop *l, const struct mcp_servers *s)
{
    struct remote_client *c = xcalloc(1, sizeof *c);
    *c = (struct remote_client){
        .awaits = {.loop = l,
            .running = {.max = REMOTE_CALLS_MAX, .max_per_user = REMOTE_CALLS_PER_USER},
            .busy = "Too many tools are being called at the moment. Try again later.",
            .start = start,
            .cancel = cancel,
            .free = free_client},
        .servers = s,
        .mcp = mcp_client_new(l, s->allowed, s->allowed_n)};
    return &c->awaits;
}
