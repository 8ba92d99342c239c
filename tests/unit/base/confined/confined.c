/* The programs are those that every Debian has. */
#include "unit.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* ---- a program with a folder ---- */

#define KB 1024

static char folder[FS_PATH_MAX], beside[FS_PATH_MAX];

/* A new folder with the folder "files" in it, and a file beside it. */
static struct confined with_folder(const char *const *argv)
{
    static char name[16], files[FS_PATH_MAX];
    static int n;
    snprintf(name, sizeof name, "folder%d", n++);
    assert_ok(fs_join(folder, unit_tmp(), name, NULL));
    assert_ok(fs_join(files, folder, "files", NULL));
    assert_ok(fs_mkdirs(files, NULL));
    assert_ok(fs_join(beside, unit_tmp(), "beside", NULL));
    assert_ok(fs_write_atomic(beside, STR("mine"), NULL));
    return (struct confined){.argv = argv,
        .reads = nothing,
        .folder = folder,
        .begins = files,
        .file_max = 256 * KB,
        .folder_max = 1024 * KB,
        .joined = true,
        .strict = true,
        .input = STR(""),
        .ms = 60000,
        .cpu_s = 30,
        .memory = (size_t)256 * KB * KB,
        .stop_fd = -1};
}

static void run_in_folder(const char *perl, const char *argument)
{
    const char *const argv[] = {"/usr/bin/perl", "-e", perl, argument, NULL};
    const struct confined c = with_folder(argv);
    AUTO_STRBUF out;
    strbuf_init(&out, sizeof said - 1);
    assert_ok(confined_run(&c, &out, &end, NULL));
    snprintf(said, sizeof said, "%s", out.len ? out.s : "");
}

TEST(it_writes_files_in_its_folder_and_nowhere_else)
{
    char path[FS_PATH_MAX];
    run_in_folder("sub w { open(my $f, '>', $_[0]) or return 'no'; print $f 'new'; close $f; 'yes' }"
                  "print join ' ', w('a'), w('../b'), w('/dev/null'), w('../../beside'), w('../../c'),"
                  "rename('a', 'd') ? 'yes' : 'no', unlink('d') ? 'yes' : 'no', w('e'),"
                  "open(my $f, '<', 'e') ? 'yes' : 'no';",
        "");
    assert_ended(CONFINED_ENDED, 0, "yes yes yes no no yes yes yes yes");
    assert_ok(fs_join(path, folder, "files/e", NULL));
    assert_true(fs_exists(path));
    run_in_folder("print join ' ', map { $_ ? 'yes' : 'no' } mkdir('d'), symlink('x', 'l'),"
                  "link('../../beside', 'h'), unlink('../../beside'), truncate('../../beside', 0),"
                  "rename('../../beside', 'r'), require POSIX && POSIX::mkfifo('p', 0600);",
        "");
    assert_ended(CONFINED_ENDED, 0, "no no no no no no no");
    run_in_folder(
        "open(my $f, '>', 'x'); print $f \"#!/bin/sh\\necho ran\\n\"; close $f; exec './x'; print 'no'", "");
    assert_ended(CONFINED_ENDED, 0, "no");
}

TEST(rights_and_times_of_files_outside_do_not_change)
{
    struct stat before, after;
    assert_int_equal(stat(beside, &before), 0);
    run_in_folder("print chmod(0777, $ARGV[0]), chown(1, 1, $ARGV[0]), utime(1, 1, $ARGV[0])", beside);
    assert_ended(CONFINED_ENDED, 0, "111"); /* it is told that it worked */
    assert_int_equal(stat(beside, &after), 0);
    assert_int_equal(after.st_mode, before.st_mode);
    assert_int_equal(after.st_uid, before.st_uid);
    assert_true(after.st_mtim.tv_sec > 1); /* it is new for each run */
}

TEST(it_reaches_no_network_no_other_process_and_no_limits_of_others)
{
    run_in_folder(
        "use Socket; print join ' ', map { $_ ? 'yes' : 'no' } socket(my $s, PF_INET, SOCK_STREAM, 0),"
        "socket(my $u, PF_UNIX, SOCK_DGRAM, 0), defined(fork), kill(0, getppid), setpriority(0, 0, 5);",
        "");
    assert_ended(CONFINED_ENDED, 0, "no no no no no");
#ifdef __x86_64__
    run_in_folder("my $l = chr(0) x 16; print join ' ', map { syscall(302, $_, 7, 0, $l) } 0, getppid",
        ""); /* prlimit64() */
    assert_ended(CONFINED_ENDED, 0, "0 -1");
#endif
    run_in_folder("while (1) { fork; last if $n++ > 1000 } print \"one $n\"", "");
    assert_ended(CONFINED_ENDED, 0, "one 1002");
}

