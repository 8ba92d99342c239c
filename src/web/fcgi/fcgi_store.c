#include "web/fcgi/fcgi_store.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/thread.h"
#include "web/fcgi/fcgi_private.h"

#define PAUSE_MS 100 /* after a failed accept: no descriptor is left */

struct refusal {
    pthread_t thread;
    int end_fd; /* -1: nothing is refused */
};

static bool is_over(const struct refusal *r, int wait_ms)
{
    return poll(&(struct pollfd){.fd = r->end_fd, .events = POLLIN}, 1, wait_ms) > 0;
}

static void *refuse(void *arg)
{
    const struct refusal *r = arg;
    bool over = is_over(r, FCGI_REFUSE_MS);
    while (!over) {
        struct pollfd p[] = {{.fd = r->end_fd, .events = POLLIN}, {.fd = FCGI_LISTEN_FD, .events = POLLIN}};
        poll(p, ARRAY_LEN(p), -1);
        // cppcheck-suppress nullPointer
        AUTO_FD fd = p[1].revents ? accept4(FCGI_LISTEN_FD, NULL, NULL, SOCK_CLOEXEC) : -1;
        over = is_over(r, p[1].revents && fd < 0 ? PAUSE_MS : 0);
    }
    return NULL;
}

static enum rc refuse_begin(struct refusal *r, struct err *e)
{
    r->end_fd = -1;
    if (!getenv(CONFIG_UPGRADE_ENV))
        return RC_OK;
    enum rc rc = fcgi_check_socket(e);
    if (rc != RC_OK)
        return rc;
    r->end_fd = eventfd(0, EFD_CLOEXEC);
    if (r->end_fd < 0)
        return err_set(e, RC_IO, "eventfd: %s", strerror(errno));
    rc = thread_start(&r->thread, refuse, r, "the refused requests", e);
    if (rc != RC_OK)
        fs_close(&r->end_fd);
    return rc;
}

static void refuse_end(struct refusal *r)
{
    if (r->end_fd < 0)
        return;
    eventfd_write(r->end_fd, 1);
    pthread_join(r->thread, NULL);
    fs_close(&r->end_fd);
}

enum rc fcgi_store_open(const struct config *c, int readers, struct store **out, struct err *e)
{
    char path[FS_PATH_MAX];
    struct refusal refusal;
    enum rc rc = fs_join(path, c->server.data_dir, CONFIG_DATABASE, e);
    if (rc == RC_OK)
        rc = refuse_begin(&refusal, e);
    if (rc != RC_OK)
        return rc;
    rc = store_open(path, readers, out, e); /* may upgrade it, for minutes */
    refuse_end(&refusal);
    if (rc == RC_OK)
        store_checkpoints_later(*out);
    return rc;
}
