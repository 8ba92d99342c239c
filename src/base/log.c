#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

static struct {
    const char *program;
    enum log_level least;
} config = {"alfred", LOG_INFO}; /* set once by log_init(), then only read */

static const char *const level_names[] = {"debug", "info", "warn", "error"};

void log_init(const char *program, enum log_level least)
{
    config.program = program;
    config.least = least;
}

bool log_wants(enum log_level level)
{
    return level >= config.least;
}

static void write_line(enum log_level level, const char *fmt, va_list ap)
{
    if (!log_wants(level))
        return;
    char text[LOG_LINE_MAX / 2], line[LOG_LINE_MAX];
    vsnprintf(text, sizeof text, fmt, ap);

    struct timespec now;
    struct tm tm;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &tm);
    size_t n = strftime(line, sizeof line, "%Y-%m-%dT%H:%M:%S", &tm);
    int head = snprintf(line + n, sizeof line - n, ".%03ldZ %s %s[%d] ", now.tv_nsec / 1000000,
        level_names[level], config.program, (int)getpid());
    n += (size_t)head;
    for (const char *p = text; *p && n + 6 < sizeof line; p++) {
        unsigned char c = (unsigned char)*p;
        if (c < 0x20 || c == 0x7F)
            n += (size_t)snprintf(line + n, sizeof line - n, "\\x%02x", c);
        else
            line[n++] = (char)c;
    }
    line[n++] = '\n';
    ssize_t written = write(STDERR_FILENO, line, n);
    (void)written; /* there is no other place to report it */
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

void log_repeat(struct log_repeat *r, enum log_level level, const char *fmt, ...)
{
    char text[LOG_LINE_MAX / 2];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    uint64_t h = str_hash(str_of(text), 0);
    int64_t now = clock_mono_ms();
    pthread_mutex_lock(&repeat_lock);
    bool same = r->count && r->text == h, quiet = same && now - r->logged_at < LOG_REPEAT_MS;
    int64_t unlogged = r->unlogged + 1;
    r->count++;
    r->unlogged = quiet ? unlogged : 0;
    r->text = h;
    r->logged_at = quiet ? r->logged_at : now;
    pthread_mutex_unlock(&repeat_lock);
    if (quiet)
        return;
    if (same)
        write_text(level, "%s (%lld more times)", text, (long long)unlogged);
    else
        write_text(level, "%s", text);
}

void log_repeat_end(struct log_repeat *r, const char *what)
{
    pthread_mutex_lock(&repeat_lock);
    int64_t count = r->count;
    *r = (struct log_repeat){0};
    pthread_mutex_unlock(&repeat_lock);
    if (count)
        log_info("%s works again after %lld failures", what, (long long)count);
}
