/* The pages for choosing and connecting models. */
#include "web/models/models_routes.h"

#include <stdatomic.h>
#include <string.h>
#include <strings.h>

#include "app/models/model_lists.h"
#include "app/models/provider_test.h"
#include "base/clock.h"
#include "base/humanize.h"
#include "codec/url.h"
#include "web/http/resource.h"
#include "web/http/web.h"
#include "web/models/models_resource.h"
#include "web/page/pages.h"

#define MODELS_SHOWN     100 /* on one page; a search finds others */
#define MODELS_LIMIT_MAX 1000
#define MODELS_Q_MAX     200
#define CONNECT_SHOWN    12    /* models of each provider on the page for connecting */
#define TEST_LIMIT_MS    20000 /* limit of a test from the page; it holds a thread */

/* True when every word of F_Q is in the label, the name or the provider's label. */
static bool matches(const struct provider_choice *c, const struct lang *l, struct str q)
{
    char word[MODELS_Q_MAX * 4 + 1];
    while (q.s) {
        struct str w = str_trim(str_cut(&q, ' '));
        if (w.len == 0 || w.len >= sizeof word)
            continue;
        memcpy(word, w.s, w.len);
        word[w.len] = '\0';
        if (!strcasestr(provider_choice_label(c, l), word) && !strcasestr(c->value, word) &&
            !strcasestr(c->source->label, word))
            return false;
    }
    return true;
}

static const char *source_words(const struct lang *l, const char *from)
{
    const char *key = model_source_key(from);
    return key ? lang_text(l, key) : from;
}

/* The known facts: "32,768 tokens, tools, images". */
static const char *facts_of(
    const struct req *r, const struct provider_choice *c, const char *reads, const char *no_tools)
{
    const struct lang *l = r->lang;
    return arena_printf(r->arena, "%s%s%s%s", reads,
        c->tools == LLM_YES  ? lang_text(l, "models.tools")
        : c->tools == LLM_NO ? no_tools
                             : "",
        c->images == LLM_YES ? lang_text(l, "models.images") : "",
        c->reasoning == LLM_YES ? lang_text(l, "models.reasoning") : "");
}

/* The facts on the page for choosing a model. `several` providers: with the name of the provider. */
static const char *facts(const struct req *r, const struct provider_choice *c, bool several)
{
    const char *reads = lang_count(r->arena, r->lang, "models.reads", c->window, NULL);
    if (several)
        reads = arena_printf(r->arena, "%s · %s", c->source->label, reads);
    return facts_of(r, c, reads, lang_text(r->lang, "models.no_tools"));
}

/* The facts on the page for connecting a provider: with their sources. */
static const char *facts_with_sources(const struct req *r, const struct provider_choice *c)
{
    struct arena *a = r->arena;
    const struct lang *l = r->lang;
    const char *reads = lang_count(
        a, l, "models.reads_from", c->window, LANG_ARGS({"source", source_words(l, c->window_from)}));
    return facts_of(r, c, reads,
        c->tools == LLM_NO
            ? lang_fill(a, l, "models.no_tools_from", LANG_ARGS({"source", source_words(l, c->tools_from)}))
            : "");
}

/* ---- all models ---- */

static const char *url_of(const struct req *r, const struct provider_choice *c)
{
    const char *back =
        req_str(r, F_SESSION).len ? arena_printf(r->arena, "/s/%s", req_text(r, F_SESSION)) : "/";
    return URL_WITH(r->arena, back, {field_name(F_CHOICE), str_of(c->value)});
}

