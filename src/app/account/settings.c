#include "app/account/settings.h"

#include "base/lang.h"
#include "base/time_zone.h"
#include "base/utf8.h"
#include "store/account/user.h"
#include "store/channel/identity.h"

#define CHOICES_MAX 5

static const struct rule {
    enum setting_type type;
    const char *normal;                   /* the default; it has no row */
    const char *choices[CHOICES_MAX + 1]; /* ends with NULL */
} rules[SETTING_COUNT] = {
    [SETTING_THEME] = {SETTING_CHOICE, "system", {"system", "light", "dark"}},
    [SETTING_LANGUAGE] = {SETTING_LANG, "auto", {0}},
    [SETTING_TIME_ZONE] = {SETTING_ZONE, "auto", {0}},
    [SETTING_SEND_KEY] = {SETTING_CHOICE, "enter", {"enter", "mod_enter"}},
    [SETTING_TEXT_SIZE] = {SETTING_CHOICE, "normal", {"small", "normal", "large", "larger"}},
    [SETTING_NOTIFICATIONS] = {SETTING_FLAG, "no", {"no", "yes"}},
    [SETTING_DISPLAY_NAME] = {SETTING_LINE, "", {0}},
    [SETTING_MODEL] = {SETTING_WORD, "", {0}},
    [SETTING_ABOUT_ME] = {SETTING_TEXT, "", {0}},
    [SETTING_ANSWER_STYLE] = {SETTING_TEXT, "", {0}},
    [SETTING_WEB_SEARCH] = {SETTING_FLAG, "no", {"no", "yes"}},
    [SETTING_CONNECTED_TOOLS] = {SETTING_FLAG, "yes", {"no", "yes"}},
};

enum setting_type setting_type(enum setting s)
{
    return rules[s].type;
}

const char *const *setting_choices(enum setting s)
{
    return rules[s].choices;
}

const char *setting_value(enum setting s, const char *stored)
{
    return stored && *stored ? stored : rules[s].normal;
}

static bool is_choice(const struct rule *rule, struct str value)
{
    for (const char *const *c = rule->choices; *c; c++)
        if (str_is(value, *c))
            return true;
    return false;
}

static enum rc check_zone(struct arena *a, struct str value, struct err *e)
{
    if (str_is(value, "auto"))
        return RC_OK;
    if (time_zone_is_name(value) && time_zone_load(a, arena_strndup(a, value.s, value.len)))
        return RC_OK;
    return err_say(e, RC_BAD_INPUT, "settings.bad_zone");
}

static enum rc check(struct arena *a, const struct setting_change *c, struct err *e)
{
    const struct rule *rule = &rules[c->setting];
    if (rule->type == SETTING_ZONE)
        return check_zone(a, c->value, e);
    if (rule->type == SETTING_TEXT) {
        if (utf8_count(c->value) <= SETTING_TEXT_CHARS_MAX)
            return RC_OK;
        return err_say(e, RC_TOO_BIG, "settings.text_long", arg_int("max", SETTING_TEXT_CHARS_MAX));
    }
    if (rule->type == SETTING_LINE) {
        if (utf8_count(str_trim(c->value)) <= SETTING_NAME_CHARS_MAX)
            return RC_OK;
        return err_say(e, RC_TOO_BIG, "settings.name_long", arg_int("max", SETTING_NAME_CHARS_MAX));
    }
    if (rule->type == SETTING_WORD && c->value.len <= SETTING_SHORT_MAX)
        return RC_OK;
    bool takes = rule->type == SETTING_LANG ? str_is(c->value, "auto") || lang_find(c->value)
                                            : is_choice(rule, c->value);
    if (takes)
        return RC_OK;
    return err_say(e, RC_BAD_INPUT, "settings.bad_choice", arg_text("name", setting_name(c->setting)));
}

enum rc setting_check(const struct setting_change *c, struct err *e)
{
    AUTO(arena) a = arena_new();
    return check(a, c, e);
}

struct save_tx {
    int64_t user_id;
    const struct setting_change *changes;
    size_t n;
    struct arena *a;
};

static enum rc save_tx(struct db *db, void *arg, struct err *e)
{
    const struct save_tx *t = arg;
    enum rc rc = RC_OK;
    for (size_t i = 0; i < t->n && rc == RC_OK; i++) {
        const struct setting_change *c = &t->changes[i];
        bool typed = rules[c->setting].type == SETTING_TEXT || rules[c->setting].type == SETTING_LINE;
        struct str value = typed ? str_trim(c->value) : c->value;
        const char *text = arena_str(t->a, value).s;
        bool is_normal = strcmp(text, rules[c->setting].normal) == 0;
        rc = store_setting_set(db, t->user_id, c->setting, is_normal ? NULL : text, e);
    }
    return rc;
}

enum rc settings_save(
    struct store *s, int64_t user_id, const struct setting_change *changes, size_t n, struct err *e)
{
    AUTO(arena) a = arena_new();
    enum rc rc = RC_OK;
    for (size_t i = 0; i < n && rc == RC_OK; i++)
        rc = check(a, &changes[i], e);
    struct save_tx t = {user_id, changes, n, a};
    return rc == RC_OK ? store_write(s, save_tx, &t, e) : rc;
}

const struct lang *settings_lang_chosen(struct db *db, int64_t user_id)
{
    struct short_settings own;
    return store_setting_short(db, user_id, &own, NULL) == RC_OK
               ? lang_find(str_of(own.value[SETTING_LANGUAGE]))
               : NULL;
}

const struct lang *settings_lang_in(struct db *db, int64_t user_id)
{
    const struct lang *l = settings_lang_chosen(db, user_id);
    if (l)
        return l;
    AUTO(arena) a = arena_new();
    const char *spoken;
    if (store_channel_identity_language(db, a, user_id, &spoken, NULL) == RC_OK)
        return lang_accepted(spoken);
    if (store_setting_get(db, a, user_id, SETTING_BROWSER_LANGUAGE, &spoken, NULL) == RC_OK && spoken)
        l = lang_find(str_of(spoken));
    return l ? l : lang_english();
}

enum rc settings_locale_in(
    struct db *db, struct arena *a, int64_t user_id, int64_t now, struct locale *out, struct err *e)
{
    const char *zone = NULL;
    enum rc rc = store_user_time_zone(db, a, user_id, &zone, e);
    if (rc != RC_OK)
        return rc;
    *out = (struct locale){settings_lang_in(db, user_id), time_zone_load(a, zone), now, NULL};
    return RC_OK;
}

struct note_tx {
    int64_t user_id;
    const char *code;
};

static enum rc note_tx(struct db *db, void *arg, struct err *e)
{
    const struct note_tx *t = arg;
    return store_setting_set(db, t->user_id, SETTING_BROWSER_LANGUAGE, t->code, e);
}

enum rc settings_note_lang(struct store *s, int64_t user_id, const struct lang *l, struct err *e)
{
    struct note_tx t = {user_id, lang_code(l)};
    return store_write(s, note_tx, &t, e);
}

const struct lang *settings_lang(struct store *s, int64_t user_id)
{
    struct db *db = store_read(s);
    const struct lang *l = settings_lang_in(db, user_id);
    store_read_done(s, db);
    return l;
}
