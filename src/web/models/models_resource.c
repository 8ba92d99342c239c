#include "web/models/models_resource.h"

#include <string.h>

#include "base/log.h"
#include "store/account/usage.h"
#include "web/http/web.h"

#define RECENT_MAX 8

const struct provider_choice *usual_choice(const struct req *r)
{
    return providers_wanted(r->web->providers, r->who.settings.value[SETTING_MODEL]);
}

static void view_choice(struct view *item, const struct provider_choice *c, const struct lang *l)
{
    view_text(item, "value", c->value);
    view_text(item, "label", provider_choice_label(c, l));
    view_text(item, "provider", c->name);
    view_text(item, "model", c->model);
    view_text(item, "kind", c->kind);
    view_bool(item, "effort", c->effort);
}

static const char *fact_word(enum llm_fact f)
{
    return f == LLM_YES ? "yes" : f == LLM_NO ? "no" : "unknown";
}

void choice_resource(struct view *item, const struct provider_choice *usual, const struct provider_choice *c)
{
    view_choice(item, c, NULL);
    view_int(item, "window", c->window);
    view_text(item, "window_from", c->window_from);
    view_text(item, "tools", fact_word(c->tools));
    view_text(item, "tools_from", c->tools_from);
    view_text(item, "images", fact_word(c->images));
    view_text(item, "reasoning", fact_word(c->reasoning));
    view_bool(item, "default", strcmp(c->value, usual->value) == 0);
}

/* Lists may be replaced while a page is built, so choices are compared by value. */
static bool is(const struct provider_choice *c, const struct provider_choice *other)
{
    return strcmp(c->value, other->value) == 0;
}

struct recent {
    const struct provider_choice *list[RECENT_MAX];
    size_t n;
};

static bool among(const struct recent *recent, const struct provider_choice *c)
{
    for (size_t i = 0; i < recent->n; i++)
        if (is(recent->list[i], c))
            return true;
    return false;
}

/* Reads the models that answered the user last. After a failure there are none. */
static void read_recent(const struct req *r, const struct providers *p, struct recent *out)
{
    struct usage_row *rows;
    size_t n = 0;
    struct err e = ERR_INIT;
    struct db *db = store_read(r->web->store);
    if (store_usage_recent(db, r->arena, r->who.user_id, RECENT_MAX, &rows, &n, &e) != RC_OK)
        log_warn("the models that user %lld used last cannot be read: %s", (long long)r->who.user_id, e.text);
    store_read_done(r->web->store, db);
    for (size_t i = 0; i < n; i++) {
        const struct provider_choice *c = providers_by_name(p, rows[i].provider, rows[i].model);
        if (c && !among(out, c))
            out->list[out->n++] = c;
    }
}

/* The place to which choices are added: a list for the API, groups for a page. */
struct menu {
    struct view *groups, *list;
    const char *label; /* of the open group */
    const struct provider_choice *selected;
    const struct lang *lang;
    struct str rival; /* the second model of a refused message */
};

/* Adds a choice. In groups, a choice with another `label` than the one before begins a new group. */
static void add_choice(struct menu *m, const struct provider_choice *c, const char *label)
{
    if (m->groups && (!m->list || label != m->label)) {
        struct view *group = view_item(m->groups);
        view_text(group, "label", label);
        m->list = view_list(group, "choices");
        m->label = label;
    }
    struct view *item = view_item(m->list);
    view_choice(item, c, m->lang);
    view_bool(item, "selected", is(c, m->selected));
    if (m->groups) {
        view_bool(item, "blind", c->images == LLM_NO);
        view_bool(item, "is_rival", str_is(m->rival, c->value));
    }
}

bool models_have_several_providers(const struct providers *p)
{
    const struct provider_list *all = providers_list(p);
    for (size_t i = 1; i < all->n; i++)
        if (all->choices[i]->source != all->choices[0]->source &&
            !provider_choice_is_offline(all->choices[i]))
            return true;
    return false;
}

void choices_resource(
    struct view *v, const struct providers *p, const struct provider_choice *selected, const struct req *r)
{
    const struct provider_list *all = providers_list(p);
    const struct provider_source *before = NULL;
    struct recent recent = {.n = 0};
    struct menu menu = {.selected = selected ? selected : all->standard, .lang = r ? r->lang : NULL};
    bool several = models_have_several_providers(p);
    size_t firsts = 0, others = 0;
    for (size_t i = 0; i < all->n; i++)
        firsts += i == 0 || all->choices[i]->source != all->choices[i - 1]->source;
    if (r) {
        menu.groups = view_list(v, "choice_groups");
        menu.rival = req_str(r, F_COMPARE_WITH);
    } else {
        menu.list = view_list(v, "choices");
    }
    if (r && all->n > CHOICES_MENU_MAX)
        read_recent(r, p, &recent);
    for (size_t i = 0; i < recent.n; i++)
        add_choice(&menu, recent.list[i], several ? lang_text(r->lang, "models.recent") : NULL);
    size_t kept = firsts + 2 + recent.n, room = CHOICES_MENU_MAX > kept ? CHOICES_MENU_MAX - kept : 0;
    for (size_t i = 0; i < all->n; i++) {
        const struct provider_choice *c = all->choices[i];
        bool first = c->source != before;
        before = c->source;
        if (among(&recent, c) ||
            (!first && !is(c, menu.selected) && !is(c, all->standard) && others++ >= room))
            continue;
        add_choice(&menu, c, several && !provider_choice_is_offline(c) ? c->source->label : NULL);
    }
}

/* "efforts", null when no model takes one. */
static void view_efforts(const struct lang *l, struct view *v, const struct providers *p, const char *effort)
{
    static const struct {
        const char *value, *label;
    } efforts[] = {{"", "chat.effort_standard"}, {"low", "chat.effort_low"}, {"medium", "chat.effort_medium"},
        {"high", "chat.effort_high"}};
    const struct provider_list *all = providers_list(p);
    bool any = false;
    for (size_t i = 0; i < all->n; i++)
        any |= all->choices[i]->effort;
    view_bool(v, "any_effort", any);
    struct view *list = view_list(v, "efforts");
    for (size_t i = 0; i < ARRAY_LEN(efforts); i++) {
        struct view *item = view_item(list);
        view_text(item, "value", efforts[i].value);
        view_text(item, "label", lang_text(l, efforts[i].label));
        view_bool(item, "selected", strcmp(efforts[i].value, effort ? effort : "") == 0);
    }
}

void model_choices_view(
    const struct req *r, struct view *v, const struct provider_choice *selected, const char *effort)
{
    const struct providers *p = r->web->providers;
    choices_resource(v, p, selected, r);
    view_efforts(r->lang, v, p, effort);
    view_bool(v, "one_choice", providers_list(p)->n == 1);
    view_bool(v, "more_choices", providers_list(p)->n > CHOICES_MENU_MAX);
    const struct provider_choice *shown = selected ? selected : providers_default(p);
    view_text(v, "choice_label", provider_choice_label(shown, r->lang));
    view_bool(v, "choice_blind", shown->images == LLM_NO);
    view_bool(v, "offline", providers_offline(p));
}

const char *model_label(
    const struct providers *p, const struct lang *l, const char *provider, const char *model)
{
    const struct provider_choice *c = provider ? providers_by_name(p, provider, model) : NULL;
    return c ? provider_choice_label(c, l) : model;
}
