#include "web/account/account_resource.h"

#include "web/models/models_resource.h"

void me_resource(
    const struct web *w, struct view *v, const struct identity *who, const char *csrf, const char *scopes)
{
    view_text(v, "name", who->name);
    const char *shown = who->settings.value[SETTING_DISPLAY_NAME];
    view_text(v, "display_name", shown && *shown ? shown : NULL);
    view_text(v, "role", user_role_name(who->role));
    view_text(v, "time_zone", who->time_zone[0] ? who->time_zone : NULL);
    view_text(v, "csrf", *csrf ? csrf : NULL);
    view_text(v, "scopes", scopes);
    choices_resource(
        v, w->providers, providers_wanted(w->providers, who->settings.value[SETTING_MODEL]), NULL);
}
