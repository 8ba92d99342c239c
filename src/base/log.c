#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"

#define OWN_STDERR  "/proc/self/fd/2"
#define JOURNAL_ENV "JOURNAL_STREAM" /* device and inode of the journal's pipe, from systemd */

static struct {
    const char *program;
    enum log_level least;
    bool to_journal;
} config = {"alfred", LOG_INFO, false}; /* set once by log_init(), then only read */

static const char *const level_names[] = {"debug", "info", "warn", "error"};
/* Of syslog. The journal removes them from the line and selects by them (sd-daemon(3)). */
static const char *const journal_levels[] = {"<7>", "<6>", "<4>", "<3>"};

static bool stderr_is_journal(void)
{
    const char *stream = getenv(JOURNAL_ENV);
    char own[64];
    struct stat st;
    if (!stream || fstat(STDERR_FILENO, &st) != 0)
        return false;
    snprintf(own, sizeof own, "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
    return strcmp(stream, own) == 0;
}

void log_init(const char *program, enum log_level least)
{
    config.program = program;
    config.least = least;
    config.to_journal = stderr_is_journal();
}

bool log_wants(enum log_level level)
{
    return level >= config.least;
}

static atomic_llong lost; /* lines that are not reported yet */

static bool has_room(int wait_ms)
{
    struct pollfd p = {.fd = STDERR_FILENO, .events = POLLOUT};
    return poll(&p, 1, wait_ms) != 0; /* a pipe with room takes a whole line */
}

/* Writes to a terminal, through a new descriptor that does not block: has_room() is true for a terminal with
 * room for only a part of the line. False: standard error is no terminal, or another user's. */
static bool put_terminal(const char *line, size_t n, bool *done)
{
    AUTO_FD fd = isatty(STDERR_FILENO) ? open(OWN_STDERR, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
    ssize_t written = fd >= 0 ? write(fd, line, n) : 0;
    *done = written == (ssize_t)n || (written < 0 && errno != EAGAIN);
    return fd >= 0;
}

/* False: there is no room. RWF_NOWAIT is needed because another program can use up the room after has_room().
 * It fails for files and with older kernels. */
static bool put(const char *line, size_t n, int wait_ms)
{
    struct iovec whole = {(void *)(uintptr_t)line, n};
    bool done;
    if (!has_room(wait_ms))
        return false;
    if (put_terminal(line, n, &done))
        return done;
    if (pwritev2(STDERR_FILENO, &whole, 1, -1, RWF_NOWAIT) >= 0)
        return true;
    if (errno == EAGAIN && !has_room(0))
        return false;
    ssize_t written = write(STDERR_FILENO, line, n);
    (void)written; /* there is no other place to report it */
    return true;
}

static size_t format_line(char line[LOG_LINE_MAX], enum log_level level, const char *text)
{
    struct timespec now;
    struct tm tm;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &tm);
    size_t n = (size_t)snprintf(line, LOG_LINE_MAX, "%s", config.to_journal ? journal_levels[level] : "");
    n += strftime(line + n, LOG_LINE_MAX - n, "%Y-%m-%dT%H:%M:%S", &tm);
    int head = snprintf(line + n, LOG_LINE_MAX - n, ".%03ldZ %s %s[%d] ", now.tv_nsec / 1000000,
        level_names[level], config.program, (int)getpid());
    n += (size_t)head;
    for (const char *p = text; *p && n + 6 < LOG_LINE_MAX; p++) {
        unsigned char c = (unsigned char)*p;
        if (c < 0x20 || c == 0x7F)
            n += (size_t)snprintf(line + n, LOG_LINE_MAX - n, "\\x%02x", c);
        else
            line[n++] = (char)c;
    }
    line[n++] = '\n';
    return n;
}

/* Reports lost lines. False: they cannot be reported yet. */
static bool report_lost(void)
{
    char text[64], line[LOG_LINE_MAX];
    long long n = atomic_exchange(&lost, 0);
    if (n == 0)
        return true;
    snprintf(text, sizeof text, "nobody read the log; %lld lines are lost", n);
    if (put(line, format_line(line, LOG_WARN, text), 0))
        return true;
    atomic_fetch_add(&lost, n);
    return false;
}

static void write_line(enum log_level level, const char *fmt, va_list ap)
{
    if (!log_wants(level))
        return;
    char text[LOG_LINE_MAX / 2], line[LOG_LINE_MAX];
    vsnprintf(text, sizeof text, fmt, ap);
    if (!report_lost() || !put(line, format_line(line, level, text), LOG_WAIT_MS))
        atomic_fetch_add(&lost, 1);
}

void log_pass_on(struct str lines)
{
    while (lines.len) {
        const char *end = memchr(lines.s, '\n', lines.len);
        size_t n = end ? (size_t)(end - lines.s) + 1 : lines.len;
        if (!report_lost() || !put(lines.s, n, LOG_WAIT_MS))
            atomic_fetch_add(&lost, 1);
        lines = (struct str){lines.s + n, lines.len - n};
    }
}

#define LOG_FUNCTION(name, level)   \
    void name(const char *fmt, ...) \
    {                               \
        va_list ap;                 \
        va_start(ap, fmt);          \
        write_line(level, fmt, ap); \
        va_end(ap);                 \
    }

LOG_FUNCTION(log_debug, LOG_DEBUG)
LOG_FUNCTION(log_info, LOG_INFO)
LOG_FUNCTION(log_warn, LOG_WARN)
LOG_FUNCTION(log_error, LOG_ERROR)

static void write_text(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void write_text(enum log_level level, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    write_line(level, fmt, ap);
    va_end(ap);
}

static pthread_mutex_t repeat_lock = PTHREAD_MUTEX_INITIALIZER; /* guards all struct log_repeat */

static void begin_cause(struct log_repeat *r, uint64_t cause)
{
    r->cause = cause;
    r->same = 0;
    r->since_wall = clock_wall_ms();
    r->quiet_ms = LOG_REPEAT_MS / 2; /* doubled by the line */
}

/* True: this error gets a line. */
static bool count_error(struct log_repeat *r, uint64_t cause)
{
    int64_t now = clock_mono_ms();
    if (r->count && now - r->last_at > LOG_REPEAT_OVER_MS)
        *r = (struct log_repeat){0};
    if (!r->count || r->cause != cause)
        begin_cause(r, cause);
    if (!r->count)
        r->begun_wall = r->since_wall;
    r->count++;
    r->same++;
    r->last_at = now;
    if (r->same > 1 && now - r->logged_at < r->quiet_ms)
        return false;
    r->logged_at = now;
    r->quiet_ms = 2 * r->quiet_ms < LOG_REPEAT_MOST_MS ? 2 * r->quiet_ms : LOG_REPEAT_MOST_MS;
    return true;
}

/* `cause` NULL: the text. */
static void repeat(struct log_repeat *r, enum log_level level, const char *cause, const char *fmt, va_list ap)
{
    char text[LOG_LINE_MAX / 2], since[CLOCK_RFC3339_SIZE];
    vsnprintf(text, sizeof text, fmt, ap);
    pthread_mutex_lock(&repeat_lock);
    bool logged = count_error(r, str_hash(str_of(cause ? cause : text), 0));
    int64_t same = r->same, since_wall = r->since_wall;
    pthread_mutex_unlock(&repeat_lock);
    clock_rfc3339(since_wall, since);
    if (logged && same > 1)
        write_text(level, "%s (%lld times since %s)", text, (long long)same, since);
    else if (logged)
        write_text(level, "%s", text);
}

void log_repeat(struct log_repeat *r, enum log_level level, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    repeat(r, level, NULL, fmt, ap);
    va_end(ap);
}

void log_repeat_cause(struct log_repeat *r, enum log_level level, const char *cause, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    repeat(r, level, cause, fmt, ap);
    va_end(ap);
}

void log_repeat_end(struct log_repeat *r, const char *what)
{
    char since[CLOCK_RFC3339_SIZE];
    pthread_mutex_lock(&repeat_lock);
    int64_t count = r->count, begun = r->begun_wall;
    *r = (struct log_repeat){0};
    pthread_mutex_unlock(&repeat_lock);
    clock_rfc3339(begun, since);
    if (count)
        log_info("%s works again after %lld failures since %s", what, (long long)count, since);
}
