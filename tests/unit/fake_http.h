/*
 * A scripted HTTP server in a thread of the test program: each request gets the next reply of the script,
 * byte for byte, so that it can be as wrong as a test wants. Header only, for one program each.
 *
 *     static const struct fake_reply script[] = {{.text = FAKE_OK("text/event-stream") "data: ..."}};
 *     struct fake_http *f = fake_http_start(script, 1);
 *     ... fake_http_url(f) ...
 *     fake_http_stop(f);
 */
#ifndef ALFRED_TESTS_FAKE_HTTP_H
#define ALFRED_TESTS_FAKE_HTTP_H

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/strbuf.h"

#define FAKE_OK(type)     "HTTP/1.1 200 OK\r\nContent-Type: " type "\r\nConnection: close\r\n\r\n"
#define FAKE_REQUESTS_MAX 32
#define FAKE_REQUEST_SIZE (256 * 1024)

enum fake_after {
    FAKE_CLOSE, /* the answer ends in good order */
    FAKE_RESET, /* the connection breaks */
    FAKE_HANG,  /* nothing more comes, until the client goes away or the server is stopped */
    FAKE_KEEP   /* the next request comes on the same connection */
};

struct fake_reply {
    const char *text;
    size_t n;        /* 0: strlen(text) */
    size_t chunked;  /* not 0: the text is a body, sent with status 200 in HTTP chunks of this size */
    size_t split_at; /* not 0: likewise, in two chunks */
    size_t repeat;   /* repetitions of the text */
    enum fake_after after;
};

struct fake_http {
    int listener, stop, port;
    pthread_t thread;
    const struct fake_reply *script;
    size_t script_n;
    /* Read these after fake_http_stop(); requests_n also before, atomically. */
    char *requests[FAKE_REQUESTS_MAX]; /* whole, head and body */
    size_t requests_n, connections_n;
    bool client_left; /* while hanging */
    char url[64];
};

/* Waits for the descriptor; false when the server is to stop. What a client did before is served first, so
 * that the records do not depend on when this thread runs. */
static bool fake_wait(struct fake_http *f, int fd)
{
    struct pollfd fds[2] = {{fd, POLLIN, 0}, {f->stop, POLLIN, 0}};
    while (poll(fds, 2, -1) < 0 && errno == EINTR)
        ;
    return fds[0].revents != 0;
}

static bool fake_send(int fd, const void *p, size_t n)
{
    const char *at = p;
    while (n) {
        ssize_t sent = send(fd, at, n, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        at += sent;
        n -= (size_t)sent;
    }
    return true;
}

static bool fake_send_chunk(int fd, const char *p, size_t n)
{
    char head[32];
    int len = snprintf(head, sizeof head, "%zx\r\n", n);
    return fake_send(fd, head, (size_t)len) && fake_send(fd, p, n) && fake_send(fd, "\r\n", 2);
}

static void fake_reply_with(int fd, const struct fake_reply *r)
{
    static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                               "Transfer-Encoding: chunked\r\n\r\n";
    size_t n = r->n ? r->n : strlen(r->text);
    bool ok = true;
    if (!r->chunked && !r->split_at) {
        for (size_t i = 0; ok && i <= r->repeat; i++)
            ok = fake_send(fd, r->text, n);
        return;
    }
    ok = fake_send(fd, head, sizeof head - 1);
    size_t step = r->split_at ? r->split_at : r->chunked;
    for (size_t at = 0; ok && at < n; at += step) {
        if (at > 0 && r->split_at)
            step = n - at;
        ok = fake_send_chunk(fd, r->text + at, n - at < step ? n - at : step);
    }
    if (ok && r->after != FAKE_RESET && r->after != FAKE_HANG)
        fake_send(fd, "0\r\n\r\n", 5);
}

/* A whole request, or NULL when the client left or the server is to stop. */
static char *fake_read_request(struct fake_http *f, int fd)
{
    char *buf = xmalloc(FAKE_REQUEST_SIZE);
    size_t n = 0;
    for (;;) {
        if (!fake_wait(f, fd))
            break;
        ssize_t got = recv(fd, buf + n, FAKE_REQUEST_SIZE - 1 - n, 0);
        if (got <= 0)
            break;
        n += (size_t)got;
        buf[n] = '\0';
        if (buf[0] == 0x16) /* a TLS client: it gets the reply too */
            return buf;
        const char *end = strstr(buf, "\r\n\r\n"), *length = strcasestr(buf, "\r\nContent-Length:");
        if (end &&
            n >= (size_t)(end + 4 - buf) + (length && length < end ? strtoul(length + 17, NULL, 10) : 0))
            return buf;
    }
    free(buf);
    return NULL;
}

static void fake_hang(struct fake_http *f, int fd)
{
    char c;
    ssize_t got = 1;
    while (got > 0 && fake_wait(f, fd))
        got = recv(fd, &c, 1, 0);
    f->client_left = got <= 0;
}

static bool fake_serve(struct fake_http *f, int fd)
{
    char *request = fake_read_request(f, fd);
    if (!request)
        return false;
    if (f->requests_n == f->script_n || f->requests_n == FAKE_REQUESTS_MAX) {
        free(request);
        return false;
    }
    const struct fake_reply *r = &f->script[f->requests_n];
    f->requests[f->requests_n] = request;
    __atomic_add_fetch(&f->requests_n, 1, __ATOMIC_SEQ_CST);
    fake_reply_with(fd, r);
    if (r->after == FAKE_HANG)
        fake_hang(f, fd);
    if (r->after == FAKE_RESET) {
        struct linger now = {1, 0};
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    }
    return r->after == FAKE_KEEP;
}

static void *fake_run(void *arg)
{
    struct fake_http *f = arg;
    while (fake_wait(f, f->listener)) {
        int fd = accept4(f->listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0)
            continue;
        f->connections_n++;
        while (fake_serve(f, fd))
            ;
        close(fd);
    }
    return NULL;
}

static struct fake_http *fake_http_start(const struct fake_reply *script, size_t n)
{
    struct fake_http *f = xcalloc(1, sizeof *f);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    f->script = script;
    f->script_n = n;
    f->stop = eventfd(0, EFD_CLOEXEC);
    f->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(f->listener, (struct sockaddr *)&at, size) < 0 || listen(f->listener, 16) < 0 ||
        getsockname(f->listener, (struct sockaddr *)&at, &size) < 0)
        abort();
    f->port = ntohs(at.sin_port);
    snprintf(f->url, sizeof f->url, "http://127.0.0.1:%d", f->port);
    pthread_create(&f->thread, NULL, fake_run, f);
    return f;
}

/* After this the records may be read; release them with fake_http_free(). */
static void fake_http_stop(struct fake_http *f)
{
    uint64_t one = 1;
    if (write(f->stop, &one, sizeof one) != sizeof one)
        abort();
    pthread_join(f->thread, NULL);
    close(f->listener);
    close(f->stop);
}

static void fake_http_free(struct fake_http *f)
{
    for (size_t i = 0; i < f->requests_n; i++)
        free(f->requests[i]);
    free(f);
}

#endif
