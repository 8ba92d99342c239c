/* Calls that block, for programs without a loop of their own. */
#include "mcp/mcp_private.h"

struct blocking {
    struct loop *loop;
    struct mcp_answer *out;
};

static void keep(void *arg, const struct mcp_answer *answer)
{
    struct blocking *b = arg;
    *b->out = *answer;
    json_incref(b->out->result);
    loop_stop(b->loop);
}

void mcp_run(struct loop *l, struct mcp_client *c, const struct mcp_request *r, struct mcp_answer *out)
{
    struct blocking b = {l, out};
    mcp_start(c, r, keep, &b);
    loop_run(l);
}

void mcp_answer_release(struct mcp_answer *a)
{
    json_decref(a->result);
    a->result = NULL;
}

static void on_left(void *arg)
{
    loop_stop(arg);
}

void mcp_run_end(struct loop *l, struct mcp_client *c, const struct mcp_server *s, struct mcp_link *link)
{
    if (!link->open || !*link->session)
        return;
    mcp_post(c, s, link, STR(""), on_left, l);
    loop_run(l);
    link->open = false;
}
