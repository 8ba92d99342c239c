/* The list of choices: the models of alfred.toml and of the providers' lists, with all that is known of
 * each. */
#include <stdlib.h>
#include <string.h>

#include "app/models/providers_private.h"

#define WINDOW_DEFAULT "[context] model_window"

struct making {
    const struct config *c;
    const struct providers *p;
    const struct provider_known *known; /* of all sources; NULL: nothing is known */
    struct arena *a;
    struct provider_choice *choices;
    size_t n;
};

static const struct model_row *listed(const struct provider_known *k, const char *model)
{
    for (size_t i = 0; k && i < k->n; i++)
        if (strcmp(k->models[i].name, model) == 0)
            return &k->models[i];
    return NULL;
}

static const struct model_learned_row *learned(
    const struct provider_source *s, const struct provider_known *k, const char *model)
{
    for (size_t i = 0; k && i < k->learned_n; i++)
        if (strcmp(k->learned[i].name, model) == 0 &&
            strcmp(k->learned[i].base_url, s->settings.base_url) == 0)
            return &k->learned[i];
    return NULL;
}

const char *model_source_key(const char *from)
{
    static const struct {
        const char *from, *key;
    } sources[] = {{"a refusal", "model_source.refusal"}, {"a test", "model_source.test"},
        {"its family", "model_source.family"}, {"its list", "model_source.list"},
        {"Ollama's default", "model_source.ollama"}, {WINDOW_DEFAULT, "model_source.default"}};
    for (size_t i = 0; i < ARRAY_LEN(sources); i++)
        if (strcmp(from, sources[i].from) == 0)
            return sources[i].key;
    return NULL;
}

/* The most reliable source first: the owner, a refusal by the server, its list, the model family's table. */
static void set_window(struct provider_choice *c, const struct config *config, const struct model_row *row,
    const struct model_learned_row *of_refusal)
{
    const struct config_provider *set = c->source->set;
    int64_t family = llm_model_family_window(c->model);
    if (set && set->window) {
        c->window = set->window;
        c->window_from = "alfred.toml";
    } else if (of_refusal && of_refusal->window) {
        c->window = of_refusal->window;
        c->window_from = "a refusal";
    } else if (row && row->window) {
        c->window = row->window;
        c->window_from = row->window_from;
    } else if (family) {
        c->window = family;
        c->window_from = "its family";
    } else {
        c->window = config->context.model_window;
        c->window_from = WINDOW_DEFAULT;
    }
}

static enum config_offer tools_set(const struct config_provider *set, const char *model)
{
    return config_list_has(&set->without_tools, model) ? CONFIG_OFFER_NO
           : config_list_has(&set->with_tools, model)  ? CONFIG_OFFER_YES
                                                       : set->tools;
}

static void set_tools(
    struct provider_choice *c, const struct model_row *row, const struct model_learned_row *of_refusal)
{
    enum config_offer set = c->source->set ? tools_set(c->source->set, c->model) : CONFIG_OFFER_AUTO;
    if (set != CONFIG_OFFER_AUTO) {
        c->tools = set == CONFIG_OFFER_YES ? LLM_YES : LLM_NO;
        c->tools_from = "alfred.toml";
    } else if (of_refusal && of_refusal->tools) {
        c->tools = (enum llm_fact)of_refusal->tools;
        c->tools_from = c->tools == LLM_NO ? "a refusal" : "a test";
    } else if (row && row->tools) {
        c->tools = (enum llm_fact)row->tools;
        c->tools_from = "its list";
    }
}

/* A server names /responses for models that reason. */
static void set_api(struct provider_choice *c, const struct model_learned_row *of_refusal)
{
    enum config_api set = c->source->set ? c->source->set->api : CONFIG_API_AUTO;
    bool openai = strcmp(c->kind, "openai") == 0;
    bool learned_it = of_refusal && of_refusal->responses == LLM_YES;
    bool has_none = of_refusal && of_refusal->responses == LLM_NO;
    c->may_learn = openai && set == CONFIG_API_AUTO && !has_none;
    c->responses = openai && (set == CONFIG_API_RESPONSES || (c->may_learn && learned_it));
    if (learned_it && c->reasoning == LLM_UNKNOWN)
        c->reasoning = LLM_YES;
}

