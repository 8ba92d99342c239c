#include "app/channel/strangers.h"

#include "base/clock.h"
#include "base/str.h"

void strangers_init(struct strangers *s)
{
    *s = (struct strangers){0};
    pthread_mutex_init(&s->lock, NULL);
}

void strangers_release(struct strangers *s)
{
    pthread_mutex_destroy(&s->lock);
}

static bool was_told(const struct strangers *s, uint64_t who)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->told[i] == who)
            return true;
    return false;
}

bool strangers_tell(
    struct strangers *s, const char *channel, enum stranger_kind kind, const char *id, int64_t now)
{
    const char letter = (char)kind;
    uint64_t who = str_hash(str_of(id), str_hash((struct str){&letter, 1}, str_hash(str_of(channel), 0)));
    bool tell = false;
    pthread_mutex_lock(&s->lock);
    if (now / MS_PER_MIN != s->minute) {
        s->minute = now / MS_PER_MIN;
        s->count = 0;
    }
    if (s->count < STRANGERS_PER_MINUTE && !was_told(s, who)) {
        tell = true;
        s->count++;
        s->told[s->next] = who;
        s->next = (s->next + 1) % STRANGERS_MAX;
        s->n += s->n < STRANGERS_MAX;
    }
    pthread_mutex_unlock(&s->lock);
    return tell;
}
