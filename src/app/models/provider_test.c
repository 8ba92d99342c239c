/*
 * Sends the requests of the test one after the other. A request ends at its first token, to save cost. The
 * one with a tool continues to the first text or call, because a reasoning model calls after its reasoning.
 */
#include "app/models/provider_test.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "app/models/model_lists.h"
#include "app/models/provider_test_private.h"
#include "app/models/speech.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/log.h"

#define CONNECT_MS    10000
#define WIRE_MAX      ((size_t)1024 * 1024)
#define NS_PER_MS     1000000L
#define QUESTION      "This is a test of the connection. Answer with the word: ready"
#define TOOL_QUESTION "This is a test. Call the tool ready, and say nothing else."
#define TOOL_NAME     "ready"
#define TOOL_ABOUT    "Tells the user's program that you can call tools."
#define TOOL_SCHEMA   "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}"

/* ---- one request ---- */

struct talk {
    struct loop *loop;
    struct tested *out;
    int64_t begun;
    bool to_call; /* continues during reasoning */
    bool over;
};

static void end(struct talk *k, enum rc rc)
{
    if (!k->over)
        k->out->rc = rc;
    k->over = true;
    loop_stop(k->loop);
}

static void hear(struct talk *k)
{
    if (k->out->first_ms < 0)
        k->out->first_ms = clock_mono_ms() - k->begun;
}

static void on_event(void *arg, const struct llm_event *ev)
{
    struct talk *k = arg;
    if (k->over)
        return;
    switch (ev->kind) {
    case LLM_REASONING:
        hear(k);
        if (!k->to_call)
            end(k, RC_OK);
        break;
    case LLM_CALL:
    case LLM_TEXT:
        k->out->called = ev->kind == LLM_CALL;
        hear(k);
        end(k, RC_OK);
        break;
    case LLM_RETRY:
        k->out->problem = ev->problem; /* reported if the time limit ends the test during the wait */
        break;
    case LLM_ERROR:
        k->out->problem = ev->problem;
        k->out->why = *ev->err;
        end(k, ev->err->rc);
        break;
    case LLM_END: end(k, RC_OK); break;
    case LLM_SEARCH:
    case LLM_READING:
    case LLM_OPAQUE:
    case LLM_USAGE: break;
    }
}

static void on_time_up(void *arg, uint32_t events)
{
    struct talk *k = arg;
    (void)events;
    end(k, k->out->first_ms < 0 ? err_set(&k->out->why, RC_CANCELLED, "the time is up") : RC_OK);
}

static struct http_limits limits_of(const struct config *c)
{
    return (struct http_limits){.connect_ms = CONNECT_MS,
        .first_ms = (int)(c->turn.first_byte_seconds * MS_PER_S),
        .silence_ms = (int)(c->turn.silence_seconds * MS_PER_S),
        .total_ms = (int)(c->turn.total_minutes * MS_PER_MIN),
        .body_max = WIRE_MAX};
}

static enum rc talk(struct testing *g, const struct llm_request *r, struct talk *k, struct err *e)
{
    const struct providers *p = g->t->providers;
    const struct provider_source *s = g->t->source;
    AUTO(loop) loop = NULL;
    AUTO(http_client) http = NULL; /* freed before the loop */
    AUTO(llm_provider) provider = NULL;
    struct loop_watch *stop = NULL;
    struct llm_call *call = NULL;
    struct llm_settings settings = s->settings;
    settings.limits = limits_of(g->t->config);
    enum rc rc = loop_new(&loop, e);
    if (rc != RC_OK)
        return rc;
    k->loop = loop;
    http = http_client_new(loop, p->allowed, p->allowed_n);
    rc = llm_provider_new(s->kind, &settings, loop, http, &provider, e);
    if (rc == RC_OK && g->stop_fd)
        rc = loop_watch_new(loop, g->stop_fd, EPOLLIN, on_time_up, k, &stop, e);
    if (rc == RC_OK)
        rc = llm_start(provider, r, on_event, k, &call, e);
    if (rc == RC_OK)
        loop_run(loop);
    llm_call_free(call);
    loop_watch_free(stop);
    return rc;
}

enum question { PLAIN_QUESTION, QUESTION_WITH_TOOL };

