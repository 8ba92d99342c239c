#include "web/fcgi/fcgi_stream.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "web/fcgi/fcgi_record.h"

#define SEND_FLAGS (MSG_NOSIGNAL | MSG_DONTWAIT)
#define SMALL_MAX  1024 /* longest content that is copied behind its header to send both at once */

struct fcgi_stream {
    int fd, request_id;
    struct strbuf backlog;
    size_t sent; /* bytes of the backlog that were sent */
};

struct fcgi_stream *fcgi_stream_new(struct fcgi_conn c, size_t backlog_max)
{
    struct fcgi_stream *s = xmalloc(sizeof *s);
    *s = (struct fcgi_stream){.fd = c.fd, .request_id = c.request_id};
    strbuf_init(&s->backlog, backlog_max);
    return s;
}

void fcgi_stream_free(struct fcgi_stream *s)
{
    if (!s)
        return;
    close(s->fd);
    strbuf_release(&s->backlog);
    free_charp(&s);
}

int fcgi_stream_fd(const struct fcgi_stream *s)
{
    return s->fd;
}

bool fcgi_stream_waiting(const struct fcgi_stream *s)
{
    return s->sent < s->backlog.len;
}

static enum rc gone(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? RC_OK : RC_IO;
}

size_t fcgi_stream_unsent(const struct fcgi_stream *s)
{
    return s->backlog.len - s->sent;
}

enum rc fcgi_stream_flush(struct fcgi_stream *s)
{
    while (fcgi_stream_waiting(s)) {
        ssize_t n = send(s->fd, s->backlog.s + s->sent, s->backlog.len - s->sent, SEND_FLAGS);
        if (n < 0)
            return gone();
        s->sent += (size_t)n;
    }
    strbuf_release(&s->backlog); /* most streams never need it again */
    s->sent = 0;
    return RC_OK;
}

/* Removes sent bytes from the backlog when they are more than half, which bounds the cost of moving, or
 * when `more` bytes need the room. Only unsent bytes count against the cap. */
static void drop_sent(struct fcgi_stream *s, size_t more)
{
    struct strbuf *b = &s->backlog;
    if (s->sent <= b->len / 2 && more <= b->cap - b->len)
        return;
    strbuf_drop_front(b, s->sent);
    s->sent = 0;
}

/* Sends header and content in one call. The rest goes to the backlog. */
static enum rc send_record(struct fcgi_stream *s, enum fcgi_record type, struct str content)
{
    unsigned char header[FCGI_RECORD_HEADER + SMALL_MAX];
    fcgi_record_header(header, type, s->request_id, content.len);
    size_t taken = 0;
    if (!fcgi_stream_waiting(s)) {
        ssize_t n;
        if (content.len <= SMALL_MAX) {
            memcpy(header + FCGI_RECORD_HEADER, content.len ? content.s : "", content.len);
            n = send(s->fd, header, FCGI_RECORD_HEADER + content.len, SEND_FLAGS);
        } else {
            struct iovec parts[2] = {
                {header, FCGI_RECORD_HEADER}, {(void *)(uintptr_t)content.s, content.len}};
            struct msghdr msg = {.msg_iov = parts, .msg_iovlen = 2};
            n = sendmsg(s->fd, &msg, SEND_FLAGS);
        }
        if (n < 0 && gone() != RC_OK)
            return RC_IO;
        taken = n > 0 ? (size_t)n : 0;
    } else {
        drop_sent(s, FCGI_RECORD_HEADER + content.len);
    }
    if (taken < FCGI_RECORD_HEADER)
        strbuf_add(&s->backlog, header + taken, FCGI_RECORD_HEADER - taken);
    size_t of_content = taken > FCGI_RECORD_HEADER ? taken - FCGI_RECORD_HEADER : 0;
    if (of_content < content.len)
        strbuf_add(&s->backlog, content.s + of_content, content.len - of_content);
    return s->backlog.failed ? RC_TOO_BIG : RC_OK;
}

enum rc fcgi_stream_send(struct fcgi_stream *s, struct str data)
{
    while (data.len) {
        size_t n = data.len < FCGI_RECORD_MAX ? data.len : FCGI_RECORD_MAX;
        enum rc rc = send_record(s, FCGI_RECORD_STDOUT, (struct str){data.s, n});
        if (rc != RC_OK)
            return rc;
        data.s += n;
        data.len -= n;
    }
    return RC_OK;
}

enum rc fcgi_stream_end(struct fcgi_stream *s)
{
    enum rc rc = send_record(s, FCGI_RECORD_STDOUT, (struct str){0});
    if (rc == RC_OK)
        rc = send_record(s, FCGI_RECORD_END, FCGI_RECORD_COMPLETE);
    return rc;
}
