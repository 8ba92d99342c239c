/*
 * The settings of a user. A setting that has no row has its default. app/account/settings.c
 * checks the values; the store takes any text. Every request reads the short ones with its login.
 */
#ifndef ALFRED_STORE_ACCOUNT_SETTING_H
#define ALFRED_STORE_ACCOUNT_SETTING_H

#include "store/store.h"

enum setting {
    SETTING_THEME,
    SETTING_LANGUAGE,
    SETTING_TIME_ZONE,
    SETTING_SEND_KEY,
    SETTING_TEXT_SIZE,
    SETTING_NOTIFICATIONS,
    SETTING_DISPLAY_NAME, /* empty: the sign-in name is shown */
    SETTING_MODEL, /* of new chats: the value of a choice (app/models/providers.h); empty: the server's */
    SETTING_SHORT_COUNT,
    SETTING_ABOUT_ME = SETTING_SHORT_COUNT, /* texts of the user for the model */
    SETTING_ANSWER_STYLE,
    SETTING_WEB_SEARCH,      /* models may use the web: pages and searches */
    SETTING_CONNECTED_TOOLS, /* models may call the tools of MCP servers */
    SETTING_COUNT,
    /* The language of the browser at the last sign-in, for texts outside of a request. The user does not
     * choose it, so it is not among the settings that store_setting_all() gives. */
    SETTING_BROWSER_LANGUAGE = SETTING_COUNT,
    SETTING_NAMES
};

#define SETTING_SHORT_MAX 200 /* bytes of a short setting */

/* The short settings. Empty: the default. */
struct short_settings {
    char value[SETTING_SHORT_COUNT][SETTING_SHORT_MAX + 1];
};

const char *setting_name(enum setting s); /* "theme", "send_key" */

enum rc store_setting_short(struct db *db, int64_t user_id, struct short_settings *out, struct err *e);
/* NULL: the default. */
enum rc store_setting_get(
    struct db *db, struct arena *a, int64_t user_id, enum setting s, const char **out, struct err *e);
enum rc store_setting_all(
    struct db *db, struct arena *a, int64_t user_id, const char *out[SETTING_COUNT], struct err *e);
/* `value` NULL or empty: the default again. */
enum rc store_setting_set(struct db *db, int64_t user_id, enum setting s, const char *value, struct err *e);

#endif
