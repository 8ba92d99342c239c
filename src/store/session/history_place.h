/* The places at which conversations of programs continue (app/turn/turn_given.h). */
#ifndef ALFRED_STORE_SESSION_HISTORY_PLACE_H
#define ALFRED_STORE_SESSION_HISTORY_PLACE_H

#include "store/store.h"

struct history_place {
    int64_t session_id, message_id;
};

/* RC_NOT_FOUND: the key is not known. The message may be deleted. */
enum rc store_history_place_find(
    struct db *db, int64_t owner, const char *key, struct history_place *out, struct err *e);
enum rc store_history_place_set(
    struct db *db, int64_t owner, const char *key, const struct history_place *p, struct err *e);

#endif
