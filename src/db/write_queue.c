#include "db/write_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/rand.h"

#define NAP_SHARE  8 /* a sleep lasts this fraction of the time waited so far, between the two limits */
#define NAP_US_MIN 50
#define NAP_US_MAX 1000

enum rc write_queue_open(struct write_queue *q, const char *path, struct err *e)
{
    q->fd = -1;
    AUTO_STRBUF name;
    strbuf_init(&name, FS_PATH_MAX);
    strbuf_addf(&name, "%s-turn", path);
    if (name.failed)
        return err_set(e, RC_IO, "the database's path is too long");
    q->fd = open(name.s, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (q->fd < 0)
        return err_set(e, RC_IO, "%s: %s", name.s, strerror(errno));
    return RC_OK;
}

void write_queue_close(struct write_queue *q)
{
    fs_close(&q->fd);
}

void write_queue_pause(struct stopwatch *waited)
{
    int64_t us = stopwatch_us(waited) / NAP_SHARE;
    us = us < NAP_US_MIN ? NAP_US_MIN : us > NAP_US_MAX ? NAP_US_MAX : us;
    /* random, so that two waiting processes do not stay in step with a third */
    struct timespec t = {.tv_nsec = (long)(us * 500 + rand_below((uint32_t)us) * 1000)};
    nanosleep(&t, NULL);
}

static bool lock(int fd, short type)
{
    struct flock l = {.l_type = type, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_SETLK, &l) == 0;
}

void write_queue_enter(struct write_queue *q, struct stopwatch *waited, int64_t wait_ms)
{
    if (q->fd < 0 || lock(q->fd, F_WRLCK))
        return;
    while (stopwatch_us(waited) < wait_ms * US_PER_MS) {
        write_queue_pause(waited);
        if (lock(q->fd, F_WRLCK))
            return;
    }
}

void write_queue_leave(struct write_queue *q)
{
    if (q->fd >= 0)
        lock(q->fd, F_UNLCK);
}
