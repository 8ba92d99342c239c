#include "store/account/setting.h"

#include <stdio.h>

#include "store/row.h"

static const char *const names[SETTING_NAMES] = {
    [SETTING_THEME] = "theme",
    [SETTING_LANGUAGE] = "language",
    [SETTING_TIME_ZONE] = "time_zone",
    [SETTING_SEND_KEY] = "send_key",
    [SETTING_TEXT_SIZE] = "text_size",
    [SETTING_NOTIFICATIONS] = "notifications",
    [SETTING_DISPLAY_NAME] = "display_name",
    [SETTING_MODEL] = "model",
    [SETTING_ABOUT_ME] = "about_me",
    [SETTING_ANSWER_STYLE] = "answer_style",
    [SETTING_WEB_SEARCH] = "web_search",
    [SETTING_CONNECTED_TOOLS] = "connected_tools",
    [SETTING_BROWSER_LANGUAGE] = "browser_language",
};

const char *setting_name(enum setting s)
{
    return names[s];
}

/* SETTING_COUNT: none of the user's settings. */
static enum setting by_name(struct str name)
{
    enum setting s = 0;
    while (s < SETTING_COUNT && !str_is(name, names[s]))
        s++;
    return s;
}

/* octet_length() reads the size of a value without the value. */
enum rc store_setting_short(struct db *db, int64_t user_id, struct short_settings *out, struct err *e)
{
    struct rows q;
    *out = (struct short_settings){0};
    enum rc rc =
        db_query(db, &q, "SELECT name, value FROM setting WHERE user_id = ? AND octet_length(value) <= ?",
            ARGS(v_int(user_id), v_int(SETTING_SHORT_MAX)), e);
    while (rc == RC_OK && rows_next(&q)) {
        enum setting s = by_name(rows_str(&q, 0));
        if (s < SETTING_SHORT_COUNT)
            snprintf(out->value[s], sizeof out->value[s], "%s", rows_text(&q, 1));
    }
    return rows_done(&q, rc, e);
}

enum rc store_setting_get(
    struct db *db, struct arena *a, int64_t user_id, enum setting s, const char **out, struct err *e)
{
    struct rows q;
    *out = NULL;
    enum rc rc = db_query(db, &q, "SELECT value FROM setting WHERE user_id = ? AND name = ?",
        ARGS(v_int(user_id), v_text(names[s])), e);
    if (rc == RC_OK && rows_next(&q))
        *out = row_text(&q, 0, a);
    return rows_done(&q, rc, e);
}

enum rc store_setting_all(
    struct db *db, struct arena *a, int64_t user_id, const char *out[SETTING_COUNT], struct err *e)
{
    struct rows q;
    for (int s = 0; s < SETTING_COUNT; s++)
        out[s] = NULL;
    enum rc rc =
        db_query(db, &q, "SELECT name, value FROM setting WHERE user_id = ?", ARGS(v_int(user_id)), e);
    while (rc == RC_OK && rows_next(&q)) {
        enum setting s = by_name(rows_str(&q, 0));
        if (s < SETTING_COUNT)
            out[s] = row_text(&q, 1, a);
    }
    return rows_done(&q, rc, e);
}

enum rc store_setting_set(struct db *db, int64_t user_id, enum setting s, const char *value, struct err *e)
{
    if (!value || !*value)
        return db_exec(db, "DELETE FROM setting WHERE user_id = ? AND name = ?",
            ARGS(v_int(user_id), v_text(names[s])), NULL, e);
    return db_exec(db,
        "INSERT INTO setting (user_id, name, value) VALUES (?, ?, ?) "
        "ON CONFLICT (user_id, name) DO UPDATE SET value = excluded.value",
        ARGS(v_int(user_id), v_text(names[s]), v_text(value)), NULL, e);
}
