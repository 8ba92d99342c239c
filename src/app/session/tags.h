/*
 * Tags of sessions: the allowed names, and changes of tags. Every function is one transaction for `owner`. A
 * record of another owner is RC_NOT_FOUND.
 *
 * A name is cleaned: blanks at its ends and directional formatting are removed, further blanks become one. It
 * is refused (RC_BAD_INPUT with a sentence) when it is empty, longer than TAG_CHARS_MAX, or has a comma, a
 * quotation mark or more than one line.
 */
#ifndef ALFRED_APP_SESSION_TAGS_H
#define ALFRED_APP_SESSION_TAGS_H

#include "store/session/session.h"
#include "store/session/tag.h"

/* The tags of a session as one line, "a, b": a long one is refused. */
#define TAGS_TEXT_MAX (TAGS_OF_SESSION_MAX * (TAG_CHARS_MAX + 2))

/* Replaces the tags of a session inside the caller's transaction. `line`: names with commas between them;
 * empty: none. New names become tags. RC_BAD_INPUT: a name is refused. RC_CONFLICT: too many. */
enum rc tags_set(struct db *db, int64_t owner, int64_t session, struct str line, int64_t now, struct err *e);
/* Adds or removes one. A new name becomes a tag when it is added. */
enum rc tags_add(struct db *db, int64_t owner, int64_t session, struct str name, int64_t now, struct err *e);
enum rc tags_remove(struct db *db, int64_t owner, int64_t session, struct str name, struct err *e);

struct tag_change {
    struct str name; /* .s NULL: unchanged */
    int colour;      /* -1: unchanged */
};
/* RC_CONFLICT: another tag has the name. */
enum rc tag_change(
    struct store *s, int64_t owner, int64_t id, const struct tag_change *change, struct err *e);
/* RC_CONFLICT, with a sentence: the name exists, or the user has TAGS_MAX tags. `colour` -1: by the name. */
enum rc tag_add(
    struct store *s, int64_t owner, struct str name, int colour, int64_t now, int64_t *id, struct err *e);
enum rc tag_merge(struct store *s, int64_t owner, int64_t from, int64_t to, struct err *e);
enum rc tag_delete(struct store *s, int64_t owner, int64_t id, struct err *e);

#endif
