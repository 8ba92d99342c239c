/* The tool calls of a step: those that only read run at the same time, the others one by one and in order.
 * The functions of app/tools/tools.c are defined here. */
#include <pthread.h>

#include "engine.h"

#include "app/tools/tools.h"

#define CALLS_MAX 32

static struct {
    pthread_mutex_t lock;
    pthread_cond_t entered;
    int inside, reading;   /* calls that run; those of them that only read */
    int most, seen;        /* calls at once; calls so far */
    int wanted;            /* readers wait until this many calls ran at once */
    bool writer_beside;    /* a call that writes ran beside another */
    char order[CALLS_MAX]; /* the first letters of the tools, as they began */
    struct place *stops;   /* the first call stops its session; NULL: it does not */
} tools = {.lock = PTHREAD_MUTEX_INITIALIZER, .entered = PTHREAD_COND_INITIALIZER};

struct llm_tool *tools_offered_without(struct arena *a, int64_t window, unsigned denied, size_t *n)
{
    return tools_offered_with(a, window, denied, NULL, n);
}

bool tool_is_own(const char *name)
{
    (void)name;
    return true;
}

const struct connected_tool *tool_connected(const struct connected_tools *connected, const char *name)
{
    (void)connected;
    (void)name;
    return NULL;
}

struct llm_tool *tools_offered_with(
    struct arena *a, int64_t window, unsigned denied, const struct connected_tools *connected, size_t *n)
{
    (void)connected;
    (void)window;
    (void)denied;
    *n = 0;
    return ARENA_ARRAY(a, struct llm_tool, 1);
}

enum rc tool_sets_denied(const char *words, unsigned *out, struct err *e)
{
    (void)words;
    (void)e;
    *out = 0;
    return RC_OK;
}

unsigned tool_drawing_denied(const struct config *c)
{
    (void)c;
    return TOOL_SET_DRAWING;
}

unsigned tool_python_denied(const struct config *c)
{
    (void)c;
    return TOOL_SET_PYTHON;
}

unsigned tool_web_denied(const struct config *c)
{
    (void)c;
    return TOOL_SET_WEB;
}

bool tool_takes_time(const char *name)
{
    (void)name;
    return false;
}

bool tool_is_untrusted(const char *name)
{
    (void)name;
    return false;
}

bool tool_only_reads(const char *name)
{
    return name[0] == 'r';
}

const char *tool_subject(struct arena *a, const char *name, const char *args)
{
    (void)a;
    (void)name;
    (void)args;
    return "";
}

struct session_stop {
    struct place *place;
    int64_t session_id;
    int done;
};

static void stop_session_on_loop(void *arg)
{
    struct session_stop *s = arg;
    turn_stop_session(s->place->engine, s->session_id);
    note(s->place, &s->done);
}

static void stop_session(struct place *p, int64_t session_id)
{
    struct session_stop s = {.place = p, .session_id = session_id};
    loop_post(p->loop, stop_session_on_loop, &s);
    await(p, &s.done, 1);
}

void tool_run(const struct tool_context *c, const struct llm_tool_call *call, struct strbuf *out)
{
    if (tools.stops)
        stop_session(tools.stops, c->session_id);
    bool reads = tool_only_reads(call->name);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    pthread_mutex_lock(&tools.lock);
    tools.order[tools.seen++] = call->name[0];
    tools.inside++;
    tools.reading += reads;
    tools.most = tools.inside > tools.most ? tools.inside : tools.most;
    tools.writer_beside |= tools.inside != tools.reading && tools.inside > 1;
    pthread_cond_broadcast(&tools.entered);
    for (int rc = 0; reads && tools.most < tools.wanted && rc == 0;)
        rc = pthread_cond_timedwait(&tools.entered, &tools.lock, &until);
    tools.inside--;
    tools.reading -= reads;
    pthread_mutex_unlock(&tools.lock);
    strbuf_addf(out, "{\"ran\":\"%s\"}", call->name);
}

