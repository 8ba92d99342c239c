#include "web/page/views.h"

#include "app/share/share.h"
#include "base/clock.h"
#include "base/humanize.h"
#include "web/http/web.h"

void view_time(struct arena *a, struct view *v, const struct locale *l, const char *iso_key,
    const char *words_key, const char *exact_key, int64_t at)
{
    char iso[CLOCK_RFC3339_SIZE];
    clock_rfc3339(at, iso);
    view_text(v, iso_key, iso);
    view_lasting(v, words_key, humanize_ago(a, l, at));
    view_lasting(v, exact_key, humanize_exact(a, l, at));
}

void view_time_words(struct arena *a, struct view *v, const struct locale *l, const char *words_key,
    const char *exact_key, int64_t at)
{
    view_lasting(v, words_key, humanize_ago(a, l, at));
    view_lasting(v, exact_key, humanize_exact(a, l, at));
}

void view_created_words(struct arena *a, struct view *v, const struct locale *l, int64_t at)
{
    view_time_words(a, v, l, "created_words", "created_exact", at);
}

void view_created(struct arena *a, struct view *v, const struct locale *l, int64_t at)
{
    view_time(a, v, l, "created_at", "created_words", "created_exact", at);
}

/* For the <html> element: the style sheets and scripts read them before the first paint. */
static void view_settings(struct view *v, const struct short_settings *s)
{
    static const struct {
        enum setting setting;
        const char *key;
    } shown[] = {
        {SETTING_THEME, "set_theme"},
        {SETTING_TEXT_SIZE, "set_text_size"},
        {SETTING_SEND_KEY, "set_send_key"},
        {SETTING_NOTIFICATIONS, "set_notifications"},
        {SETTING_TIME_ZONE, "set_time_zone"},
    };
    for (size_t i = 0; i < ARRAY_LEN(shown); i++)
        if (s->value[shown[i].setting][0])
            view_text(v, shown[i].key, s->value[shown[i].setting]);
}

void page_common_view(struct req *r, struct view *v, const char *title)
{
    view_text(v, "page_title", arena_printf(r->arena, "%s · Alfred", humanize_isolated(r->arena, title)));
    view_text(v, "nonce", r->nonce);
    view_text(v, "lang", lang_code(r->lang));
    if (!r->signed_in)
        return;
    view_text(v, "csrf", r->csrf);
    struct view *user = view_obj(v, "user");
    const char *shown = r->who.settings.value[SETTING_DISPLAY_NAME];
    view_text(user, "name", r->who.name);
    view_text(user, "display_name", *shown ? shown : NULL);
    view_text(user, "shown", *shown ? shown : r->who.name);
    view_settings(v, &r->who.settings);
    if (!r->who.settings.value[SETTING_TIME_ZONE][0]) /* scripts report the browser's zone */
        view_text(v, "time_zone",
            r->who.time_zone[0] ? r->who.time_zone
                                : arena_strdup(r->arena, time_zone_local(NULL, r->now).tm_zone));
    view_bool(user, "is_admin", r->who.role == USER_ADMIN);
    view_bool(v, "can_share", share_allowed(r->web->config, r->who.role));
}

const char *session_title(const struct lang *l, const char *title)
{
    return title ? title : lang_text(l, "chat.new");
}

const char *channel_label(const struct req *r, const char *channel)
{
    const char *label = lang_lookup(r->lang, str_of(arena_printf(r->arena, "details.channel_%s", channel)));
    return label ? label : channel;
}

void session_row_view(const struct lang *l, struct view *v, const struct session *s)
{
    view_lasting(v, "id", s->pub);
    view_lasting(v, "title", session_title(l, s->title));
    view_bool(v, "untitled", !s->title);
    view_bool(v, "running", s->running_turns > 0);
    view_bool(v, "unread", s->active_at > s->seen_at);
    view_bool(v, "pinned", s->pinned);
    view_bool(v, "archived", s->archived_by_user);
    view_bool(v, "temporary", s->ends_at != 0);
}
