#include "web/http/places.h"

#include "base/mem.h"

bool places_take(struct places *p, int64_t user)
{
    int64_t *mine = NULL;
    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < ARRAY_LEN(p->users); i++)
        if (!p->users[i])
            mine = &p->users[i];
    for (size_t i = 0; i < ARRAY_LEN(p->users); i++)
        if (p->users[i] == user)
            mine = NULL;
    if (mine)
        *mine = user;
    pthread_mutex_unlock(&p->lock);
    return mine != NULL;
}

enum rc places_enter(struct places *p, int64_t user, const char *sentence, int retry_s, struct err *e)
{
    if (places_take(p, user))
        return RC_OK;
    if (e)
        e->retry_after_s = retry_s;
    return err_say(e, RC_UNAVAILABLE, sentence);
}

void places_leave(struct places *p, int64_t user)
{
    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < ARRAY_LEN(p->users); i++)
        if (p->users[i] == user)
            p->users[i] = 0;
    pthread_mutex_unlock(&p->lock);
}