static void ask_at(struct testing *g, struct llm_request *r, bool responses, struct tested *out)
{
    struct talk k = {.out = out, .begun = clock_mono_ms(), .to_call = r->tools_n > 0};
    *out = (struct tested){.asked = true, .first_ms = -1};
    provider_choice_api(g->choice, responses, r);
    enum rc rc = talk(g, r, &k, &out->why);
    if (rc != RC_OK)
        out->rc = rc;
}

/* Follows a refusal as a chat does: to /responses, and back when there is none, and to another form of the
 * request. */
static void ask(struct testing *g, enum question question, struct tested *out)
{
    const char *text = question == QUESTION_WITH_TOOL ? TOOL_QUESTION : QUESTION;
    struct llm_message message = {.role = LLM_USER, .text = str_of(text)};
    struct llm_tool tool = {TOOL_NAME, TOOL_ABOUT, TOOL_SCHEMA};
    struct llm_request r = {.model = g->choice->model,
        .messages = &message,
        .messages_n = 1,
        .tools = &tool,
        .tools_n = question == QUESTION_WITH_TOOL ? 1 : 0,
        .max_tokens = (int)g->t->config->context.answer_tokens,
        .form = g->form,
        .now_ms = clock_wall_ms()};
    ask_at(g, &r, g->choice->responses, out);
    if (out->problem == LLM_PROBLEM_NO_RESPONSES && g->choice->may_learn) {
        ask_at(g, &r, false, out);
    } else if (out->problem == LLM_PROBLEM_RESPONSES && g->choice->may_learn) {
        struct tested refused = *out;
        ask_at(g, &r, true, out);
        if (out->problem == LLM_PROBLEM_NO_RESPONSES)
            *out = refused;
    }
    while (llm_form_adapt(&r.form, &g->choice->form, out->problem))
        ask_at(g, &r, r.responses, out);
    g->form = r.form;
}

/* ---- the parts ---- */

static void ask_list(struct testing *g)
{
    const struct provider_test *t = g->t;
    int64_t first_ms = t->config->turn.first_byte_seconds * MS_PER_S;
    int limit_ms = first_ms < LLM_LIST_SILENCE_MS ? (int)first_ms : LLM_LIST_SILENCE_MS;
    struct model_list_row row = {.server = ""};
    g->list = (struct tested){.asked = true};
    g->list.rc = model_list_ask(t->providers, t->source, t->store, g->stop_fd, limit_ms, &g->list.why);
    struct db *db = store_read(t->store);
    providers_refresh(t->providers, db);
    if (g->list.rc == RC_OK && store_model_list_get(db, g->arena, t->source->name, &row, NULL) == RC_OK &&
        store_models_read(db, g->arena, t->source->name, &g->models, &g->models_n, NULL) != RC_OK)
        g->models_n = 0;
    store_read_done(t->store, db);
    g->server = row.server;
}

static void choose(struct testing *g)
{
    const struct providers *p = g->t->providers;
    const struct provider_choice *standard = providers_default(p);
    if (g->t->model)
        g->choice = providers_find(p, arena_printf(g->arena, "%s/%s", g->t->source->name, g->t->model));
    else
        g->choice =
            standard->source == g->t->source ? standard : providers_by_name(p, g->t->source->name, NULL);
    g->tools_before = g->choice ? g->choice->tools : LLM_UNKNOWN;
    if (g->choice) /* a restarted server may stream now; no message of the test is a system message */
        g->form = (struct llm_form){.other_limit = g->choice->form.other_limit,
            .no_system = g->choice->form.no_system,
            .no_null = g->choice->form.no_null};
}

static bool is_for_chats(const struct provider_test *t)
{
    const struct config *c = t->config;
    const struct provider_source *s = t->source;
    const char *others[] = {c->embedding.provider, c->speech.provider, c->drawing.provider};
    struct str standard = str_of(c->models.default_model);
    bool has_other_use = false;
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        has_other_use |= strcmp(others[i], s->name) == 0;
    return !has_other_use || !s->set || t->model || s->model || s->set->models.n ||
           str_eq(str_cut(&standard, '/'), str_of(s->name));
}

