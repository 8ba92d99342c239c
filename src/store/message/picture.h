/*
 * Pictures of messages: those that users add, and those that models draw. A picture is stored first, and has
 * no message until one is added with it.
 * It belongs to one message, and is deleted with it by the foreign key. A new version of a message gets
 * copies. The message's row describes its pictures, so that no list of messages reads their bytes.
 */
#ifndef ALFRED_STORE_MESSAGE_PICTURE_H
#define ALFRED_STORE_MESSAGE_PICTURE_H

#include "base/clock.h"
#include "base/id.h"
#include "store/store.h"

#define ID_PICTURE "pic_"

#define PICTURES_PER_MESSAGE  8
#define PICTURES_UNSENT_MAX   64               /* of one user */
#define PICTURE_UNSENT_MS     (2 * MS_PER_DAY) /* then one without a message is removed */
#define PICTURE_ALT_CHARS_MAX 300

struct picture {
    const char *pub;
    const char *media_type; /* as in codec/picture.h */
    int width, height;      /* pixels */
    int64_t bytes;
    const char *alt; /* what it shows, in words: only the message's row has it; NULL: unknown */
};

/* Adds a picture without a message; sets p->pub in `a`. When the user has PICTURES_UNSENT_MAX of them, the
 * oldest one is removed, unless an order for a turn waits with it. */
enum rc store_picture_add(struct db *db, struct arena *a, int64_t owner, struct picture *p, struct str data,
    int64_t now, struct err *e);
/* The same without that limit, for a message that is added in the same transaction. */
enum rc store_picture_insert(struct db *db, struct arena *a, int64_t owner, struct picture *p,
    struct str data, int64_t now, struct err *e);

/* The bytes of all pictures of a user. */
enum rc store_pictures_bytes(struct db *db, int64_t owner, int64_t *bytes, struct err *e);

/* `data` may be NULL: the bytes are not read. RC_NOT_FOUND. */
enum rc store_picture_get(struct db *db, struct arena *a, int64_t owner, const char *pub, struct picture *out,
    struct str *data, struct err *e);
/* Those with the ids in `pubs`, which blanks separate, in this order; one that is named twice counts once.
 * RC_BAD_INPUT, with a sentence: one is no longer there. RC_TOO_BIG, with a sentence: more than
 * PICTURES_PER_MESSAGE. */
enum rc store_pictures_find(struct db *db, struct arena *a, int64_t owner, struct str pubs,
    struct picture **out, size_t *n, struct err *e);

/* Before a message is added with them: replaces each picture that has a message by a copy without one. Sets
 * its pub in `a`. */
enum rc store_pictures_free(struct db *db, struct arena *a, int64_t owner, struct picture *list, size_t n,
    int64_t now, struct err *e);
/* Gives them to the message `id`, which is added already. RC_CONFLICT: one has a message. */
enum rc store_pictures_take(
    struct db *db, int64_t owner, int64_t id, const struct picture *list, size_t n, struct err *e);

/* Removes at most `limit` pictures without a message that were added before `before`, but none of an order
 * for a turn that waits (turn_order.h). */
enum rc store_picture_sweep(struct db *db, int64_t before, int limit, int64_t *removed, struct err *e);
/* Removes one picture of a user who is erased. `more`: there may be another. */
enum rc store_picture_erase_one(struct db *db, int64_t owner, bool *more, struct err *e);

/* The column `message.pictures`: a JSON list of {"id","type","width","height","bytes","alt"?}. NULL: none. A
 * text that cannot be read has none, too. */
void picture_list_read(struct arena *a, const char *json, const struct picture **out, size_t *n);
struct picture *picture_list_copy(struct arena *a, const struct picture *list, size_t n);
const char *picture_list_json(struct arena *a, const struct picture *list, size_t n);

#endif