static enum rc page_models(struct req *r, struct resp *out, struct err *e)
{
    struct view *v;
    const struct provider_list *all = providers_list(r->web->providers);
    bool several = models_have_several_providers(r->web->providers);
    size_t found = 0;
    enum rc rc = page_view(r, lang_text(r->lang, "models.title"), AT_NONE, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    view_text(v, "q", req_str(r, F_Q).len ? req_text(r, F_Q) : NULL);
    view_text(v, "session", req_str(r, F_SESSION).len ? req_text(r, F_SESSION) : NULL);
    view_text(v, "message", req_str(r, F_SESSION).len ? id_text(r->arena, req_int(r, F_MESSAGE)) : NULL);
    struct view *list = view_list(v, "models");
    for (size_t i = 0; i < all->n; i++) {
        if (!matches(all->choices[i], r->lang, req_str(r, F_Q)) || found++ >= MODELS_SHOWN)
            continue;
        struct view *item = view_item(list);
        view_text(item, "label", provider_choice_label(all->choices[i], r->lang));
        view_text(item, "facts", facts(r, all->choices[i], several));
        view_text(item, "url", url_of(r, all->choices[i]));
        view_text(item, "value", all->choices[i]->value);
    }
    view_text(v, "found",
        found > MODELS_SHOWN ? lang_count(r->arena, r->lang, "models.first", (int64_t)found,
                                   LANG_ARGS({"shown", humanize_number(r->arena, r->lang, MODELS_SHOWN)}))
                             : lang_count(r->arena, r->lang, "count.models", (int64_t)found, NULL));
    return resp_page(r, out, 200, "models", v, e);
}

static enum rc api_models(struct req *r, struct resp *out, struct err *e)
{
    const struct provider_list *all = providers_list(r->web->providers);
    size_t limit = req_has(r, F_LIMIT) ? (size_t)req_int(r, F_LIMIT) : MODELS_SHOWN, found = 0;
    struct view *v = view_new(r->arena), *list = view_list(v, "models");
    for (size_t i = 0; i < all->n; i++)
        if (matches(all->choices[i], r->lang, req_str(r, F_Q)) && found++ < limit)
            choice_resource(view_item(list), usual_choice(r), all->choices[i]);
    view_int(v, "total", (int64_t)found);
    return resp_json(out, 200, v, e);
}

/* ---- providers ---- */

static bool has_small_ollama_window(const struct provider_choice *c)
{
    return c->window == LLM_OLLAMA_WINDOW && strcmp(c->window_from, "Ollama's default") == 0;
}

static void view_models(const struct req *r, struct view *item, const struct provider_source *s)
{
    const struct provider_list *all = providers_list(r->web->providers);
    struct view *list = view_list(item, "models");
    size_t n = 0;
    bool small = false;
    for (size_t i = 0; i < all->n; i++) {
        const struct provider_choice *c = all->choices[i];
        if (c->source != s)
            continue;
        small |= has_small_ollama_window(c);
        if (n++ >= CONNECT_SHOWN)
            continue;
        struct view *row = view_item(list);
        view_text(row, "label", c->label);
        view_text(row, "facts", facts_with_sources(r, c));
    }
    if (small)
        view_text(item, "hint", lang_text(r->lang, "models.ollama_window"));
    if (n >= LLM_MODELS_MAX)
        view_text(item, "hint", lang_count(r->arena, r->lang, "models.list_cut", LLM_MODELS_MAX, NULL));
    if (n > CONNECT_SHOWN)
        view_text(item, "more_url",
            URL_WITH(r->arena, "/models", {field_name(F_Q), str_of(arena_printf(r->arena, "%s/", s->name))}));
}

/* A provider that was tested for this page. */
struct tested {
    const struct provider_source *source; /* NULL: none was */
    struct provider_report report;
};

static void view_report(const struct req *r, struct view *item, const struct provider_report *report)
{
    static const char *const icons[] = {
        [FINDING_OK] = "check", [FINDING_WRONG] = "alert", [FINDING_NOTE] = "note"};
    struct view *list = view_list(item, "findings");
    const char *verdict = report->works   ? (report->chats ? "models.answers" : "models.works")
                          : report->chats ? "models.partly"
                                          : "models.silent";
    view_text(item, "verdict", lang_text(r->lang, verdict));
    for (size_t i = 0; i < report->n; i++) {
        const struct finding *f = &report->list[i];
        struct view *row = view_item(list);
        view_text(row, "subject", lang_text(r->lang, f->subject));
        view_text(row, "state", finding_state_word(f->state));
        view_text(row, "icon", icons[f->state]);
        view_text(row, "text", said_words(r->arena, r->lang, f->said));
    }
}

static void view_provider(const struct req *r, struct db *db, struct view *list,
    const struct provider_source *s, const struct tested *tested)
{
    struct model_list_row known = {0};
    enum rc rc = store_model_list_get(db, r->arena, s->name, &known, NULL);
    bool listed = rc == RC_OK && known.listed_at > 0;
    if (s->found_only && (!listed || known.failure) && s != tested->source)
        return;
    const struct locale l = req_locale(r);
    struct view *item = view_item(list);
    view_text(item, "name", s->name);
    view_text(item, "label", s->label);
    view_text(item, "failure",
        rc == RC_OK && s != tested->source ? said_words(r->arena, r->lang, known.failure) : NULL);
    view_text(item, "status",
        arena_printf(r->arena, "%s%s%s. %s", s->settings.base_url, listed && *known.server ? ", " : "",
            listed ? known.server : "",
            listed ? lang_fill(r->arena, r->lang, "models.listed_ago",
                         LANG_ARGS({"ago", humanize_ago(r->arena, &l, known.listed_at)}))
                   : lang_text(r->lang, "models.not_listed")));
    if (s == tested->source)
        view_report(r, item, &tested->report);
    view_models(r, item, s);
}

static enum rc show_providers(
    struct req *r, struct resp *out, const struct tested *tested, const struct err *why, struct err *e)
{
    struct view *v;
    const struct providers *p = r->web->providers;
    enum rc rc = page_view(r, lang_text(r->lang, "connect.title"), AT_NONE, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    view_bool(v, "offline", providers_offline(p));
    struct view *list = view_list(v, "providers");
    struct db *db = store_read(r->web->store);
    for (size_t i = 0; i < p->sources_n; i++)
        if (model_list_is_asked(&p->sources[i]))
            view_provider(r, db, list, &p->sources[i], tested);
    store_read_done(r->web->store, db);
    view_int(v, "test_seconds", TEST_LIMIT_MS / MS_PER_S);
    return why ? page_problem(r, out, "connect", v, why, e) : resp_page(r, out, 200, "connect", v, e);
}

static enum rc page_connect(struct req *r, struct resp *out, struct err *e)
{
    return show_providers(r, out, &(struct tested){0}, NULL, e);
}

/* One test at a time, so that tests never hold all threads of the program. */
static enum rc page_test(struct req *r, struct resp *out, struct err *e)
{
    const struct provider_source *s = providers_source(r->web->providers, req_text(r, F_NAME));
    struct provider_test t = {.config = r->web->config,
        .providers = r->web->providers,
        .store = r->web->store,
        .source = s,
        .limit_ms = TEST_LIMIT_MS};
    struct tested tested = {.source = s};
    struct err why = ERR_INIT;
    if (!s || !model_list_is_asked(s))
        return err_set(e, RC_NOT_FOUND, "there is no such provider");
    if (atomic_exchange(&r->web->testing_provider, true)) {
        err_say(&why, RC_UNAVAILABLE, "models.test_runs");
        return show_providers(r, out, &(struct tested){0}, &why, e);
    }
    enum rc rc = provider_test_run(&t, r->arena, &tested.report, e);
    atomic_store(&r->web->testing_provider, false);
    return rc == RC_OK ? show_providers(r, out, &tested, NULL, e) : rc;
}

static const struct field_rule models_fields[] = {
    {.field = F_Q, .type = FIELD_LINE, .max = MODELS_Q_MAX},
    {.field = F_SESSION, .type = FIELD_ID_SESSION},
    {.field = F_MESSAGE, .type = FIELD_ID_ROW},
    {.field = F_NONE},
};

static const struct field_rule api_fields[] = {
    {.field = F_Q, .type = FIELD_LINE, .max = MODELS_Q_MAX},
    {.field = F_LIMIT, .type = FIELD_INT, .min = 1, .max = MODELS_LIMIT_MAX},
    {.field = F_NONE},
};

static const struct field_rule test_fields[] = {
    {.field = F_NAME, .type = FIELD_LINE, .required = true},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_GET,  "/connect",      page_connect, PAGE_READ(ACCESS_MEMBER),   no_fields},
    {HTTP_POST, "/connect/test", page_test,    PAGE_CHANGE(ACCESS_MEMBER), test_fields},
    {HTTP_GET,  "/models",       page_models,  PAGE_READ(ACCESS_MEMBER),   models_fields},
    {HTTP_GET,  "/api/models",   api_models,   API_READ(ACCESS_MEMBER, SCOPE_READ | SCOPE_CHAT),    api_fields},
};
/* clang-format on */

const struct route_table models_routes = {routes, ARRAY_LEN(routes)};