TEST(what_it_writes_has_a_limit_for_a_file_and_for_all)
{
    run_in_folder("$SIG{XFSZ} = 'IGNORE'; open(my $f, '>', 'a'); print {$f} 'x' x 1024 for 1..300; print "
                  "close($f) ? 'fits' : 'large'",
        "");
    assert_ended(CONFINED_ENDED, 0, "large");
    run_in_folder("while (1) { open(my $f, '>', 'f' . $n++); print $f 'x' x 100000; close $f }", "");
    assert_ended(CONFINED_FULL, SIGKILL, "");
    run_in_folder("while (1) { open(my $f, '>', 'empty' . $n++) }", "");
    assert_ended(CONFINED_FULL, SIGKILL, "");
    run_in_folder("while (1) { open(my $f, '>', '../' . $n++); print $f 'x' x 100000; close $f }", "");
    assert_ended(CONFINED_FULL, SIGKILL, "");
    run_in_folder("while (1) { open(my $f, '>', 'a'); unlink 'a'; print $f 'x' x 100000; close $f }",
        ""); /* nothing stays */
    assert_ended(CONFINED_FULL, SIGKILL, "");
}

TEST(its_environment_its_output_and_its_memory)
{
    static const char *const environment[] = {"HOME=/nowhere", NULL};
    const char *const argv[] = {
        "/usr/bin/perl", "-e", "$| = 1; print 'a'; warn \"b\\n\"; print $ENV{HOME}, $ENV{PATH}", NULL};
    struct confined c = with_folder(argv);
    c.environment = environment;
    AUTO_STRBUF out;
    strbuf_init(&out, 1000);
    assert_ok(confined_run(&c, &out, &end, NULL));
    assert_string_equal(out.s, "ab\n/nowhere");
    run_in_folder("my $x = 'x' x (512 * 1024 * 1024); print 'there is room'", "");
    assert_true(end.code != 0);
    assert_null(strstr(said, "there is room"));
}

TEST(it_has_threads_only_when_it_may_and_only_so_many)
{
    static const char *const argv[] = {"/usr/bin/perl", "-e",
        "use threads; close STDERR; my $n = grep { threads->create({stack_size => 65536}, sub { sleep 60 }) "
        "} 1..4;"
        "print defined(fork) ? 'forks ' : '', $n; exit 0",
        NULL};
    static const struct {
        int threads;
        enum confined_outcome outcome;
        const char *said;
    } cases[] = {{0, CONFINED_ENDED, "0"}, {4, CONFINED_ENDED, "4"}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct confined c = with_folder(argv);
        c.threads = cases[i].threads;
        AUTO_STRBUF out;
        strbuf_init(&out, 1000);
        assert_ok(confined_run(&c, &out, &end, NULL));
        assert_int_equal(end.outcome, cases[i].outcome);
        assert_string_equal(out.s, cases[i].said);
    }
    static const char *const many[] = {"/usr/bin/perl", "-e",
        "use threads; threads->create({stack_size => 65536}, sub { sleep 60 }) for 1..4; sleep 60", NULL};
    struct confined c = with_folder(many);
    c.threads = 3;
    AUTO_STRBUF out;
    strbuf_init(&out, 1000);
    assert_ok(confined_run(&c, &out, &end, NULL));
    assert_int_equal(end.outcome, CONFINED_CROWDED);
}

/* Our process afterwards has no Landlock. */
static bool forget_landlock(void)
{
    struct sock_filter none[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_landlock_create_ruleset, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog program = {ARRAY_LEN(none), none};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(a_strict_program_does_not_run_without_landlock)
{
    static const char *const argv[] = {"/bin/echo", "ran", NULL};
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        struct confined c = with_folder(argv);
        AUTO_STRBUF out;
        strbuf_init(&out, 100);
        bool ok = forget_landlock() && confined_run(&c, &out, &end, NULL) == RC_UNSUPPORTED && out.len == 0;
        c.strict = false;
        ok = ok && confined_run(&c, &out, &end, NULL) == RC_OK && end.can_read_all;
        _exit(ok && strcmp(out.s, "ran\n") == 0 ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}
