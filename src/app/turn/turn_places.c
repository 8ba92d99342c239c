/* The limits on running turns. A user can have [limits] turns_per_user of them at once, so that one user does
 * not use up the connections and the model of all others. A turn takes a place before its launch and returns
 * it when its end is saved. The pictures of all turns together have at most [limits] turn_pictures_bytes,
 * because they stay in memory until their turn is freed. */
#include "app/turn/turn_private.h"

#include <stdlib.h>

#define RETRY_S 5

struct turn_place {
    int64_t owner;
    int64_t taken;
};

static struct turn_place *find(struct turn_engine *en, int64_t owner)
{
    for (size_t i = 0; i < en->places_n; i++)
        if (en->places[i].owner == owner)
            return &en->places[i];
    return NULL;
}

static struct turn_place *add(struct turn_engine *en, int64_t owner)
{
    if (en->places_n == en->places_room) {
        en->places_room = en->places_room ? 2 * en->places_room : 8;
        en->places = xrealloc(en->places, en->places_room * sizeof *en->places);
    }
    en->places[en->places_n] = (struct turn_place){.owner = owner};
    return &en->places[en->places_n++];
}

enum rc turn_take_place(struct turn *t, int64_t owner, struct err *e)
{
    struct turn_engine *en = t->en;
    int64_t most = en->set.config->limits.turns_per_user;
    pthread_mutex_lock(&en->places_lock);
    struct turn_place *p = find(en, owner);
    bool room = !p || p->taken < most;
    if (room) {
        p = p ? p : add(en, owner);
        p->taken++;
        t->place_user = owner;
    }
    pthread_mutex_unlock(&en->places_lock);
    if (room)
        return RC_OK;
    if (e)
        e->retry_after_s = RETRY_S;
    return err_say(e, RC_RATE_LIMITED, "chat.too_many_turns", arg_int("max", most));
}

enum rc turn_hold_pictures(struct turn *t, int64_t bytes, struct err *e)
{
    struct turn_engine *en = t->en;
    pthread_mutex_lock(&en->places_lock);
    bool room = en->picture_bytes + bytes <= en->set.config->limits.turn_pictures_bytes;
    if (room) {
        en->picture_bytes += bytes;
        t->picture_bytes += bytes;
    }
    pthread_mutex_unlock(&en->places_lock);
    if (room)
        return RC_OK;
    if (e)
        e->retry_after_s = RETRY_S;
    return err_say(e, RC_UNAVAILABLE, "picture.many_at_once");
}

void turn_drop_pictures(struct turn *t)
{
    pthread_mutex_lock(&t->en->places_lock);
    t->en->picture_bytes -= t->picture_bytes;
    pthread_mutex_unlock(&t->en->places_lock);
    t->picture_bytes = 0;
}

void turn_leave_place(struct turn *t)
{
    struct turn_engine *en = t->en;
    if (!t->place_user)
        return;
    pthread_mutex_lock(&en->places_lock);
    struct turn_place *p = find(en, t->place_user);
    if (--p->taken == 0)
        *p = en->places[--en->places_n];
    pthread_mutex_unlock(&en->places_lock);
    t->place_user = 0;
}
