/* The self-signed pair: when it is made again, and that it is on the disk under its names. */
#include "unit.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/serve/certificate.h"
#include "cli/serve/supervise.h"

#define FILE_MAX 16384

static struct synced {
    ino_t inodes[32];
    size_t n;
} synced;

/* Replaces libc's function. */
int fsync(int fd)
{
    struct stat st;
    if (synced.n < ARRAY_LEN(synced.inodes) && fstat(fd, &st) == 0)
        synced.inodes[synced.n++] = st.st_ino;
    return (int)syscall(SYS_fsync, fd);
}

static bool is_synced(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    for (size_t i = 0; i < synced.n; i++)
        if (synced.inodes[i] == st.st_ino)
            return true;
    return false;
}

/* A folder for data of its own. */
static const char *data_dir(struct arena *a)
{
    static int n;
    const char *dir = arena_printf(a, "%s/data%d", unit_tmp(), n++);
    assert_int_equal(fs_mkdirs(dir, NULL), RC_OK);
    return dir;
}

static struct certificate ensure(const char *dir)
{
    static const char *name = "alfred.test";
    const struct config_list names = {(void *)(uintptr_t)&name, 1};
    struct certificate c;
    struct err e = ERR_INIT;
    if (certificate_ensure(dir, &names, &c, &e) != RC_OK)
        fail_msg("%s", e.text);
    return c;
}

static const char *text_of(struct arena *a, const char *path)
{
    AUTO_STRBUF text;
    strbuf_init(&text, FILE_MAX);
    assert_int_equal(fs_read(path, &text, NULL), RC_OK);
    return arena_strndup(a, text.s ? text.s : "", text.len);
}

static void put(const char *path, const char *text)
{
    assert_int_equal(fs_write_atomic(path, str_of(text), NULL), RC_OK);
}

#define RUN(...) assert_int_equal(supervise_wait_for((const char *const[]){__VA_ARGS__, NULL}), 0)

TEST(a_usable_pair_stays)
{
    AUTO(arena) a = arena_new();
    const char *dir = data_dir(a);
    struct certificate c = ensure(dir);
    const char *chain = text_of(a, c.chain), *key = text_of(a, c.key);
    ensure(dir);
    assert_string_equal(text_of(a, c.chain), chain);
    assert_string_equal(text_of(a, c.key), key);
}

TEST(a_pair_that_cannot_be_used_is_made_again)
{
    AUTO(arena) a = arena_new();
    const char *dir = data_dir(a);
    struct certificate c = ensure(dir), other = ensure(data_dir(a));
    const char *const damages[][2] = {{"", ""}, {"", NULL}, {NULL, ""}, {"nonsense", NULL},
        {NULL, "nonsense"}, {NULL, text_of(a, other.key)}};
    for (size_t i = 0; i < ARRAY_LEN(damages); i++) {
        const char *chain = text_of(a, c.chain), *key = text_of(a, c.key);
        if (damages[i][0])
            put(c.chain, damages[i][0]);
        if (damages[i][1])
            put(c.key, damages[i][1]);
        ensure(dir);
        assert_string_not_equal(text_of(a, c.chain), chain);
        assert_string_not_equal(text_of(a, c.key), key);
        RUN("openssl", "verify", "-trusted", c.chain, c.chain);
        RUN("openssl", "pkey", "-noout", "-in", c.key);
    }
}

/* A person has put it here, perhaps before its key. */
TEST(the_certificate_of_an_authority_stays_without_its_key)
{
    AUTO(arena) a = arena_new();
    const char *dir = data_dir(a);
    struct certificate authority = ensure(data_dir(a)), c = ensure(dir);
    const char *request = arena_printf(a, "%s/request", unit_tmp()), *key = text_of(a, c.key);
    const char *new_key = arena_printf(a, "%s/new_key", unit_tmp());
    RUN("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=x",
        "-keyout", new_key, "-out", request);
    RUN("openssl", "x509", "-req", "-in", request, "-days", "2", "-CA", authority.chain, "-CAkey",
        authority.key, "-set_serial", "1", "-out", c.chain);
    const char *chain = text_of(a, c.chain);
    ensure(dir);
    assert_string_equal(text_of(a, c.chain), chain);
    assert_string_equal(text_of(a, c.key), key);
}

TEST(a_new_pair_is_on_the_disk_under_its_names)
{
    AUTO(arena) a = arena_new();
    char folder[FS_PATH_MAX];
    synced.n = 0;
    struct certificate c = ensure(data_dir(a));
    fs_folder_of(c.key, folder);
    assert_true(is_synced(c.key));
    assert_true(is_synced(c.chain));
    struct stat st;
    assert_int_equal(stat(folder, &st), 0);
    assert_true(synced.inodes[synced.n - 1] == st.st_ino);
}
