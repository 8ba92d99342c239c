#include "app/jobs/ask.h"

#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#include "app/usage/usage.h"
#include "base/clock.h"
#include "base/log.h"
#include "llm/llm.h"

#define WIRE_MAX   ((size_t)8 * 1024 * 1024) /* every token of reasoning is an event of a few hundred bytes */
#define CONNECT_MS 15000

#define BYTES_PER_TOKEN 3 /* as app/context estimates, which this folder must not include */

struct ask {
    struct loop *loop;
    struct strbuf *text;
    enum rc rc;
    struct err *e;
    int64_t window; /* window that a refusal reports; 0: none */
    bool over, cut; /* cut: at max_tokens */
    enum llm_problem problem;
    struct llm_tokens tokens;
};

static void end(struct ask *a, enum rc rc)
{
    if (!a->over)
        a->rc = rc;
    a->over = true;
    loop_stop(a->loop);
}

static void on_event(void *arg, const struct llm_event *ev)
{
    struct ask *a = arg;
    if (a->over)
        return;
    if (ev->kind == LLM_TEXT) {
        strbuf_addstr(a->text, ev->text);
        if (a->text->failed)
            end(a, err_set(a->e, RC_UPSTREAM, "the model's answer is over %zu bytes", a->text->cap));
    } else if (ev->kind == LLM_USAGE) {
        a->tokens = ev->tokens;
    } else if (ev->kind == LLM_ERROR) {
        *a->e = *ev->err;
        a->window = ev->problem == LLM_PROBLEM_TOO_LONG ? ev->window : 0;
        a->problem = ev->problem;
        end(a, ev->err->rc);
    } else if (ev->kind == LLM_END) {
        a->cut = ev->stop == LLM_STOP_LENGTH;
        bool refused = ev->stop == LLM_STOP_REFUSED || ev->stop == LLM_STOP_FILTERED;
        end(a, refused ? err_set(a->e, RC_UPSTREAM, "the model refused") : RC_OK);
    }
}

static void on_signal(void *arg, uint32_t events)
{
    struct ask *a = arg;
    (void)events;
    end(a, err_set(a->e, RC_CANCELLED, "the helper is stopping"));
}

static const struct provider_choice *connected(const struct provider_choice *c)
{
    return c && !provider_choice_is_offline(c) ? c : NULL;
}

const struct provider_choice *helper_model(const struct helper *h, const struct session *s)
{
    return s->provider ? helper_model_asked(h, s) : NULL;
}

const struct provider_choice *helper_model_asked(const struct helper *h, const struct session *s)
{
    const struct provider_choice *c =
        s->provider ? providers_by_name(h->providers, s->provider, s->model) : NULL;
    return connected(c ? c : providers_default(h->providers));
}

size_t helper_read_bytes(const struct provider_choice *c, size_t most)
{
    size_t half = (size_t)c->window / 2 * BYTES_PER_TOKEN;
    return half < most ? half : most;
}

/* All models of a provider share its limits. */
static struct provider_pause *pause_of(struct helper *h, const struct provider_source *s)
{
    return &h->pauses[s->index];
}

/* `m` has the learned limits. */
static void learn(struct helper *h, const struct provider_choice *c, struct model_learned_row m)
{
    if (!provider_choice_learn(h->store, c, m))
        return;
    struct db *db = store_read(h->store);
    providers_refresh(h->providers, db); /* the next job follows at once */
    store_read_done(h->store, db);
}

/* A request that could not be counted is not a reason to repeat it. */
static void count_tokens(struct helper *h, const struct provider_choice *c, const struct llm_tokens *n)
{
    struct err e = ERR_INIT;
    const struct usage_row row = {.quarter = clock_wall_ms() / USAGE_QUARTER_MS,
        .provider = c->name,
        .model = c->model,
        .background = true,
        .tokens_in = n->in,
        .tokens_out = n->out,
        .tokens_cached = n->cached,
        .tokens_reasoning = n->reasoning};
    if (h->owner && n->in + n->out > 0 && usage_count(h->store, h->owner, &row, &e) != RC_OK)
        log_warn("the tokens of a request to %s could not be counted: %s", c->value, e.text);
}

/* Changes a refused request to one that the model may take; false: there is none. may_refer: the server may
 * have /responses. */
