/*
 * The bench's clients, all over plain HTTP/1.1 on 127.0.0.1. Every mode ends by itself and prints one JSON
 * object.
 *
 *     load get PORT PATH HEADERS CLIENTS SECONDS
 *     load post PORT PATH HEADERS BODY CLIENTS SECONDS
 *         Requests on kept connections: how many, and how long each took.
 *
 *     load first PORT PATH HEADERS BODY COUNT MARK [MARK]
 *         One POST after another, each on a new connection: the time from its sending until a MARK arrives.
 *
 *     load streams PORT PATH HEADERS BODY STREAMS SECONDS WINDOWS
 *         Many POSTs at once whose answers stream tokens "t<microseconds>": their number and their delays.
 *         Once every stream has had a token, it counts in windows of SECONDS. Each window prints "begin",
 *         "end" and its JSON object. Before each window and after the last one the streams are read for
 *         PAUSE_US without counting, so that the reader of these lines can look at the service or change
 *         what it measures.
 *
 * HEADERS are lines that end in \r\n; %d in PATH or BODY becomes a number of its own in every request.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define REQUEST_MAX 8192
#define ANSWER_MAX  (1024 * 1024)
#define SAMPLES_MAX 4000000
#define THREADS_MAX 256
#define FDS_MAX     65536
#define OPENING_MAX 32
#define PAUSE_US    2000000
#define SPEAK_US    60000000 /* limit until every stream has had a token */

struct job {
    int port;
    const char *path, *headers, *body; /* body NULL: GET */
    int64_t until;
};

static atomic_int serial;
static atomic_int samples_n, failures;
static int32_t samples[SAMPLES_MAX]; /* microseconds */

static int64_t now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void add_sample(int64_t us)
{
    int i = atomic_fetch_add(&samples_n, 1);
    if (i < SAMPLES_MAX)
        samples[i] = (int32_t)us;
}

static int connect_to(int port)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    if (connect(fd, (struct sockaddr *)&to, sizeof to) < 0) {
        close(fd);
        return -1;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
}

static int fill_number(char *out, size_t size, const char *format, int number)
{
    const char *mark = strstr(format, "%d");
    if (!mark)
        return snprintf(out, size, "%s", format);
    return snprintf(out, size, "%.*s%d%s", (int)(mark - format), format, number, mark + 2);
}

