/* The models that can be chosen, for the API and pages. */
#ifndef ALFRED_WEB_MODELS_MODELS_RESOURCE_H
#define ALFRED_WEB_MODELS_MODELS_RESOURCE_H

#include "app/models/providers.h"
#include "codec/view.h"
#include "web/http/request.h"

#define CHOICES_MENU_MAX 24 /* models in the menu below a message; the page /models has all */

/* The model of the user's new chats: that of the settings, else the server's. */
const struct provider_choice *usual_choice(const struct req *r);

/* The list "choices": value (for F_CHOICE), label, provider, model, kind, selected. `selected` NULL: the
 * default. For a page (`r` is not NULL) the list "choice_groups" of {label, choices}: one group for each of
 * several providers, else one without a label; its choices have the text of an option, too. At most
 * CHOICES_MENU_MAX: those that answered the user of `r` last come first, then the default, the selected one,
 * the first of each provider and others in the order of their lists. */
void choices_resource(
    struct view *v, const struct providers *p, const struct provider_choice *selected, const struct req *r);

/* One model in detail: the members above, and window, window_from, tools, tools_from, images, reasoning
 * ("yes", "no", "unknown"), default: it is `usual`. */
void choice_resource(struct view *item, const struct provider_choice *usual, const struct provider_choice *c);

/* The same list for a page, with one_choice, more_choices, choice_label, choice_blind and offline. */
void model_choices_view(
    const struct req *r, struct view *v, const struct provider_choice *selected, const char *effort);

/* True when the models are of more than one provider besides "offline". */
bool models_have_several_providers(const struct providers *p);

/* The display name of the model of a text: its label, or its own name when it is no longer connected. NULL
 * when `model` is NULL. */
const char *model_label(
    const struct providers *p, const struct lang *l, const char *provider, const char *model);

#endif