static void run_calls(const char *const *names, size_t n, int wanted, const char *settings)
{
    struct place p;
    struct turn_ticket t;
    memset(tools.order, 0, sizeof tools.order);
    tools.seen = tools.most = 0;
    tools.writer_beside = false;
    tools.wanted = wanted;
    new_place(&p, settings, NEVER);
    model.calls = n;
    model.tools = names;
    assert_ok(send(&p, NULL, &t));
    await(&p, &p.ended, 1);
    assert_int_equal(number(&p, "SELECT count(*) FROM message WHERE role = 'tool'"), tools.seen);
    assert_int_equal(number(&p, "SELECT count(*) FROM message WHERE role = 'tool' AND text = "
                                "'{\"ran\":\"' || tool || '\"}'"),
        tools.seen);
    assert_int_equal(number(&p, "SELECT length(text) FROM message ORDER BY id DESC LIMIT 1"), 10);
    leave(&p);
}

TEST(calls_that_only_read_run_at_the_same_time)
{
    static const char *const names[] = {"read_a", "read_b"};
    run_calls(names, 2, 2, "");
    assert_int_equal(tools.most, 2); /* the pool has two threads */
}

TEST(calls_that_write_run_alone_and_in_order)
{
    static const char *const names[] = {"write_a", "write_b", "read_a", "read_b", "write_c", "read_c"};
    run_calls(names, 6, 2, "");
    assert_false(tools.writer_beside);
    assert_string_equal(tools.order, "wwrrwr");
}

TEST(twenty_parallel_calls_end_at_the_limit_with_an_answer)
{
    static const char *names[20];
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        names[i] = i % 2 ? "read_a" : "write_a";
    run_calls(names, 20, 0, "[turn]\ntool_calls_max = 8\n");
    assert_int_equal(tools.seen, 8);
    run_calls(names, 20, 0, "[turn]\ntool_calls_max = 100\n");
    assert_int_equal(tools.seen, 16);
}

/* ---- a stop before the commit ---- */

static void answer_and_stop(void *arg)
{
    struct stopping *s = arg;
    speak(model.now);
    stop_on_loop(s);
}

/* In the transaction of the send: the model ends its answer, and the turn is stopped. */
static void stop_before_the_commit(struct db *db, void *arg, const struct turn_started *ids)
{
    struct place *p = arg;
    struct stopping s = {.place = p, .turn = ids->turn};
    (void)db;
    loop_post(p->loop, answer_and_stop, &s);
    await(p, &s.done, 1);
    assert_true(s.found);
}

TEST(a_turn_that_is_stopped_before_its_commit_runs_no_tool)
{
    static const char *const names[] = {"write_a"};
    struct place p;
    struct turn_ticket t;
    tools.seen = 0;
    new_place(&p, "", NEVER);
    model.waits = true;
    model.calls = 1;
    model.tools = names;
    struct turn_request r = {
        .kind = TURN_SEND, .owner = 1, .text = STR("Hello"), .look = stop_before_the_commit, .look_arg = &p};
    assert_ok(turn_send(p.engine, &r, &t, NULL));
    await(&p, &p.ended, 1);
    assert_int_equal(tools.seen, 0);
    assert_int_equal(number(&p, "SELECT count(*) FROM message WHERE status = 'stopped'"), 1);
    assert_int_equal(number(&p, "SELECT count(*) FROM message"), 2);
    leave(&p);
}

TEST(a_stop_while_a_tool_runs_leaves_out_the_calls_after_it)
{
    static const char *const names[] = {"write_a", "write_b", "read_a"};
    struct place p;
    struct turn_ticket t;
    tools.seen = tools.wanted = 0;
    new_place(&p, "", NEVER);
    tools.stops = &p;
    model.calls = 3;
    model.tools = names;
    assert_ok(send(&p, NULL, &t));
    await(&p, &p.ended, 1);
    tools.stops = NULL;
    assert_int_equal(tools.seen, 1);
    assert_int_equal(number(&p, "SELECT count(*) FROM message WHERE role = 'tool'"), 1);
    assert_int_equal(number(&p, "SELECT count(*) FROM message WHERE calls LIKE '%write_b%'"), 0);
    assert_int_equal(number(&p, "SELECT count(*) FROM message WHERE status = 'stopped'"), 1);
    leave(&p);
}