static bool send_request(int fd, const struct job *j)
{
    char body[REQUEST_MAX / 2] = "", path[512], out[REQUEST_MAX];
    int number = atomic_fetch_add(&serial, 1), body_n = 0, n;
    fill_number(path, sizeof path, j->path, number);
    if (j->body) {
        body_n = fill_number(body, sizeof body, j->body, number);
        n = snprintf(out, sizeof out,
            "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: %d\r\n%s\r\n%s", path, j->port, body_n,
            j->headers, body);
    } else {
        n = snprintf(
            out, sizeof out, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s\r\n", path, j->port, j->headers);
    }
    return send(fd, out, (size_t)n, MSG_NOSIGNAL) == n;
}

/* Reads one answer with Content-Length. Returns its status, or 0. nginx announces in a header that it
 * closes a connection after 1,000 requests. */
static int read_answer(int fd, char *buf, bool *closes)
{
    size_t have = 0, want = 0;
    do {
        ssize_t n = recv(fd, buf + have, ANSWER_MAX - 1 - have, 0);
        if (n <= 0)
            return 0;
        have += (size_t)n;
        buf[have] = '\0';
        const char *end = want ? NULL : strstr(buf, "\r\n\r\n"),
                   *length = want ? NULL : strcasestr(buf, "content-length:");
        if (end && length) {
            want = (size_t)(end + 4 - buf) + strtoul(length + 15, NULL, 10);
            *closes = strcasestr(buf, "connection: close") != NULL;
        }
    } while (!want || have < want);
    return atoi(buf + 9);
}

static void *client(void *arg)
{
    const struct job *j = arg;
    char *buf = malloc(ANSWER_MAX);
    int fd = -1;
    while (now_us() < j->until) {
        if (fd < 0)
            fd = connect_to(j->port);
        int64_t start = now_us();
        bool closes = true;
        int status = fd >= 0 && send_request(fd, j) ? read_answer(fd, buf, &closes) : 0;
        if (status >= 200 && status < 300)
            add_sample(now_us() - start);
        else
            atomic_fetch_add(&failures, 1);
        if (closes || status == 0) {
            if (fd >= 0)
                close(fd);
            fd = -1;
        }
    }
    if (fd >= 0)
        close(fd);
    free(buf);
    return NULL;
}

static void run_clients(struct job *j, int clients, int seconds)
{
    pthread_t threads[THREADS_MAX];
    j->until = now_us() + (int64_t)seconds * 1000000;
    clients = clients < THREADS_MAX ? clients : THREADS_MAX;
    for (int i = 0; i < clients; i++)
        pthread_create(&threads[i], NULL, client, j);
    for (int i = 0; i < clients; i++)
        pthread_join(threads[i], NULL);
}

/* Sends each request on its own connection. Reads until one of the marks arrives, then to the end. */
static void run_first(const struct job *j, int count, const char *mark, const char *other)
{
    char *buf = malloc(ANSWER_MAX);
    for (int i = 0; i < count; i++) {
        int fd = connect_to(j->port);
        size_t have = 0;
        bool found = false;
        int64_t start = now_us();
        ssize_t n = 0;
        if (fd < 0 || !send_request(fd, j)) {
            atomic_fetch_add(&failures, 1);
            continue;
        }
        while (have < ANSWER_MAX - 1 && (n = recv(fd, buf + have, ANSWER_MAX - 1 - have, 0)) > 0) {
            have += (size_t)n;
            buf[have] = '\0';
            if (!found && (strstr(buf, mark) || strstr(buf, other))) {
                found = true;
                add_sample(now_us() - start);
            }
            if (have >= 5 && memcmp(buf + have - 5, "0\r\n\r\n", 5) == 0)
                break;
        }
        if (!found)
            atomic_fetch_add(&failures, 1);
        close(fd);
    }
    free(buf);
}

/* The newest token of a piece tells how long it was on the way. Every "t<16 digits>" is one token. */
static void count_tokens(const char *p, size_t n, int64_t *last)
{
    int64_t now = now_us();
    for (const char *at = p, *end = p + n; (at = memchr(at, 't', (size_t)(end - at))) != NULL; at++) {
        char *stop;
        if (at + 8 > end || at[1] < '0' || at[1] > '9')
            continue;
        int64_t sent = strtoll(at + 1, &stop, 10);
        if (stop - at < 8 || stop >= end || sent <= *last || sent > now)
            continue;
        *last = sent;
        add_sample(now - sent);
    }
}

struct streams {
    const struct job *job;
    int ep, open, want, spoken;
    int64_t last[FDS_MAX]; /* by descriptor: when its newest token was sent; 0: none has come */
    char *buf;
};

/* Only a few streams wait for their first token at a time: the service refuses a burst that is larger than
 * its queue. */
static void open_more(struct streams *s)
{
    while (s->open < s->want && s->open - s->spoken < OPENING_MAX) {
        int fd = connect_to(s->job->port);
        s->open++;
        if (fd < 0 || fd >= FDS_MAX || !send_request(fd, s->job)) {
            atomic_fetch_add(&failures, 1);
            s->spoken++;
            continue;
        }
        epoll_ctl(s->ep, EPOLL_CTL_ADD, fd, &(struct epoll_event){.events = EPOLLIN, .data.fd = fd});
    }
}

/* A stream that ends, or an answer that does not begin as a stream, is a failure. */
static void read_stream(struct streams *s, int fd)
{
    bool silent = s->last[fd] == 0;
    ssize_t got = recv(fd, s->buf, ANSWER_MAX - 1, MSG_DONTWAIT);
    if (got < 0 && errno == EAGAIN)
        return;
    if (got > 0 && !(silent && memcmp(s->buf, "HTTP/1.1 ", 9) == 0 && atoi(s->buf + 9) != 200)) {
        s->buf[got] = '\0';
        count_tokens(s->buf, (size_t)got, &s->last[fd]);
        s->spoken += silent && s->last[fd] != 0;
        return;
    }
    atomic_fetch_add(&failures, 1);
    s->spoken += silent;
    close(fd);
}

/* Reads until that time, or with `opening` until every stream has had a token. */
static void read_streams(struct streams *s, int64_t until, bool opening)
{
    for (int64_t left; (left = until - now_us()) > 0 && !(opening && s->spoken == s->want);) {
        struct epoll_event events[256];
        open_more(s);
        int n = epoll_wait(s->ep, events, 256, (int)(left / 1000) + 1);
        for (int i = 0; i < n; i++)
            read_stream(s, events[i].data.fd);
    }
}

static void say(const char *line)
{
    puts(line);
    fflush(stdout);
}

static int compare(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void print_result(void)
{
    int n = samples_n < SAMPLES_MAX ? samples_n : SAMPLES_MAX;
    qsort(samples, (size_t)n, sizeof samples[0], compare);
#define AT(share) (n ? samples[(int)((n - 1) * (share))] : 0)
    printf("{\"count\":%d,\"failures\":%d,\"p50_us\":%d,\"p99_us\":%d,\"max_us\":%d}\n", samples_n, failures,
        AT(.5), AT(.99), AT(1.));
    fflush(stdout);
}

static void run_streams(const struct job *j, int streams, int seconds, int windows)
{
    static struct streams s;
    s = (struct streams){.job = j, .ep = epoll_create1(0), .want = streams, .buf = malloc(ANSWER_MAX)};
    read_streams(&s, now_us() + SPEAK_US, true);
    s.want = s.open; /* the rest is too late */
    for (int i = 0; i < windows; i++) {
        read_streams(&s, now_us() + PAUSE_US, false);
        samples_n = 0;
        say("begin");
        read_streams(&s, now_us() + (int64_t)seconds * 1000000, false);
        say("end");
        print_result();
    }
    read_streams(&s, now_us() + PAUSE_US, false);
    free(s.buf);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    bool get = strcmp(mode, "get") == 0;
    if (argc < 7 || (!get && argc < 8)) {
        fputs("usage: see the head of load.c\n", stderr);
        return 2;
    }
    struct job j = {.port = atoi(argv[2]), .path = argv[3], .headers = argv[4], .body = get ? NULL : argv[5]};
    if (get)
        run_clients(&j, atoi(argv[5]), atoi(argv[6]));
    else if (strcmp(mode, "first") == 0)
        run_first(&j, atoi(argv[6]), argv[7], argv[argc - 1]);
    else if (strcmp(mode, "post") == 0)
        run_clients(&j, atoi(argv[6]), atoi(argv[7]));
    else
        run_streams(&j, atoi(argv[6]), atoi(argv[7]), argc > 8 ? atoi(argv[8]) : 1);
    if (strcmp(mode, "streams") != 0)
        print_result();
    return 0;
}
