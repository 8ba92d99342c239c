#include "web/models/models_resource.h"

#include <string.h>

#include "web/http/web.h"

const struct provider_choice *usual_choice(const struct req *r)
{
    return providers_wanted(r->web->providers, r->who.settings.value[SETTING_MODEL]);
}

static void view_choice(struct view *item, const struct provider_choice *c)
{
    view_text(item, "value", c->value);
    view_text(item, "label", c->label);
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
    view_choice(item, c);
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

void choices_resource(struct view *v, const struct providers *p, const struct provider_choice *selected)
{
    const struct provider_list *all = providers_list(p);
    const struct provider_source *before = NULL;
    size_t firsts = 0, others = 0;
    for (size_t i = 0; i < all->n; i++)
        firsts += i == 0 || all->choices[i].source != all->choices[i - 1].source;
    size_t room = CHOICES_MENU_MAX > firsts + 2 ? CHOICES_MENU_MAX - firsts - 2 : 0;
    if (!selected)
        selected = all->standard;
    struct view *list = view_list(v, "choices");
    for (size_t i = 0; i < all->n; i++) {
        const struct provider_choice *c = &all->choices[i];
        bool first = c->source != before;
        before = c->source;
        if (!first && !is(c, selected) && !is(c, all->standard) && others++ >= room)
            continue;
        struct view *item = view_item(list);
        view_choice(item, c);
        view_bool(item, "selected", is(c, selected));
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
        any |= all->choices[i].effort;
    view_bool(v, "any_effort", any);
    struct view *list = view_list(v, "efforts");
    for (size_t i = 0; i < ARRAY_LEN(efforts); i++) {
        struct view *item = view_item(list);
        view_text(item, "value", efforts[i].value);
        view_text(item, "label", lang_text(l, efforts[i].label));
        view_bool(item, "selected", strcmp(efforts[i].value, effort ? effort : "") == 0);
    }
}

void model_choices_view(const struct lang *l, struct view *v, const struct providers *p,
    const struct provider_choice *selected, const char *effort)
{
    choices_resource(v, p, selected);
    view_efforts(l, v, p, effort);
    view_bool(v, "one_choice", providers_list(p)->n == 1);
    view_bool(v, "more_choices", providers_list(p)->n > CHOICES_MENU_MAX);
    view_text(v, "choice_label", (selected ? selected : providers_default(p))->label);
    view_bool(v, "offline", providers_offline(p));
}

const char *model_label(const struct providers *p, const char *provider, const char *model)
{
    const struct provider_choice *c = provider ? providers_by_name(p, provider, model) : NULL;
    return c ? c->label : model;
}
