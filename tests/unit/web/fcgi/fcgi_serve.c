/* fcgi_serve() on a socket of our own, with a single thread for the handler, so that one slow request
 * blocks all. */
#include "unit.h"

#include <linux/sockios.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "web/fcgi/fcgi.h"
#include "web/fcgi/fcgi_record.h"

#define BODY_MAX    ((size_t)64 * 1024)
#define LARGE       ((size_t)4 * 1024 * 1024) /* more than a socket takes */
#define SILENT      64
#define QUEUED      3 /* fewer than are received while a thread is busy */
#define MANY        200
#define THREADS     4
#define ANSWER_MAX  (LARGE + 64 * 1024)
#define PATIENCE_MS 20000
#define ALARM_S     120

struct rig {
    pthread_t thread;
    int threads;
    struct sockaddr_un address;
    int gate[2]; /* the handler of /waits reads a byte */
    atomic_int handled;
    atomic_int waiting; /* calls of /waits */
    atomic_bool ended;
    char *large;
};

static void on_waits(struct rig *rig, struct fcgi_request *r)
{
    char c;
    atomic_fetch_add(&rig->waiting, 1);
    assert_int_equal(read(rig->gate[0], &c, 1), 1);
    fcgi_answer(r, STR("\r\n"), STR("waited"));
}

static void on_reads(struct fcgi_request *r)
{
    struct str body;
    struct err e = ERR_INIT;
    enum rc rc = fcgi_body(r, &body, &e);
    fcgi_answer(r, STR("\r\n"), rc == RC_OK ? body : str_of(e.text));
}

static void on_pieces(struct fcgi_request *r)
{
    char piece[1000], text[32];
    size_t all = 0, n;
    while ((n = fcgi_read_piece(r, piece, sizeof piece)) > 0)
        all += n;
    snprintf(text, sizeof text, "%zu", all);
    fcgi_answer(r, STR("\r\n"), str_of(text));
}

static void handle(void *arg, struct fcgi_request *r)
{
    struct rig *rig = arg;
    const char *uri = fcgi_param(r, "URI");
    if (strcmp(uri, "/waits") == 0)
        on_waits(rig, r);
    else if (strcmp(uri, "/reads") == 0)
        on_reads(r);
    else if (strcmp(uri, "/pieces") == 0)
        on_pieces(r);
    else if (strcmp(uri, "/large") == 0)
        fcgi_answer(r, STR("\r\n"), (struct str){rig->large, LARGE});
    else
        fcgi_answer(r, STR("\r\n"), STR("refused"));
    atomic_fetch_add(&rig->handled, 1);
}

static void *serve(void *arg)
{
    struct rig *rig = arg;
    struct fcgi_setup setup = {.threads = rig->threads, .body_max = BODY_MAX, .handle = handle, .arg = rig};
    struct err e = ERR_INIT;
    assert_int_equal(fcgi_serve(&setup, &e), RC_OK);
    atomic_store(&rig->ended, true);
    return NULL;
}

static void rig_start_with(struct rig *rig, int threads)
{
    *rig = (struct rig){.threads = threads, .address = {.sun_family = AF_UNIX}};
    snprintf(rig->address.sun_path, sizeof rig->address.sun_path, "%s/sock", unit_tmp());
    rig->large = xmalloc(LARGE);
    memset(rig->large, 'L', LARGE);
    unlink(rig->address.sun_path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&rig->address, sizeof rig->address), 0);
    assert_int_equal(listen(fd, 100), 0);
    assert_int_equal(dup2(fd, 0), 0);
    close(fd);
    assert_int_equal(pipe(rig->gate), 0);
    fcgi_block_signals();
    alarm(ALARM_S); /* SIGTERM is blocked */
    assert_int_equal(pthread_create(&rig->thread, NULL, serve, rig), 0);
}

static void rig_start(struct rig *rig)
{
    rig_start_with(rig, 1);
}

static void rig_stop(struct rig *rig)
{
    kill(getpid(), SIGTERM);
    pthread_join(rig->thread, NULL);
    close(rig->gate[0]);
    close(rig->gate[1]);
    free_charp(&rig->large);
}

static int dial(const struct rig *rig)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&rig->address, sizeof rig->address), 0);
    return fd;
}

