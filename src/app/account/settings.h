/*
 * The settings of a user: which values each takes, its default, and its change. The table is in settings.c.
 * Pages, the API and the export read it. CONTRIBUTING.md lists the other places of a new setting.
 */
#ifndef ALFRED_APP_ACCOUNT_SETTINGS_H
#define ALFRED_APP_ACCOUNT_SETTINGS_H

#include "base/locale.h"
#include "store/account/setting.h"

#define SETTING_TEXT_CHARS_MAX 4000 /* of each instruction */
#define SETTING_NAME_CHARS_MAX 50   /* of a display name; at most SETTING_SHORT_MAX bytes */

enum setting_type {
    SETTING_CHOICE, /* one of a few words */
    SETTING_FLAG,   /* "yes" or "no" */
    SETTING_LANG,   /* "auto", or the code of a language of the catalogue */
    SETTING_ZONE,   /* "auto", or the name of a time zone */
    SETTING_LINE,   /* a line of up to SETTING_NAME_CHARS_MAX characters */
    SETTING_WORD,   /* a word of up to SETTING_SHORT_MAX bytes. One that has no meaning now counts as the
                       default */
    SETTING_TEXT    /* any text */
};

enum setting_type setting_type(enum setting s);
const char *const *setting_choices(enum setting s); /* of a SETTING_CHOICE; ends with NULL */
/* `stored`, or the default if it is NULL or empty. */
const char *setting_value(enum setting s, const char *stored);

struct setting_change {
    enum setting setting;
    struct str value;
};

/* RC_BAD_INPUT, RC_TOO_BIG: a value that the setting does not take. */
enum rc setting_check(const struct setting_change *c, struct err *e);
/* Saves all or none. RC_BAD_INPUT: a value that the setting does not take. */
enum rc settings_save(
    struct store *s, int64_t user_id, const struct setting_change *changes, size_t n, struct err *e);

/* The language of a user outside of a request, such as in a message that Alfred begins: the chosen one, else
 * that of an app of a channel, else that of the browser at the last sign-in, else English. */
const struct lang *settings_lang(struct store *s, int64_t user_id);
const struct lang *settings_lang_in(struct db *db, int64_t user_id);
/* The same with the user's time zone, in the arena. RC_NOT_FOUND: there is no such user. */
enum rc settings_locale_in(
    struct db *db, struct arena *a, int64_t user_id, int64_t now, struct locale *out, struct err *e);
/* NULL when the user has chosen none. */
const struct lang *settings_lang_chosen(struct db *db, int64_t user_id);
/* Stores the language of the browser. */
enum rc settings_note_lang(struct store *s, int64_t user_id, const struct lang *l, struct err *e);

#endif