/* A stored refusal lasts for weeks, but a restarted server may support tools now. */
static void learn_tools(struct testing *g)
{
    enum llm_fact now = g->tools.rc == RC_OK                       ? LLM_YES
                        : g->tools.problem == LLM_PROBLEM_NO_TOOLS ? LLM_NO
                                                                   : LLM_UNKNOWN;
    if (now == LLM_UNKNOWN || now == g->tools_before || (now == LLM_YES && g->tools_before == LLM_UNKNOWN))
        return;
    (void)provider_choice_learn(g->t->store, g->choice, (struct model_learned_row){.tools = (int)now});
}

static void learn_form(struct testing *g)
{
    int now = provider_learned_form(&g->form);
    if (now != provider_learned_form(&g->choice->form))
        (void)provider_choice_learn(g->t->store, g->choice, (struct model_learned_row){.form = now});
}

static void ask_embedding(struct testing *g)
{
    const struct config *c = g->t->config;
    struct embedder m;
    struct str text = STR("ready");
    float *v;
    if (strcmp(c->embedding.provider, g->t->source->name) != 0)
        return;
    g->embedding.asked = true;
    g->embedding.rc = embedder_configured(c, g->t->providers, &m, &g->embedding.why);
    m.stop_fd = g->stop_fd;
    if (g->embedding.rc == RC_OK)
        g->embedding.rc = embedder_documents(&m, g->arena, &text, 1, &v, &g->dimension, &g->embedding.why);
}

/* A second of silence costs next to nothing, also where recordings have a price. */
static void ask_speech(struct testing *g)
{
    const struct config *c = g->t->config;
    struct speech s;
    struct llm_transcribe r;
    struct llm_transcript t;
    if (strcmp(c->speech.provider, g->t->source->name) != 0)
        return;
    g->speech.asked = true;
    g->speech.rc = speech_configured(c, g->t->providers, &s, &g->speech.why);
    g->speech_model = s.model;
    if (g->speech.rc == RC_OK)
        g->speech.rc = speech_request(&s, speech_silence(g->arena), NULL, &r, &g->speech.why);
    r.stop_fd = g->stop_fd;
    if (g->speech.rc == RC_OK)
        g->speech.rc = llm_transcribe(&r, g->arena, &t, &g->speech.why);
}

static bool all_works(const struct testing *g, bool chats)
{
    bool tried = g->embedding.asked || g->speech.asked;
    if ((g->embedding.asked && g->embedding.rc != RC_OK) || (g->speech.asked && g->speech.rc != RC_OK))
        return false;
    return chats || (!g->is_for_chats && (tried || g->list.rc == RC_OK || g->list.rc == RC_NOT_FOUND));
}

static enum rc start_clock(int limit_ms, int *fd, struct err *e)
{
    struct itimerspec at = {
        .it_value = {.tv_sec = limit_ms / MS_PER_S, .tv_nsec = limit_ms % MS_PER_S * NS_PER_MS}};
    *fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (*fd < 0 || timerfd_settime(*fd, 0, &at, NULL) != 0)
        return err_set(e, RC_INTERNAL, "timerfd: %s", strerror(errno));
    return RC_OK;
}

enum rc provider_test_run(
    const struct provider_test *t, struct arena *a, struct provider_report *out, struct err *e)
{
    struct testing g = {.t = t, .arena = a};
    AUTO_FD clock = -1;
    *out = (struct provider_report){0};
    if (t->limit_ms) {
        enum rc rc = start_clock(t->limit_ms, &clock, e);
        if (rc != RC_OK)
            return rc;
        g.stop_fd = clock;
    }
    g.is_for_chats = is_for_chats(t);
    ask_list(&g);
    choose(&g);
    if (g.choice && g.list.rc != RC_TIMEOUT && g.list.rc != RC_CANCELLED)
        ask(&g, PLAIN_QUESTION, &g.chat);
    out->chats = g.chat.asked && g.chat.rc == RC_OK;
    if (out->chats && provider_test_tries_tools(&g)) {
        ask(&g, QUESTION_WITH_TOOL, &g.tools);
        learn_tools(&g);
    }
    if (out->chats)
        learn_form(&g);
    if (g.list.rc != RC_TIMEOUT && g.list.rc != RC_CANCELLED) {
        ask_embedding(&g);
        ask_speech(&g);
    }
    out->works = all_works(&g, out->chats);
    provider_findings(&g, out);
    return RC_OK;
}