static void write_record(int fd, enum fcgi_record type, struct str content)
{
    unsigned char h[FCGI_RECORD_HEADER];
    fcgi_record_header(h, type, 1, content.len);
    assert_int_equal(send(fd, h, sizeof h, MSG_NOSIGNAL), sizeof h);
    if (content.len)
        assert_int_equal(send(fd, content.s, content.len, MSG_NOSIGNAL), content.len);
}

static void write_head(int fd, const char *params, int n)
{
    write_record(fd, FCGI_RECORD_BEGIN, (struct str){"\0\1\0\0\0\0\0\0", 8});
    write_record(fd, FCGI_RECORD_PARAMS, (struct str){params, (size_t)n});
    write_record(fd, FCGI_RECORD_PARAMS, STR(""));
}

/* The head of a change, of which CONTENT_LENGTH says `length` ("": nothing), and of a read. */
static int begin(const struct rig *rig, const char *uri, const char *length)
{
    int fd = dial(rig);
    char params[128];
    int n = snprintf(params, sizeof params, "%c%c%s%s%c%c%s%s", 3, (int)strlen(uri), "URI", uri, 14,
        (int)strlen(length), "CONTENT_LENGTH", length);
    write_head(fd, params, n);
    return fd;
}

static void write_read(int fd, const char *uri)
{
    char params[128];
    int n = snprintf(params, sizeof params, "%c%c%s%s%c%c%s%s", 3, (int)strlen(uri), "URI", uri, 14, 3,
        "REQUEST_METHOD", "GET");
    write_head(fd, params, n);
    write_record(fd, FCGI_RECORD_STDIN, STR(""));
}

static int ask_read(const struct rig *rig, const char *uri)
{
    int fd = dial(rig);
    write_read(fd, uri);
    return fd;
}

static void write_body(int fd, size_t n)
{
    char piece[1024];
    memset(piece, 'b', sizeof piece);
    for (size_t left = n; left;) {
        size_t part = left < sizeof piece ? left : sizeof piece;
        write_record(fd, FCGI_RECORD_STDIN, (struct str){piece, part});
        left -= part;
    }
}

static int ask(const struct rig *rig, const char *uri, size_t body)
{
    char length[32];
    snprintf(length, sizeof length, "%zu", body);
    int fd = begin(rig, uri, length);
    write_body(fd, body);
    write_record(fd, FCGI_RECORD_STDIN, STR(""));
    return fd;
}

/* The content of the answer's STDOUT without the two bytes of its head, up to a proper end. Closes. */
static void read_answer(int fd, struct strbuf *out)
{
    AUTO_STRBUF raw;
    strbuf_init(&raw, ANSWER_MAX);
    char piece[16384];
    struct pollfd p = {.fd = fd, .events = POLLIN};
    for (ssize_t n = 1; n > 0;) {
        assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
        n = recv(fd, piece, sizeof piece, 0);
        assert_true(n >= 0); /* no ECONNRESET */
        strbuf_add(&raw, piece, (size_t)n);
    }
    close(fd);
    bool complete = false;
    for (size_t i = 0; i < raw.len;) {
        const unsigned char *h = (const unsigned char *)raw.s + i;
        size_t n = (size_t)(h[4] << 8 | h[5]);
        if (h[1] == FCGI_RECORD_STDOUT)
            strbuf_add(out, raw.s + i + FCGI_RECORD_HEADER, n);
        complete = h[1] == FCGI_RECORD_END;
        i += FCGI_RECORD_HEADER + n;
    }
    assert_true(complete);
    strbuf_drop_front(out, 2);
}

static void answers(int fd, const char *text)
{
    AUTO_STRBUF out;
    strbuf_init(&out, ANSWER_MAX);
    read_answer(fd, &out);
    assert_string_equal(out.s, text);
}

TEST(fcgi_serve_answers_read_and_unread_bodies)
{
    struct rig rig;
    rig_start(&rig);
    for (size_t i = 0; i < MANY; i++) {
        AUTO_STRBUF echo;
        strbuf_init(&echo, ANSWER_MAX);
        read_answer(ask(&rig, "/reads", i * 300), &echo);
        assert_int_equal(echo.len, i * 300);
        answers(ask(&rig, "/refused", i * 300), "refused");
    }
    rig_stop(&rig);
}