static bool adapt(struct helper *h, const struct provider_choice *c, enum llm_problem problem,
    struct llm_request *r, bool *may_refer)
{
    if (problem == LLM_PROBLEM_RESPONSES && c->may_learn && !r->responses && *may_refer) {
        learn(h, c, (struct model_learned_row){.responses = LLM_YES});
        provider_choice_api(c, true, r);
        return true;
    }
    if (problem == LLM_PROBLEM_NO_RESPONSES && c->may_learn && r->responses) {
        *may_refer = false;
        learn(h, c, (struct model_learned_row){.responses = LLM_NO});
        provider_choice_api(c, false, r);
        return true;
    }
    if (llm_form_adapt(&r->form, &c->form, problem)) {
        learn(h, c, (struct model_learned_row){.form = provider_learned_form(&r->form)});
        return true;
    }
    bool dropped = r->effort && (problem == LLM_PROBLEM_NO_EFFORT || problem == LLM_PROBLEM_RESPONSES);
    if (dropped) /* a list of names may be wrong */
        r->effort = NULL;
    return dropped;
}

/* A refusal may change the request. */
static enum rc run(struct helper *h, const struct provider_choice *c, struct llm_provider *p,
    struct llm_request *r, bool *may_refer, struct strbuf *out, bool *cut, struct err *e)
{
    struct err why = ERR_INIT;
    struct ask a = {.loop = h->loop, .text = out, .e = &why};
    struct loop_watch *stop = NULL;
    struct llm_call *call = NULL;
    enum rc rc = loop_watch_new(h->loop, h->signal_fd, EPOLLIN, on_signal, &a, &stop, e);
    if (rc != RC_OK)
        return rc;
    if ((rc = llm_start(p, r, on_event, &a, &call, e)) == RC_OK) {
        loop_run(h->loop);
        if ((rc = a.rc) != RC_OK && e)
            *e = why;
        count_tokens(h, c, &a.tokens);
        if (a.window && a.window < c->window) /* the next attempt of the job cuts its input to it */
            learn(h, c, (struct model_learned_row){.window = a.window});
    }
    llm_call_free(call);
    loop_watch_free(stop);
    *cut = a.cut;
    if (!adapt(h, c, a.problem, r, may_refer))
        return rc;
    if (e)
        *e = ERR_INIT; /* the refusal is not the reason of what follows */
    return run(h, c, p, r, may_refer, out, cut, e);
}

static int reasoning_room(const struct provider_choice *c)
{
    return c->window / 2 < HELPER_REASONING_TOKENS ? (int)(c->window / 2) : HELPER_REASONING_TOKENS;
}

enum rc helper_may_ask(struct helper *h, const struct provider_source *s, struct err *e)
{
    const struct provider_pause *p = pause_of(h, s);
    int64_t now = clock_mono_ms(), until = p->until_ms;
    if (now >= until)
        return RC_OK;
    const char *key = p->away.next_ms ? "job.away" : "job.pause";
    enum rc rc = err_say(e, RC_RATE_LIMITED, key, arg_text("provider", s->name));
    if (e)
        e->retry_after_s = (int)((until - now + MS_PER_S - 1) / MS_PER_S);
    return rc;
}

static bool is_any_of(const struct err *why, const char *const *keys, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (err_is(why, keys[i]))
            return true;
    return false;
}

/* Nothing of the request was read, or the server serves nobody, or nobody with this key. A status such as 500
 * or a closed connection is not in the list, because the request can be its cause. */
static bool is_away(const struct err *why)
{
    static const char *const keys[] = {"server.no_address", "server.no_connection", "server.no_proxy",
        "server.slow_connect", "server.bad_certificate", "server.old_certificate", "server.other_certificate",
        "server.unknown_authority", "server.no_tls", "server.proxy_login", "server.proxy_refused",
        "provider.overloaded", "provider.loading", "provider.wrong_key", "provider.needs_key",
        "provider.no_credit"};
    return is_any_of(why, keys, ARRAY_LEN(keys));
}

/* The provider can be the cause, and the request, too. */
static bool is_broken(const struct err *why)
{
    static const char *const keys[] = {"provider.fault", "provider.unreadable", "provider.broke_off",
        "provider.too_much_at_once", "provider.redirect", "provider.vectors", "provider.dimensions",
        "provider.same_vector", "provider.bad_vector", "provider.zero_vector", "server.broke_off",
        "server.closed", "server.answer_too_long", "server.too_many_headers", "server.no_http"};
    return is_any_of(why, keys, ARRAY_LEN(keys));
}

/* Notes that a request of this job failed. True: those of HELPER_FAILING_MAX sessions have failed in a row.
 */
