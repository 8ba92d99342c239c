#include "db/turnstile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/rand.h"

enum rc turnstile_open(struct turnstile *t, const char *path, struct err *e)
{
    t->fd = -1;
    AUTO_STRBUF name;
    strbuf_init(&name, FS_PATH_MAX);
    strbuf_addf(&name, "%s-turn", path);
    if (name.failed)
        return err_set(e, RC_IO, "the database's path is too long");
    t->fd = open(name.s, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (t->fd < 0)
        return err_set(e, RC_IO, "%s: %s", name.s, strerror(errno));
    return RC_OK;
}

void turnstile_close(struct turnstile *t)
{
    fs_close(&t->fd);
}

void turnstile_nap(void)
{
    /* uneven, so that two who wait do not keep meeting a third at the same point of its round */
    struct timespec t = {.tv_nsec = 500000 + (long)rand_below(1000000)};
    nanosleep(&t, NULL);
}

static bool lock(int fd, short type)
{
    struct flock l = {.l_type = type, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_SETLK, &l) == 0;
}

void turnstile_enter(struct turnstile *t, int64_t wait_ms)
{
    if (t->fd < 0 || lock(t->fd, F_WRLCK))
        return;
    int64_t until = clock_mono_ms() + wait_ms;
    while (clock_mono_ms() < until) {
        turnstile_nap();
        if (lock(t->fd, F_WRLCK))
            return;
    }
}

void turnstile_leave(struct turnstile *t)
{
    if (t->fd >= 0)
        lock(t->fd, F_UNLCK);
}
