#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"

static int refuse_unnamed; /* errno of O_TMPFILE; 0: as the file system has it */

/* In place of libc's: a file system without O_TMPFILE. */
int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    int mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(args, int) : 0;
    va_end(args);
    if (refuse_unnamed && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = refuse_unnamed;
        return -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static const char *in_tmp(struct arena *a, const char *name)
{
    return arena_printf(a, "%s/%s", unit_tmp(), name);
}

TEST(fs_writes_and_reads_whole_files)
{
    AUTO(arena) a = arena_new();
    AUTO_STRBUF b;
    strbuf_init(&b, 200000);
    const char *path = in_tmp(a, "whole");
    assert_int_equal(fs_write_atomic(path, STR("first"), NULL), RC_OK);
    char *lots = arena_alloc(a, 150000);
    memset(lots, 'x', 150000);
    assert_int_equal(fs_write_atomic(path, (struct str){lots, 150000}, NULL), RC_OK);
    assert_int_equal(unit_mode(path), 0600);
    strbuf_adds(&b, ">");
    assert_int_equal(fs_read(path, &b, NULL), RC_OK);
    assert_int_equal(b.len, 150001);
    assert_memory_equal(b.s + 1, lots, 150000);
}

TEST(fs_read_stops_at_the_cap)
{
    AUTO(arena) a = arena_new();
    AUTO_STRBUF b;
    strbuf_init(&b, 5);
    const char *path = in_tmp(a, "capped");
    assert_int_equal(fs_write_atomic(path, STR("12345"), NULL), RC_OK);
    assert_int_equal(fs_read(path, &b, NULL), RC_OK);
    assert_string_equal(b.s, "12345");
    strbuf_clear(&b);
    assert_int_equal(fs_write_atomic(path, STR("123456"), NULL), RC_OK);
    assert_int_equal(fs_read(path, &b, NULL), RC_TOO_BIG);
}

TEST(fs_failures_name_the_path)
{
    AUTO(arena) a = arena_new();
    AUTO_STRBUF b;
    strbuf_init(&b, 5);
    struct err e = ERR_INIT;
    assert_int_equal(fs_read(in_tmp(a, "absent"), &b, &e), RC_NOT_FOUND);
    assert_non_null(strstr(e.text, "/absent"));
    assert_int_equal(fs_read(unit_tmp(), &b, NULL), RC_IO);
    assert_int_equal(fs_write_atomic(in_tmp(a, "no/folder"), STR("x"), &e), RC_NOT_FOUND);
}

TEST(fs_failed_write_leaves_the_old_file_and_nothing_else)
{
    AUTO(arena) a = arena_new();
    const char *folder = in_tmp(a, "is-a-folder"), *inside = arena_printf(a, "%s/x", folder);
    assert_int_equal(fs_mkdirs(folder, NULL), RC_OK);
    assert_int_equal(fs_write_atomic(inside, STR("old"), NULL), RC_OK);
    assert_int_equal(fs_write_atomic(folder, STR("new"), NULL), RC_IO);
    assert_true(fs_exists(inside));
    assert_false(fs_exists(arena_printf(a, "%s.%d.tmp", folder, (int)getpid())));
}

TEST(fs_says_that_the_disk_is_full)
{
    struct err e = ERR_INIT;
    AUTO_FD full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_true(full >= 0);
    assert_int_equal(fs_write_all(full, "x", 1, &e), RC_UNAVAILABLE);
    assert_true(err_is(&e, "error.disk_full"));
}

TEST(fs_makes_folders_on_the_way)
{
    AUTO(arena) a = arena_new();
    const char *deep = in_tmp(a, "a/b//c");
    assert_int_equal(fs_mkdirs(deep, NULL), RC_OK);
    assert_int_equal(fs_mkdirs(deep, NULL), RC_OK);
    assert_int_equal(unit_mode(deep), 0700);
    assert_int_equal(fs_write_atomic(in_tmp(a, "file"), STR(""), NULL), RC_OK);
    assert_int_equal(fs_mkdirs(in_tmp(a, "file"), NULL), RC_IO);
    assert_int_equal(fs_mkdirs(in_tmp(a, "file/below"), NULL), RC_IO);
}

TEST(fs_joins_paths_that_fit)
{
    AUTO(arena) a = arena_new();
    char out[FS_PATH_MAX];
    assert_int_equal(fs_join(out, "/a/b", "c", NULL), RC_OK);
    assert_string_equal(out, "/a/b/c");
    assert_int_equal(fs_join(out, arena_printf(a, "%0*d", FS_PATH_MAX - 3, 0), "c", NULL), RC_OK);
    assert_int_equal(fs_join(out, arena_printf(a, "%0*d", FS_PATH_MAX - 2, 0), "c", NULL), RC_TOO_BIG);
}

TEST(fs_writes_all_of_it_to_a_descriptor)
{
    AUTO(arena) a = arena_new();
    AUTO_STRBUF b;
    strbuf_init(&b, 100);
    const char *path = in_tmp(a, "fd");
    {
        AUTO_FD fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        assert_int_equal(fs_write_all(fd, "abc", 3, NULL), RC_OK);
    }
    assert_int_equal(fs_read(path, &b, NULL), RC_OK);
    assert_string_equal(b.s, "abc");
    int closed = -1;
    fs_close(&closed);
    assert_int_equal(fs_write_all(closed, "abc", 3, NULL), RC_IO);
}

static size_t entries(const char *dir)
{
    size_t n = 0;
    DIR *d = opendir(dir);
    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

TEST(fs_unnamed_file_works_on_every_file_system)
{
    static const int answers[] = {0, EOPNOTSUPP, EISDIR, EINVAL};
    AUTO(arena) a = arena_new();
    const char *dir = in_tmp(a, "unnamed");
    assert_int_equal(fs_mkdirs(dir, NULL), RC_OK);
    for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
        char back[4] = "";
        struct stat st;
        refuse_unnamed = answers[i];
        AUTO_FD fd = fs_open_unnamed(dir);
        assert_true(fd >= 0);
        assert_int_equal(fs_write_all(fd, "abc", 3, NULL), RC_OK);
        assert_int_equal(pread(fd, back, 3, 0), 3);
        assert_string_equal(back, "abc");
        assert_int_equal(fstat(fd, &st), 0);
        assert_int_equal(st.st_mode & 0777, 0600);
        assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
        assert_int_equal(entries(dir), 2); /* . and .. */
    }
    refuse_unnamed = ENOSPC;
    assert_int_equal(fs_open_unnamed(dir), -1);
    assert_int_equal(errno, ENOSPC);
    refuse_unnamed = 0;
}