static bool fails_for_all(const struct helper *h, struct provider_pause *p)
{
    bool known = p->failing_n == HELPER_FAILING_MAX;
    for (size_t i = 0; !known && i < p->failing_n; i++)
        known = p->failing[i] == h->subject;
    if (!known)
        p->failing[p->failing_n++] = h->subject;
    return p->failing_n == HELPER_FAILING_MAX;
}

static int away_s(const struct helper *h, struct provider_pause *p)
{
    int64_t first_s = h->config->jobs.retry_seconds;
    p->away.first_ms = (first_s > 0 ? first_s : 1) * MS_PER_S;
    p->away.max_ms = HELPER_PAUSE_MAX_S * MS_PER_S;
    return (int)(backoff_next(&p->away) / MS_PER_S);
}

enum rc helper_heard(
    struct helper *h, const struct provider_source *s, enum helper_request request, struct err *why)
{
    struct provider_pause *p = pause_of(h, s);
    bool unreached = is_away(why), silent = !unreached && why->rc == RC_TIMEOUT;
    bool broken = silent || is_broken(why);
    bool away = unreached || (broken && (request == HARMLESS_REQUEST || fails_for_all(h, p)));
    if (away || silent) {
        int least_s = silent ? (int)h->config->turn.first_byte_seconds : 0; /* others have the lane as long */
        why->rc = away ? RC_RATE_LIMITED : RC_TIMEOUT;
        why->retry_after_s = away_s(h, p);
        why->retry_after_s = why->retry_after_s < least_s ? least_s : why->retry_after_s;
    } else {
        if (!broken) {
            p->failing_n = 0;
            backoff_reset(&p->away);
        }
        if (!broken && why->rc != RC_RATE_LIMITED)
            log_repeat_end(&p->log, s->name);
        if (why->rc != RC_RATE_LIMITED)
            return why->rc;
        if (why->retry_after_s <= 0)
            why->retry_after_s = HELPER_PAUSE_S;
        if (why->retry_after_s > HELPER_PAUSE_MAX_S)
            why->retry_after_s = HELPER_PAUSE_MAX_S;
    }
    p->until_ms = clock_mono_ms() + why->retry_after_s * MS_PER_S;
    if (why->rc == RC_RATE_LIMITED)
        log_repeat(&p->log, LOG_WARN, "jobs wait for %s: %s", s->name, why->text);
    return why->rc;
}

enum rc helper_ask(struct helper *h, const struct provider_choice *c, const char *system, struct str text,
    int max_tokens, struct strbuf *out, struct err *e)
{
    struct err why = ERR_INIT;
    enum rc may = helper_may_ask(h, c->source, e);
    if (may != RC_OK)
        return may;
    struct llm_settings s = c->source->settings;
    s.limits = (struct http_limits){.connect_ms = CONNECT_MS,
        .first_ms = (int)(h->config->turn.first_byte_seconds * MS_PER_S),
        .silence_ms = (int)(h->config->turn.silence_seconds * MS_PER_S),
        .total_ms = (int)(h->config->turn.total_minutes * MS_PER_MIN),
        .body_max = WIRE_MAX};
    AUTO(llm_provider) p = NULL;
    enum rc rc = llm_provider_new(c->kind, &s, h->loop, h->http, &p, &why);
    if (rc == RC_OK) {
        struct llm_message messages[] = {
            {.role = LLM_SYSTEM, .text = str_of(system)}, {.role = LLM_USER, .text = text}};
        struct llm_request r = {.model = c->model,
            .messages = messages,
            .messages_n = ARRAY_LEN(messages),
            .max_tokens = max_tokens + (c->reasoning == LLM_YES ? reasoning_room(c) : 0),
            .effort = c->effort ? "low" : NULL,
            .form = c->form,
            .now_ms = clock_wall_ms()};
        provider_choice_api(c, c->responses, &r);
        size_t before = out->len;
        bool cut = false, may_refer = true;
        rc = run(h, c, p, &r, &may_refer, out, &cut, &why);
        if (rc == RC_OK && cut && out->len == before && c->reasoning != LLM_YES) {
            r.max_tokens += reasoning_room(c);
            rc = run(h, c, p, &r, &may_refer, out, &cut, &why);
        }
    }
    if (rc != RC_OK)
        why.rc = rc;
    rc = helper_heard(h, c->source, ANY_REQUEST, &why);
    if (rc != RC_OK && e)
        *e = why;
    return rc;
}
