#include "unit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"
#include "cli/serve/renewal.h"

TEST(renewal_notices_each_replaced_file_once)
{
    AUTO(arena) a = arena_new();
    const char *chain = arena_printf(a, "%s/chain", unit_tmp()), *key = arena_printf(a, "%s/key", unit_tmp()),
               *link = arena_printf(a, "%s/link", unit_tmp()), *next = arena_printf(a, "%s/next", unit_tmp());
    const struct timespec later[] = {{.tv_sec = 2000000000}, {.tv_sec = 2000000000}};
    struct renewal r;
    assert_int_equal(fs_write_atomic(chain, STR("1"), NULL), RC_OK);
    assert_int_equal(fs_write_atomic(key, STR("1"), NULL), RC_OK);
    assert_int_equal(symlink(chain, link), 0); /* as certbot has it */
    renewal_init(&r, link, key);
    assert_false(renewal_noticed(&r));

    assert_int_equal(utimensat(AT_FDCWD, key, later, 0), 0); /* written in place */
    assert_true(renewal_noticed(&r));
    assert_false(renewal_noticed(&r));

    assert_int_equal(fs_write_atomic(next, STR("2"), NULL), RC_OK);
    assert_int_equal(unlink(link), 0);
    assert_false(renewal_noticed(&r)); /* missing for a moment */
    assert_int_equal(symlink(next, link), 0);
    assert_true(renewal_noticed(&r));
    assert_false(renewal_noticed(&r));
}
