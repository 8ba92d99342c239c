/*
 * The bench's provider: an openai-compatible server on 127.0.0.1 that streams tokens as fast or as slowly as
 * its address says, /v1/TOKENS/GAP_MS/chat/completions. Every token is "t<microseconds>" with the monotonic
 * time at which it was written, so that a client on the same machine can compute its delay.
 *
 *     provider PORT
 *
 * One thread; paced streams begin at a random moment of their first gap, so that they are spread evenly over
 * time.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CONNS_MAX       8192
#define REQUEST_MAX     (256 * 1024)
#define WORDS_PER_BLOCK 40

struct conn {
    char *in;
    size_t have;
    int64_t next_us, gap_us; /* next_us 0: nothing to send */
    int left, sent;
};

static struct conn conns[CONNS_MAX];
static int highest;

static int64_t now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static bool write_all(int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t done = send(fd, p, n, MSG_NOSIGNAL);
        if (done <= 0)
            return false; /* the reader is too far behind to be measured */
        p += done;
        n -= (size_t)done;
    }
    return true;
}

static void drop(int fd)
{
    close(fd);
    free(conns[fd].in);
    conns[fd] = (struct conn){0};
}

static bool send_chunk(int fd, const char *data)
{
    char out[512];
    int n = snprintf(out, sizeof out, "%zx\r\n%s\r\n", strlen(data), data);
    return write_all(fd, out, (size_t)n);
}

/* Sends the due pieces. False: the connection is closed. */
static bool tick(int fd, int64_t now)
{
    struct conn *c = &conns[fd];
    char data[256];
    while (c->left > 0 && c->next_us <= now) {
        c->left--;
        const char *space = ++c->sent % WORDS_PER_BLOCK ? " " : "\\n\\n";
        snprintf(data, sizeof data,
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"t%lld%s\"}}]}\n\n",
            (long long)now_us(), space);
        if (!send_chunk(fd, data))
            return false;
        c->next_us += c->gap_us;
    }
    if (c->left > 0 || c->next_us == 0)
        return true;
    c->next_us = 0;
    return send_chunk(
               fd, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n") &&
           send_chunk(fd, "data: [DONE]\n\n") && write_all(fd, "0\r\n\r\n", 5);
}

static void start_answer(int fd)
{
    static const char head[] =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    struct conn *c = &conns[fd];
    int tokens = 1, gap_ms = 0;
    sscanf(c->in, "POST /v1/%d/%d/", &tokens, &gap_ms);
    c->have = 0;
    c->left = tokens;
    c->sent = 0;
    c->gap_us = (int64_t)gap_ms * 1000;
    /* paced streams begin somewhere within their first gap, so that they do not tick at once */
    c->next_us = now_us() + (gap_ms ? rand() % c->gap_us : 0);
    if (!write_all(fd, head, sizeof head - 1) || !tick(fd, now_us()))
        drop(fd);
}

/* Any GET asks for the models. Without an answer the service waits for it at each start. */
static void list_models(int fd)
{
    static const char list[] =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 66\r\n\r\n"
        "{\"object\":\"list\",\"data\":[{\"id\":\"m\",\"object\":\"model\",\"created\":0}]}";
    conns[fd].have = 0;
    if (!write_all(fd, list, sizeof list - 1))
        drop(fd);
}

static void on_input(int fd)
{
    struct conn *c = &conns[fd];
    if (!c->in)
        c->in = malloc(REQUEST_MAX + 1);
    ssize_t n = c->have < REQUEST_MAX ? recv(fd, c->in + c->have, REQUEST_MAX - c->have, 0) : 0;
    if (n <= 0) {
        if (n == 0 || errno != EAGAIN)
            drop(fd);
        return;
    }
    c->have += (size_t)n;
    c->in[c->have] = '\0';
    const char *end = strstr(c->in, "\r\n\r\n"), *length = strcasestr(c->in, "content-length:");
    if (end && strncmp(c->in, "GET ", 4) == 0)
        list_models(fd);
    else if (end && length && c->have >= (size_t)(end + 4 - c->in) + strtoul(length + 15, NULL, 10))
        start_answer(fd);
}

static int listen_on(int port)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), one = 1;
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(fd, (struct sockaddr *)&at, sizeof at) < 0 || listen(fd, 4096) < 0) {
        perror("provider: listen");
        exit(1);
    }
    return fd;
}

static void accept_all(int ep, int listener)
{
    int fd, one = 1;
    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
        if (fd >= CONNS_MAX) {
            close(fd);
            continue;
        }
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        epoll_ctl(ep, EPOLL_CTL_ADD, fd, &(struct epoll_event){.events = EPOLLIN, .data.fd = fd});
        if (fd > highest)
            highest = fd;
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: provider PORT\n", stderr);
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    int listener = listen_on(atoi(argv[1])), ep = epoll_create1(0);
    epoll_ctl(ep, EPOLL_CTL_ADD, listener, &(struct epoll_event){.events = EPOLLIN, .data.fd = listener});
    puts("ready");
    fflush(stdout);
    for (;;) {
        struct epoll_event events[256];
        bool paced = false;
        for (int fd = 0; fd <= highest && !paced; fd++)
            paced = conns[fd].next_us != 0;
        int n = epoll_wait(ep, events, 256, paced ? 1 : -1);
        for (int i = 0; i < n; i++) {
            if (events[i].data.fd == listener)
                accept_all(ep, listener);
            else
                on_input(events[i].data.fd);
        }
        int64_t now = now_us();
        for (int fd = 0; fd <= highest; fd++)
            if (conns[fd].next_us && !tick(fd, now))
                drop(fd);
    }
}
