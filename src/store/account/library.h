/*
 * The library: personas and prompts. An entry belongs to a user; a shared one can be used by all users and is
 * changed by its owner or an admin. A shared entry goes with its owner's account.
 */
#ifndef ALFRED_STORE_ACCOUNT_LIBRARY_H
#define ALFRED_STORE_ACCOUNT_LIBRARY_H

#include "store/store.h"

#define LIBRARY_NAME_CHARS_MAX 60
#define LIBRARY_TEXT_CHARS_MAX 8000
#define LIBRARY_ENTRIES_MAX    200 /* of one user and kind, and of the shared ones in a list */
#define TEMPERATURE_NONE       (-1)
#define TEMPERATURE_MAX        200 /* hundredths */

enum library_kind { LIBRARY_PERSONA, LIBRARY_PROMPT };
const char *library_kind_name(enum library_kind k); /* "persona", "prompt" */

struct library_entry {
    int64_t id, owner;
    bool shared;
    const char *name;
    struct str text;
    const char *choice; /* NULL: none */
    int temperature;    /* hundredths, or TEMPERATURE_NONE */
    const char *tools;  /* NULL: all */
};

/* The reader of an entry. */
struct library_reader {
    int64_t user_id;
    bool admin;
};

/* Own and shared entries by name, at most twice LIBRARY_ENTRIES_MAX. */
enum rc store_library_list(struct db *db, struct arena *a, int64_t user_id, enum library_kind kind,
    struct library_entry **out, size_t *n, struct err *e);
enum rc store_library_own(struct db *db, struct arena *a, int64_t user_id, enum library_kind kind,
    struct library_entry **out, size_t *n, struct err *e);
/* An own or shared entry. */
enum rc store_library_get(struct db *db, struct arena *a, int64_t user_id, enum library_kind kind, int64_t id,
    struct library_entry *out, struct err *e);
/* RC_CONFLICT: the owner has one of this name. RC_TOO_BIG: LIBRARY_ENTRIES_MAX. x->id is not read. */
enum rc store_library_add(
    struct db *db, enum library_kind kind, const struct library_entry *x, int64_t *id, struct err *e);
/* x->owner is not read. RC_NOT_FOUND: `who` may not change it. */
enum rc store_library_change(struct db *db, struct library_reader who, enum library_kind kind,
    const struct library_entry *x, struct err *e);
/* One step before the next one, to be repeated while there is `more`: at most `most` sessions lose a persona
 * that `who` may change. */
enum rc store_library_leave_some(
    struct db *db, struct library_reader who, int64_t persona, int most, bool *more, struct err *e);
enum rc store_library_delete(
    struct db *db, struct library_reader who, enum library_kind kind, int64_t id, struct err *e);

#endif
