#include "unit.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/backoff.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/rand.h"

static int kept_stderr;

/* Standard error goes into a file until uncapture(). */
static FILE *capture(void)
{
    FILE *f = tmpfile();
    assert_non_null(f);
    kept_stderr = dup(STDERR_FILENO);
    dup2(fileno(f), STDERR_FILENO);
    return f;
}

static void uncapture(FILE *f, char *out, size_t size)
{
    dup2(kept_stderr, STDERR_FILENO);
    close(kept_stderr);
    rewind(f);
    size_t n = fread(out, 1, size - 1, f);
    out[n] = '\0';
    fclose(f);
}

TEST(log_lines_have_time_level_and_program)
{
    char out[4096];
    log_init("test", LOG_INFO);
    FILE *f = capture();
    log_warn("disk %d%% full", 93);
    uncapture(f, out, sizeof out);
    char expected[64];
    snprintf(expected, sizeof expected, "Z warn test[%d] disk 93%% full\n", (int)getpid());
    assert_int_equal(strspn(out, "0123456789-T:."), 23);
    assert_string_equal(out + 23, expected);
}

TEST(log_lines_have_their_priority_in_the_journal_only)
{
    char out[4096], stream[64];
    struct stat st;
    FILE *f = capture();
    assert_int_equal(fstat(STDERR_FILENO, &st), 0);
    for (int other = 0; other < 2; other++) {
        snprintf(
            stream, sizeof stream, "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino + (uintmax_t)other);
        setenv("JOURNAL_STREAM", stream, 1);
        log_init("test", LOG_INFO);
        log_info("one");
        log_warn("two");
        log_error("three");
    }
    unsetenv("JOURNAL_STREAM");
    log_init("test", LOG_INFO);
    uncapture(f, out, sizeof out);
    size_t n = 0;
    for (char *rest = NULL, *line = strtok_r(out, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        static const char *const begins[] = {"<6>2", "<4>2", "<3>2", "2", "2", "2"};
        assert_true(n < ARRAY_LEN(begins));
        assert_memory_equal(line, begins[n], strlen(begins[n]));
        n++;
    }
    assert_int_equal(n, 6);
}

TEST(log_omits_lines_below_the_level)
{
    char out[4096];
    log_init("test", LOG_WARN);
    FILE *f = capture();
    log_debug("one");
    log_info("two");
    log_error("three");
    uncapture(f, out, sizeof out);
    assert_null(strstr(out, "one"));
    assert_null(strstr(out, "two"));
    assert_non_null(strstr(out, " error test["));
    assert_false(log_wants(LOG_INFO));
    assert_true(log_wants(LOG_WARN));
}

TEST(log_lines_cannot_be_forged)
{
    char out[4096];
    log_init("test", LOG_INFO);
    FILE *f = capture();
    log_info("%s", "a\nb\r\x1B[31m\x7F");
    uncapture(f, out, sizeof out);
    assert_non_null(strstr(out, "a\\x0ab\\x0d\\x1b[31m\\x7f\n"));
    assert_ptr_equal(strchr(out, '\n'), out + strlen(out) - 1);
}

TEST(log_lines_have_an_end)
{
    char out[4096], lots[3000];
    memset(lots, '\n', sizeof lots); /* each takes four characters */
    lots[sizeof lots - 1] = '\0';
    log_init("test", LOG_INFO);
    FILE *f = capture();
    log_info("%s", lots);
    uncapture(f, out, sizeof out);
    assert_true(strlen(out) <= LOG_LINE_MAX);
    assert_ptr_equal(strchr(out, '\n'), out + strlen(out) - 1);
}

static int lines_with(const char *log, const char *text)
{
    int n = 0;
    for (const char *at = log; (at = strstr(at, text)); at++)
        n++;
    return n;
}

enum reader { PIPE, SOCKET, TERMINAL };

static int terminal(int ends[2])
{
    struct termios t;
    ends[0] = posix_openpt(O_RDWR | O_NOCTTY);
    if (ends[0] < 0 || grantpt(ends[0]) != 0 || unlockpt(ends[0]) != 0)
        return -1;
    ends[1] = open(ptsname(ends[0]), O_RDWR | O_NOCTTY);
    if (ends[1] < 0 || tcgetattr(ends[1], &t) != 0)
        return -1;
    cfmakeraw(&t);
    return tcsetattr(ends[1], TCSANOW, &t);
}

/* Standard error goes into one end of a pipe or the like, and the other end is returned. */
static int unread(enum reader kind)
{
    int ends[2];
    assert_int_equal(kind == PIPE     ? pipe(ends)
                     : kind == SOCKET ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends)
                                      : terminal(ends),
        0);
    kept_stderr = dup(STDERR_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    return ends[0];
}

static void read_all(int fd, char *out, size_t size)
{
    size_t n = 0;
    for (ssize_t got; (got = read(fd, out + n, size - 1 - n)) > 0;)
        n += (size_t)got;
    out[n] = '\0';
}

static void check_unread(enum reader kind)
{
    enum { LINES = 3000 };
    static char out[1 << 20];
    log_init("test", LOG_INFO);
    int fd = unread(kind);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    alarm(60); /* a write without end */
    for (int i = 0; i < LINES; i++)
        log_info("line %0*d", 400, i);
    read_all(fd, out, sizeof out);
    log_info("read again");
    read_all(fd, out + strlen(out), sizeof out - strlen(out));
    alarm(0);
    dup2(kept_stderr, STDERR_FILENO);
    close(kept_stderr);
    close(fd);
    int kept = lines_with(out, " line ");
    char lost[64];
    snprintf(lost, sizeof lost, "] nobody read the log; %d lines are lost\n", LINES - kept);
    assert_in_range(kept, 1, LINES - 1);
    if (kind == TERMINAL) /* takes parts of lines */
        assert_non_null(strstr(out, " lines are lost\n"));
    else
        assert_non_null(strstr(out, lost));
    assert_int_equal(lines_with(out, "] read again\n"), 1);
}

TEST(a_pipe_that_nobody_reads_loses_lines_and_does_not_block)
{
    check_unread(PIPE);
}

TEST(a_socket_that_nobody_reads_loses_lines_and_does_not_block)
{
    check_unread(SOCKET);
}

TEST(a_terminal_that_nobody_reads_loses_lines_and_does_not_block)
{
    check_unread(TERMINAL);
}

TEST(a_repeating_error_is_logged_once_and_then_with_a_count)
{
    char out[4096];
    struct log_repeat r = {0};
    log_init("test", LOG_INFO);
    FILE *f = capture();
    for (int i = 0; i < 1000; i++)
        log_repeat(&r, LOG_ERROR, "claiming a job: %s", "disk full");
    r.logged_at -= LOG_REPEAT_MS;
    for (int i = 0; i < 1000; i++)
        log_repeat(&r, LOG_ERROR, "claiming a job: %s", "disk full");
    log_repeat_end(&r, "claiming a job");
    log_repeat_end(&r, "claiming a job");
    uncapture(f, out, sizeof out);
    assert_int_equal(lines_with(out, "disk full"), 2);
    assert_non_null(strstr(out, "claiming a job: disk full\n"));
    assert_non_null(strstr(out, "claiming a job: disk full (1001 times since 20"));
    assert_int_equal(lines_with(out, "info test"), 1);
    assert_non_null(strstr(out, "claiming a job works again after 2000 failures since 20"));
}

static void pass(struct log_repeat *r, int64_t ms)
{
    r->last_at -= ms;
    r->logged_at -= ms;
}

TEST(an_error_of_eight_hours_has_few_lines)
{
    char out[4096];
    struct log_repeat r = {0};
    log_init("test", LOG_INFO);
    FILE *f = capture();
    for (int i = 0; i < 8 * 120; i++) {
        log_repeat(&r, LOG_WARN, "no connection");
        pass(&r, 30000);
    }
    log_repeat_end(&r, "the connection");
    uncapture(f, out, sizeof out);
    assert_int_equal(lines_with(out, "no connection"), 13); /* after 0, 1, 3, 7, 15, 31, 63, 123 min ... */
    assert_non_null(strstr(out, "works again after 960 failures since 20"));
}

TEST(an_error_long_after_the_last_one_is_a_new_one)
{
    char out[4096];
    struct log_repeat r = {0};
    log_init("test", LOG_INFO);
    FILE *f = capture();
    log_repeat(&r, LOG_WARN, "no connection");
    log_repeat(&r, LOG_WARN, "no connection");
    pass(&r, LOG_REPEAT_OVER_MS + 1);
    log_repeat(&r, LOG_WARN, "no connection");
    uncapture(f, out, sizeof out);
    assert_int_equal(lines_with(out, "no connection\n"), 2);
}

TEST(errors_of_one_cause_are_counted_whatever_they_name)
{
    char out[4096];
    struct log_repeat r = {0};
    log_init("test", LOG_INFO);
    FILE *f = capture();
    for (int i = 0; i < 10; i++)
        log_repeat_cause(&r, LOG_ERROR, "disk full", "GET /%d: disk full", i);
    r.logged_at -= LOG_REPEAT_MS;
    log_repeat_cause(&r, LOG_ERROR, "disk full", "GET /10: disk full");
    log_repeat_cause(&r, LOG_ERROR, "no memory", "GET /11: no memory");
    uncapture(f, out, sizeof out);
    assert_int_equal(lines_with(out, "GET /"), 3);
    assert_non_null(strstr(out, "GET /0: disk full\n"));
    assert_non_null(strstr(out, "GET /10: disk full (11 times since 20"));
    assert_non_null(strstr(out, "GET /11: no memory\n"));
}

TEST(another_error_is_logged_at_once)
{
    char out[4096];
    struct log_repeat r = {0};
    log_init("test", LOG_INFO);
    FILE *f = capture();
    log_repeat(&r, LOG_WARN, "one");
    log_repeat(&r, LOG_WARN, "one");
    log_repeat(&r, LOG_WARN, "two");
    log_repeat_end(&r, "it");
    log_repeat(&r, LOG_WARN, "two");
    uncapture(f, out, sizeof out);
    assert_int_equal(lines_with(out, "one\n"), 1);
    assert_int_equal(lines_with(out, "two\n"), 2);
}

TEST(a_backoff_doubles_up_to_its_cap_and_starts_again_after_a_reset)
{
    struct backoff b = {.first_ms = 250, .max_ms = 1500};
    const int64_t waits[] = {250, 500, 1000, 1500, 1500};
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
            assert_int_equal(backoff_next(&b), waits[i]);
        backoff_reset(&b);
    }
}

TEST(rand_stays_below_its_bound_and_reaches_all_of_it)
{
    unsigned seen = 0;
    for (int i = 0; i < 1000; i++) {
        uint32_t n = rand_below(5);
        assert_true(n < 5);
        seen |= 1u << n;
    }
    assert_int_equal(seen, 31);
    assert_int_equal(rand_below(1), 0);
}

TEST(rand_fills_every_byte)
{
    unsigned char bytes[64], any[64] = {0};
    for (int i = 0; i < 20; i++) {
        rand_bytes(bytes, sizeof bytes);
        for (size_t k = 0; k < sizeof bytes; k++)
            any[k] |= bytes[k];
    }
    for (size_t k = 0; k < sizeof any; k++)
        assert_int_not_equal(any[k], 0);
}