static void set_web_search(struct provider_choice *c)
{
    enum config_offer set = c->source->set ? c->source->set->web_search : CONFIG_OFFER_AUTO;
    bool has_it =
        set == CONFIG_OFFER_AUTO ? llm_searches_web(c->source->settings.base_url) : set == CONFIG_OFFER_YES;
    c->web_search = has_it && (c->responses || c->may_learn ||
                                  !llm_searches_by_responses(c->kind, c->source->settings.base_url));
}

/* The bits of model_learned.form. */
enum learned_form {
    FORM_LEARNED = 1,
    FORM_WHOLE = 2,
    FORM_OTHER_LIMIT = 4,
    FORM_NO_USAGE = 8,
    FORM_NO_SYSTEM = 16,
    FORM_NO_NULL = 32,
    FORM_NO_SEARCH = 64
};

int provider_learned_form(const struct llm_form *f)
{
    return FORM_LEARNED | (f->whole ? FORM_WHOLE : 0) | (f->other_limit ? FORM_OTHER_LIMIT : 0) |
           (f->no_usage ? FORM_NO_USAGE : 0) | (f->no_system ? FORM_NO_SYSTEM : 0) |
           (f->no_null ? FORM_NO_NULL : 0) | (f->no_search ? FORM_NO_SEARCH : 0);
}

static struct llm_form form_of(const struct model_learned_row *of_refusal)
{
    int bits = of_refusal ? of_refusal->form : 0;
    return (struct llm_form){.whole = bits & FORM_WHOLE,
        .other_limit = bits & FORM_OTHER_LIMIT,
        .no_usage = bits & FORM_NO_USAGE,
        .no_system = bits & FORM_NO_SYSTEM,
        .no_null = bits & FORM_NO_NULL,
        .no_search = bits & FORM_NO_SEARCH};
}

void provider_choice_api(const struct provider_choice *c, bool responses, struct llm_request *r)
{
    bool referred = responses && !c->responses; /* only models that reason are referred to /responses */
    r->responses =
        responses || (r->web_search && llm_searches_by_responses(c->kind, c->source->settings.base_url));
    r->progress = c->progress;
    r->sends_reasoning = c->sends_reasoning;
    r->reasons = referred || c->effort || c->reasoning == LLM_YES;
}

static bool has(const struct making *m, const struct provider_source *s, const char *model)
{
    for (size_t i = m->n; i > 0 && m->choices[i - 1].source == s; i--)
        if (strcmp(m->choices[i - 1].model, model) == 0)
            return true;
    return false;
}

static void add(struct making *m, const struct provider_source *s, const struct provider_known *k,
    const char *model, bool one)
{
    if (m->n == PROVIDERS_CHOICES_MAX - 1 || has(m, s, model)) /* the last place is for offline */
        return;
    const struct model_row *row = listed(k, model);
    const struct model_learned_row *of_refusal = learned(s, m->known ? &m->known[s->index] : NULL, model);
    struct provider_choice *c = &m->choices[m->n++];
    *c = (struct provider_choice){
        .value = arena_printf(m->a, "%s/%s", s->name, model),
        .name = s->name,
        .label = one ? s->label : NULL, /* set_labels() */
        .kind = s->kind,
        .model = model,
        .source = s,
        .images = row ? (enum llm_fact)row->images : LLM_UNKNOWN,
        .reasoning = row ? (enum llm_fact)row->reasoning : LLM_UNKNOWN,
    };
    set_api(c, of_refusal);
    set_web_search(c);
    if (of_refusal && of_refusal->images)
        c->images = (enum llm_fact)of_refusal->images;
    c->progress = k && strcmp(k->list.server, "llama.cpp") == 0;
    c->temperature =
        llm_model_takes_temperature(s->kind, model) && !(of_refusal && of_refusal->temperature == LLM_NO);
    c->sends_reasoning = llm_wants_reasoning_back(s->settings.base_url) ||
                         (of_refusal && of_refusal->reasoning_back == LLM_YES);
    c->form = form_of(of_refusal);
    c->form.no_null |= k && strcmp(k->list.server, "LM Studio") == 0;
    c->effort = llm_model_takes_effort(s->kind, model, c->reasoning);
    c->prefill =
        llm_model_prefill(s->kind, s->settings.base_url, k && k->list.server ? k->list.server : "", model);
    set_window(c, m->c, row, of_refusal);
    set_tools(c, row, of_refusal);
}

