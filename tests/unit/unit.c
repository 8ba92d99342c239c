#include "unit.h"

#include <ftw.h>
#include <libgen.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"

#define TESTS_MAX       256
#define LOG_PATIENCE_MS (60 * MS_PER_S)

static struct CMUnitTest tests[TESTS_MAX];
static size_t tests_n;
static char tmp[PATH_MAX];

void unit_register(const char *name, CMUnitTestFunction fn)
{
    if (tests_n == TESTS_MAX) {
        fputs("unit: raise TESTS_MAX\n", stderr);
        abort();
    }
    tests[tests_n++] = (struct CMUnitTest){.name = name, .test_func = fn};
}

const char *unit_tmp(void)
{
    if (!tmp[0]) {
        const char *in = getenv("TMPDIR");
        int n = snprintf(tmp, sizeof tmp, "%s/alfred-unit-XXXXXX", in && *in ? in : "/tmp");
        if (n < 0 || (size_t)n >= sizeof tmp || !mkdtemp(tmp))
            abort();
    }
    return tmp;
}

static FILE *log_file;
static int kept_stderr;

void unit_log_begin(void)
{
    log_file = tmpfile();
    kept_stderr = dup(STDERR_FILENO);
    if (!log_file || kept_stderr < 0 || dup2(fileno(log_file), STDERR_FILENO) < 0)
        abort();
}

/* Standard error has the position of the file: it is read at places of its own. */
static int count_lines(void)
{
    char part[4096];
    int lines = 0;
    off_t at = 0;
    for (ssize_t n; (n = pread(fileno(log_file), part, sizeof part, at)) > 0; at += n)
        for (ssize_t i = 0; i < n; i++)
            lines += part[i] == '\n';
    return lines;
}

void unit_log_await(int lines)
{
    for (int64_t end = clock_mono_ms() + LOG_PATIENCE_MS; count_lines() < lines; usleep(1000))
        if (clock_mono_ms() > end)
            fail_msg("the log has not %d lines", lines);
}

int unit_log_lines(void)
{
    int lines = count_lines();
    dup2(kept_stderr, STDERR_FILENO);
    close(kept_stderr);
    fclose(log_file);
    return lines;
}

mode_t unit_mode(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 0777;
}

size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

size_t unit_allocated(void)
{
    if (__sanitizer_get_current_allocated_bytes)
        return __sanitizer_get_current_allocated_bytes();
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        char pattern[256];
        snprintf(pattern, sizeof pattern, "*%s*", argv[1]);
        cmocka_set_test_filter(pattern);
    }
    int failed = _cmocka_run_group_tests(basename(argv[0]), tests, tests_n, NULL, NULL);
    if (tmp[0])
        nftw(tmp, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return failed ? 1 : 0;
}
