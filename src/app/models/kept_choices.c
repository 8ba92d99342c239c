/*
 * Turns, requests and jobs keep pointers to choices for as long as they like, so no choice and no list is
 * freed while the program runs. Lists change often: a local server loads and unloads models, is switched off
 * and comes back, or a provider fails. Therefore each choice is kept once, and so is each list, which is an
 * array of pointers. What grows is what was never there before, such as a provider's new model.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "app/models/providers_private.h"

struct kept_list {
    struct provider_list list;
    struct kept_list *older;
};

static int compare_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

/* The name of the provider begins the value, and its source and kind go with it. */
static int by_content(const void *one, const void *other)
{
    const struct provider_choice *a = one, *b = other;
    const char *const texts[][2] = {{a->value, b->value}, {a->label, b->label},
        {a->window_from, b->window_from}, {a->tools_from, b->tools_from}};
    const int64_t numbers[][2] = {{a->window, b->window}, {a->tools, b->tools}, {a->images, b->images},
        {a->reasoning, b->reasoning}, {a->responses, b->responses}, {a->may_learn, b->may_learn},
        {a->prefill, b->prefill}, {a->progress, b->progress}, {a->effort, b->effort},
        {a->web_search, b->web_search}, {a->temperature, b->temperature},
        {a->sends_reasoning, b->sends_reasoning},
        {provider_learned_form(&a->form), provider_learned_form(&b->form)}};
    int differs = 0;
    for (size_t i = 0; !differs && i < ARRAY_LEN(texts); i++)
        differs = compare_text(texts[i][0], texts[i][1]);
    for (size_t i = 0; !differs && i < ARRAY_LEN(numbers); i++)
        differs = (numbers[i][0] > numbers[i][1]) - (numbers[i][0] < numbers[i][1]);
    return differs;
}

/* The texts that choices.c takes from the providers' lists are copied; the others outlive the choice. */
static const struct provider_choice *copy(struct arena *a, const struct provider_choice *c)
{
    struct provider_choice *kept = ARENA_NEW(a, struct provider_choice);
    *kept = *c;
    kept->value = arena_strdup(a, c->value);
    kept->model = arena_strdup(a, c->model);
    kept->label = arena_strdup(a, c->label);
    kept->window_from = arena_strdup(a, c->window_from);
    return kept;
}

static const struct provider_choice *keep(
    struct kept_choices *k, struct arena *a, const struct provider_choice *c)
{
    const struct provider_choice *const *known = tfind(c, &k->choices, by_content);
    if (known)
        return *known;
    const struct provider_choice *kept = copy(a, c);
    if (!tsearch(kept, &k->choices, by_content))
        abort(); /* out of memory, as in xmalloc() */
    return kept;
}

const struct provider_list *kept_choices_list(
    struct kept_choices *k, struct arena *a, const struct choices_made *made)
{
    AUTO(arena) scratch = arena_new();
    size_t bytes = made->n * sizeof(struct provider_choice *);
    const struct provider_choice **choices = ARENA_ARRAY(scratch, const struct provider_choice *, made->n);
    for (size_t i = 0; i < made->n; i++)
        choices[i] = keep(k, a, &made->list[i]);
    const struct provider_choice *standard = choices[made->standard];
    for (struct kept_list *l = k->lists; l; l = l->older)
        if (l->list.n == made->n && l->list.standard == standard &&
            memcmp(l->list.choices, choices, bytes) == 0)
            return &l->list;
    struct kept_list *l = ARENA_NEW(a, struct kept_list);
    *l = (struct kept_list){{memcpy(arena_alloc(a, bytes), choices, bytes), made->n, standard}, k->lists};
    k->lists = l;
    return &l->list;
}

static void leave(void *choice)
{
    (void)choice; /* it is in the arena */
}

void kept_choices_release(struct kept_choices *k)
{
    tdestroy(k->choices, leave);
    k->choices = NULL;
}