/* The peer reads only after it has written everything, as nginx may. */
TEST(fcgi_serve_answers_a_refused_body_that_is_too_long_to_be_collected)
{
    struct rig rig;
    rig_start(&rig);
    for (size_t i = 0; i < MANY / 4; i++) {
        answers(ask(&rig, "/refused", BODY_MAX * 4 + i), "refused");
        answers(ask(&rig, "/reads", BODY_MAX * 4 + i),
            "This is larger than the limit of 64\xC2\xA0KB. Nothing was saved.");
    }
    answers(ask(&rig, "/reads", BODY_MAX + 1),
        "This is larger than the limit of 64\xC2\xA0KB. Nothing was saved.");
    rig_stop(&rig);
}

TEST(fcgi_serve_collects_a_body_of_unknown_length_up_to_the_limit)
{
    struct rig rig;
    rig_start(&rig);
    int small = begin(&rig, "/reads", "");
    write_body(small, 5);
    write_record(small, FCGI_RECORD_STDIN, STR(""));
    answers(small, "bbbbb");
    int large = begin(&rig, "/reads", "");
    write_body(large, BODY_MAX * 3);
    answers(large, "This is larger than the limit of 64\xC2\xA0KB. Nothing was saved.");
    rig_stop(&rig);
}

TEST(fcgi_serve_gives_a_long_body_to_the_handler_in_pieces)
{
    struct rig rig;
    rig_start(&rig);
    answers(ask(&rig, "/pieces", 0), "0");
    answers(ask(&rig, "/pieces", BODY_MAX), "65536");
    answers(ask(&rig, "/pieces", BODY_MAX * 10 + 1), "655361");
    rig_stop(&rig);
}

TEST(fcgi_serve_is_not_blocked_by_silent_or_unfinished_connections)
{
    struct rig rig;
    int silent[SILENT], half[SILENT];
    rig_start(&rig);
    for (size_t i = 0; i < SILENT; i++) {
        silent[i] = dial(&rig);
        half[i] = begin(&rig, "/reads", "100");
        write_body(half[i], 10);
    }
    answers(ask(&rig, "/reads", 3), "bbb");
    assert_int_equal(atomic_load(&rig.handled), 1);
    for (size_t i = 0; i < SILENT; i++) {
        struct pollfd p = {.fd = silent[i], .events = POLLIN};
        assert_int_equal(poll(&p, 1, PATIENCE_MS), 1); /* closed after FCGI_HEAD_MS */
        char c;
        assert_int_equal(recv(silent[i], &c, 1, 0), 0);
        close(silent[i]);
        write_body(half[i], 90);
        write_record(half[i], FCGI_RECORD_STDIN, STR(""));
        AUTO_STRBUF out;
        strbuf_init(&out, ANSWER_MAX);
        read_answer(half[i], &out);
        assert_int_equal(out.len, 100); /* their heads were there */
    }
    rig_stop(&rig);
}

/* Until `n` calls of /waits run. */
static void until_waiting(struct rig *rig, int n)
{
    while (atomic_load(&rig->waiting) < n)
        sched_yield();
}

static void open_gate(struct rig *rig)
{
    assert_int_equal(write(rig->gate[1], "x", 1), 1);
}

/* The only thread for reads accepts connections; while it is busy the loop does. */
TEST(fcgi_serve_takes_requests_while_its_read_threads_are_busy)
{
    struct rig rig;
    rig_start(&rig);
    int busy = ask_read(&rig, "/waits"), queued[QUEUED];
    until_waiting(&rig, 1);
    for (size_t i = 0; i < QUEUED; i++)
        queued[i] = ask_read(&rig, "/reads");
    answers(ask(&rig, "/reads", 3), "bbb"); /* a change has a thread of its own */
    open_gate(&rig);
    answers(busy, "waited");
    for (size_t i = 0; i < QUEUED; i++)
        answers(queued[i], "");
    rig_stop(&rig);
}

TEST(fcgi_serve_answers_reads_while_a_change_runs)
{
    struct rig rig;
    rig_start(&rig);
    int busy = ask(&rig, "/waits", 0);
    until_waiting(&rig, 1);
    for (size_t i = 0; i < MANY; i++)
        answers(ask_read(&rig, "/reads"), "");
    open_gate(&rig);
    answers(busy, "waited");
    rig_stop(&rig);
}

