/* The programs are those that every Debian has. */
#include "unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/confined/confined.h"
#include "base/mem.h"

static struct confined_end end;
static char said[65536];
static const char *const nothing[] = {NULL};
static const char *const *reads = nothing;

/* Runs a program with short limits; its output is in `said`. */
static void run(const char *const *argv, const char *input)
{
    const struct confined c = {.argv = argv,
        .reads = reads,
        .input = str_of(input),
        .ms = 60000,
        .cpu_s = 1,
        .memory = (size_t)64 * 1024 * 1024,
        .stop_fd = -1};
    AUTO_STRBUF out;
    strbuf_init(&out, sizeof said - 1);
    assert_ok(confined_run(&c, &out, &end, NULL));
    snprintf(said, sizeof said, "%s", out.len ? out.s : "");
}

#define RUN(input, ...) run((const char *const[]){__VA_ARGS__, NULL}, input)

static void assert_ended(enum confined_outcome outcome, int code, const char *output)
{
    assert_string_equal(said, output);
    assert_int_equal(end.outcome, outcome);
    assert_int_equal(end.code, code);
}

TEST(a_program_reads_its_input_and_writes_its_output)
{
    AUTO_STRBUF big;
    strbuf_init(&big, 65536);
    for (int i = 0; i < 10000; i++)
        strbuf_addf(&big, "%d ", i % 10);
    RUN(big.s, "/bin/cat");
    assert_ended(CONFINED_ENDED, 0, big.s);
    RUN("a\nb\nc\n", "/usr/bin/tail", "-n", "1"); /* it seeks */
    assert_ended(CONFINED_ENDED, 0, "c\n");
    RUN("", "/bin/sh", "-c", "echo bad >&2; exit 3");
    assert_ended(CONFINED_ENDED, 3, "");
    assert_string_equal(end.words, "bad\n");
}

TEST(it_reads_no_file_of_ours)
{
    static char path[FS_PATH_MAX];
    assert_ok(fs_join(path, unit_tmp(), "secret", NULL));
    assert_ok(fs_write_atomic(path, STR("password"), NULL));
    RUN("", "/bin/cat", path);
    if (end.can_read_all) {
        print_message("This kernel has no Landlock.\n");
        return;
    }
    assert_ended(CONFINED_ENDED, 1, "");
    assert_non_null(strstr(end.words, "Permission denied"));
    RUN("", "/bin/cat", "/proc/self/environ");
    assert_ended(CONFINED_ENDED, 1, "");
    RUN("", "/bin/ls", unit_tmp());
    assert_ended(CONFINED_ENDED, 2, "");
    RUN("", "/bin/sh", "-c", "echo x >\"$0\" || echo refused", path);
    assert_ended(CONFINED_ENDED, 0, "refused\n");
    const char *const its[] = {path, NULL};
    reads = its;
    RUN("", "/bin/cat", path);
    reads = nothing;
    assert_ended(CONFINED_ENDED, 0, "password");
}

TEST(it_has_no_environment_of_ours_no_network_and_no_children)
{
    setenv("UNIT_SECRET", "password", 1);
    RUN("", "/bin/sh", "-c", "echo \"$UNIT_SECRET$HOME\"");
    assert_ended(CONFINED_ENDED, 0, "\n");
    RUN("", "/bin/bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/1");
    assert_non_null(strstr(end.words, "Operation not permitted"));
    RUN("", "/bin/sh", "-c", "/bin/true & echo started");
    assert_ended(CONFINED_ENDED, 2, "");
    RUN("", "/bin/bash", "-c", "kill -0 $PPID || echo refused");
    assert_ended(CONFINED_ENDED, 0, "refused\n");
}

TEST(it_ends_at_its_limits)
{
    RUN("", "/bin/sh", "-c", "while :; do :; done");
    assert_ended(CONFINED_CRASHED, SIGKILL, "");
    RUN("", "/bin/sh", "-c", "x=12345678; while :; do x=$x$x; done");
    assert_true(end.outcome == CONFINED_ENDED || end.outcome == CONFINED_CRASHED);
    assert_true(end.code != 0 && end.code != SIGKILL); /* out of memory, and not of time */
    const char *const yes[] = {"/usr/bin/yes", NULL};
    const char *const sleeps[] = {"/bin/sleep", "1000", NULL};
    struct confined c = {.argv = yes,
        .reads = nothing,
        .input = STR(""),
        .ms = 60000,
        .cpu_s = 60,
        .memory = 1 << 30,
        .stop_fd = -1};
    AUTO_STRBUF out;
    strbuf_init(&out, 100000);
    assert_ok(confined_run(&c, &out, &end, NULL));
    assert_int_equal(end.outcome, CONFINED_TOO_LONG);
    strbuf_rewind(&out, 0);
    c.argv = sleeps;
    c.ms = 100;
    assert_ok(confined_run(&c, &out, &end, NULL));
    assert_int_equal(end.outcome, CONFINED_LATE);
    c.ms = 60000;
    c.stop_fd = eventfd(1, EFD_CLOEXEC);
    assert_ok(confined_run(&c, &out, &end, NULL));
    fs_close(&c.stop_fd);
    assert_int_equal(end.outcome, CONFINED_STOPPED);
}

TEST(a_program_is_found_as_a_shell_finds_it)
{
    char path[FS_PATH_MAX];
    assert_true(confined_find("sh", path));
    assert_false(confined_find("no-such-program", path));
    const char *const absent[] = {"/no/such/program", NULL};
    const struct confined c = {.argv = absent,
        .reads = nothing,
        .input = STR(""),
        .ms = 60000,
        .cpu_s = 1,
        .memory = 1 << 26,
        .stop_fd = -1};
    AUTO_STRBUF out;
    strbuf_init(&out, 100);
    assert_rc(confined_run(&c, &out, &end, NULL), RC_INTERNAL);
}