struct named {
    const char *model;
    struct provider_choice *choice;
};

static int by_model(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->model, ((const struct named *)b)->model);
}

/* The label of a model is its name, with its provider where two have one of this name. */
static void set_labels(const struct making *m)
{
    struct named *sorted = ARENA_ARRAY(m->a, struct named, m->n + 1);
    for (size_t i = 0; i < m->n; i++)
        sorted[i] = (struct named){m->choices[i].model, &m->choices[i]};
    qsort(sorted, m->n, sizeof sorted[0], by_model);
    for (size_t i = 0; i < m->n; i++) {
        struct provider_choice *c = sorted[i].choice;
        bool shared = (i && by_model(&sorted[i - 1], &sorted[i]) == 0) ||
                      (i + 1 < m->n && by_model(&sorted[i], &sorted[i + 1]) == 0);
        if (!c->label)
            c->label = shared ? arena_printf(m->a, "%s · %s", c->source->label, c->model) : c->model;
    }
}

static const char *pick(struct making *m, const struct provider_known *k)
{
    struct llm_models all = {.list = ARENA_ARRAY(m->a, struct llm_model, k->n + 1), .n = k->n};
    for (size_t i = 0; i < k->n; i++)
        all.list[i] = (struct llm_model){.name = k->models[i].name,
            .chat = k->models[i].chat,
            .tools = (enum llm_fact)k->models[i].tools,
            .created = k->models[i].created,
            .loaded = k->models[i].loaded};
    const struct llm_model *best = llm_model_pick(&all);
    return best ? best->name : NULL;
}

static void add_source(struct making *m, const struct provider_source *s, const struct provider_known *k)
{
    bool current = k && k->list.listed_at && strcmp(k->list.base_url, s->settings.base_url) == 0;
    bool pinned = s->set && s->set->models.n;
    if (!current)
        k = NULL;
    if (s->found_only && (!k || k->list.failure))
        return;
    bool one = s->set && *s->set->label && (pinned ? s->set->models.n == 1 : !k) && s->model;
    const char *first = s->model ? s->model : k ? pick(m, k) : NULL;
    if (first)
        add(m, s, k, first, one);
    for (size_t i = 0; pinned && i < s->set->models.n; i++)
        add(m, s, k, s->set->models.v[i], one);
    for (size_t i = 0; !pinned && k && i < k->n; i++)
        if (k->models[i].chat)
            add(m, s, k, k->models[i].name, one);
}

/* The place of [models] default_model; `m->n`: it is set and not there. */
static size_t standard_of(const struct making *m)
{
    const char *wanted = m->c->models.default_model;
    size_t i = 0;
    while (*wanted && i < m->n && strcmp(m->choices[i].value, wanted) != 0)
        i++;
    return i;
}

struct choices_made choices_make(
    const struct config *c, const struct providers *p, const struct provider_known *known, struct arena *a)
{
    struct making m = {.c = c, .p = p, .known = known, .a = a};
    size_t room = 1;
    for (size_t i = 0; i < p->sources_n; i++)
        room += 1 + (p->sources[i].set ? p->sources[i].set->models.n : 0) + (known ? known[i].n : 0);
    m.choices =
        ARENA_ARRAY(a, struct provider_choice, room < PROVIDERS_CHOICES_MAX ? room : PROVIDERS_CHOICES_MAX);
    for (size_t i = 0; i + 1 < p->sources_n; i++)
        add_source(&m, &p->sources[i], known ? &known[i] : NULL);
    set_labels(&m);
    m.choices[m.n++] = (struct provider_choice){.value = OFFLINE "/" OFFLINE,
        .name = OFFLINE,
        .label = "Built-in model",
        .kind = OFFLINE,
        .model = OFFLINE,
        .source = &p->sources[p->sources_n - 1],
        .tools = LLM_YES,
        .images = LLM_NO,
        .reasoning = LLM_NO,
        .window = c->context.model_window,
        .window_from = WINDOW_DEFAULT};
    size_t standard = standard_of(&m);
    bool missing = standard == m.n;
    return (struct choices_made){m.choices, m.n, missing ? 0 : standard, missing};
}