TEST(fcgi_serve_keeps_half_of_its_read_threads_free_of_changes)
{
    struct rig rig;
    int busy[3 * THREADS]; /* more than can run */
    rig_start_with(&rig, THREADS);
    for (size_t i = 0; i < ARRAY_LEN(busy); i++)
        busy[i] = ask(&rig, "/waits", 0);
    until_waiting(&rig, THREADS);
    for (size_t i = 0; i < MANY; i++)
        answers(ask_read(&rig, "/reads"), "");
    assert_in_range(atomic_load(&rig.waiting), THREADS, THREADS + THREADS / 2);
    for (size_t i = 0; i < ARRAY_LEN(busy); i++)
        open_gate(&rig);
    for (size_t i = 0; i < ARRAY_LEN(busy); i++)
        answers(busy[i], "waited");
    rig_stop(&rig);
}

/* The accepting thread gives it to the loop, which wakes a thread when the rest has come. */
TEST(fcgi_serve_answers_a_read_that_comes_late)
{
    struct rig rig;
    rig_start(&rig);
    int late = dial(&rig);
    answers(ask_read(&rig, "/reads"), ""); /* by the same thread */
    write_read(late, "/reads");
    answers(late, "");
    rig_stop(&rig);
}

TEST(fcgi_serve_is_not_blocked_by_a_client_that_does_not_read_its_answer)
{
    struct rig rig;
    rig_start(&rig);
    int slow = ask(&rig, "/large", 0);
    answers(ask(&rig, "/reads", 3), "bbb"); /* by the same thread */
    AUTO_STRBUF out;
    strbuf_init(&out, ANSWER_MAX);
    read_answer(slow, &out);
    assert_int_equal(out.len, LARGE);
    assert_memory_equal(out.s, rig.large, LARGE);
    rig_stop(&rig);
}

TEST(fcgi_serve_returns_only_when_no_handler_runs_any_more)
{
    struct rig rig;
    rig_start(&rig);
    int running = ask(&rig, "/waits", 0);
    until_waiting(&rig, 1);
    int queued = ask(&rig, "/reads", 3), unread = 1;
    while (unread) /* a connection that was not accepted would wait for the next program */
        assert_int_equal(ioctl(queued, SIOCOUTQ, &unread), 0);
    kill(getpid(), SIGTERM);
    /* Accepting ends with the signal, so a connection that is not served shows that it has arrived. */
    struct pollfd p = {.fd = 0, .events = POLLIN};
    int late;
    do
        late = dial(&rig);
    while (poll(&p, 1, 50) == 0 && close(late) == 0);
    assert_false(atomic_load(&rig.ended));
    open_gate(&rig);
    pthread_join(rig.thread, NULL);
    answers(running, "waited");
    answers(queued, "bbb"); /* it had arrived before the signal */
    close(late);
    close(rig.gate[0]);
    close(rig.gate[1]);
    free_charp(&rig.large);
}

TEST(fcgi_serve_refuses_a_descriptor_that_does_not_listen)
{
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    assert_int_equal(dup2(fds[0], 0), 0);
    struct fcgi_setup setup = {.threads = 1, .body_max = BODY_MAX, .handle = handle};
    assert_int_equal(fcgi_serve(&setup, NULL), RC_IO);
    close(fds[0]);
    close(fds[1]);
}

TEST(fcgi_serve_ends_with_an_error_when_its_threads_get_no_descriptors)
{
    enum { THREADS_TOO_MANY = 64, LIMITS = 12 };
    AUTO_FD listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), kept = dup(STDIN_FILENO);
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    socklen_t unnamed = sizeof at.sun_family; /* the kernel chooses a name */
    assert_int_equal(bind(listener, (const struct sockaddr *)&at, unnamed), 0);
    assert_int_equal(listen(listener, 1), 0);
    dup2(listener, STDIN_FILENO);
    int next = dup(STDIN_FILENO);
    close(next);
    struct rlimit old;
    getrlimit(RLIMIT_NOFILE, &old);
    for (int more = 0; more < LIMITS; more++) {
        struct rlimit few = {(rlim_t)(next + more), old.rlim_max};
        struct fcgi_setup setup = {.threads = THREADS_TOO_MANY, .body_max = BODY_MAX, .handle = handle};
        setrlimit(RLIMIT_NOFILE, &few);
        struct err e = ERR_INIT;
        enum rc rc = fcgi_serve(&setup, &e);
        setrlimit(RLIMIT_NOFILE, &old);
        assert_int_equal(rc, RC_IO);
    }
    dup2(kept, STDIN_FILENO);
}
