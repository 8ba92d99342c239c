#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"

TEST(strbuf_is_an_empty_string_at_birth)
{
    AUTO_STRBUF b;
    strbuf_init(&b, 10);
    assert_string_equal(b.s, "");
    assert_true(b.len == 0 && !b.failed);
    struct strbuf zeroed = {0};
    strbuf_release(&zeroed);
    strbuf_release(&b);
}

TEST(strbuf_appends_every_kind)
{
    AUTO_STRBUF b;
    strbuf_init(&b, 1000);
    strbuf_add(&b, "a\0b", 3);
    strbuf_addc(&b, '|');
    strbuf_adds(&b, "text");
    strbuf_addstr(&b, STR("slice"));
    strbuf_addstr(&b, (struct str){0});
    strbuf_addf(&b, "%d%s", 5, "!");
    strbuf_addf(&b, "%s", "");
    assert_memory_equal(b.s, "a\0b|textslice5!", b.len + 1);
    assert_int_equal(b.len, 15);
}

TEST(strbuf_appends_code_points_in_utf8)
{
    AUTO_STRBUF b;
    strbuf_init(&b, 100);
    strbuf_addcp(&b, 'a');
    strbuf_addcp(&b, 0x20AC);
    strbuf_addcp(&b, 0xD800); /* a surrogate is none */
    strbuf_addcp(&b, 0x1F600);
    assert_string_equal(b.s, "a€😀");
}

TEST(strbuf_prints_integers)
{
    AUTO_STRBUF b;
    strbuf_init(&b, 100);
    strbuf_addint(&b, 0);
    strbuf_addc(&b, ' ');
    strbuf_addint(&b, -120);
    strbuf_addc(&b, ' ');
    strbuf_addint(&b, INT64_MAX);
    strbuf_addc(&b, ' ');
    strbuf_addint(&b, INT64_MIN);
    assert_string_equal(b.s, "0 -120 9223372036854775807 -9223372036854775808");
}

TEST(strbuf_stops_at_its_cap)
{
    AUTO_STRBUF b;
    strbuf_init(&b, 5);
    strbuf_adds(&b, "12345");
    assert_false(b.failed);
    strbuf_addc(&b, '6');
    assert_true(b.failed);
    assert_string_equal(b.s, "12345");
}

TEST(strbuf_failure_sticks_until_cleared)
{
    AUTO_STRBUF b;
    strbuf_init(&b, 5);
    strbuf_adds(&b, "123456");
    strbuf_adds(&b, "1");
    strbuf_addf(&b, "%d", 1);
    strbuf_addint(&b, 1);
    assert_null(strbuf_reserve(&b, 0));
    assert_true(b.failed && b.len == 0);
    strbuf_clear(&b);
    strbuf_adds(&b, "1");
    assert_string_equal(b.s, "1");
}

TEST(strbuf_grows_to_its_cap_and_no_further)
{
    AUTO_STRBUF b;
    strbuf_init(&b, 1000);
    for (int i = 0; i < 1000; i++)
        strbuf_addc(&b, 'x');
    assert_false(b.failed);
    assert_int_equal(b.len, 1000);
    assert_true(b.room <= 1001);
    strbuf_addc(&b, 'x');
    assert_true(b.failed);
}

TEST(strbuf_cuts_at_both_ends)
{
    AUTO_STRBUF b;
    strbuf_init(&b, 100);
    strbuf_adds(&b, "0123456789");
    strbuf_drop_front(&b, 2);
    assert_string_equal(b.s, "23456789");
    strbuf_truncate(&b, 3);
    assert_string_equal(b.s, "234");
    strbuf_truncate(&b, 50);
    assert_string_equal(b.s, "234");
    strbuf_drop_front(&b, 50);
    assert_string_equal(b.s, "");
    strbuf_drop_front(&b, 0);
}

TEST(strbuf_reserved_room_is_counted_by_its_writer)
{
    AUTO_STRBUF b;
    strbuf_init(&b, 100);
    char *to = strbuf_reserve(&b, 10);
    memcpy(to, "abc", 3);
    strbuf_grown(&b, 3);
    assert_string_equal(b.s, "abc");
}

TEST(strbuf_uses_the_callers_memory_until_it_does_not_suffice)
{
    char space[8];
    AUTO_STRBUF b;
    strbuf_init_at(&b, 20, space, sizeof space);
    assert_string_equal(b.s, "");
    strbuf_adds(&b, "1234567");
    assert_ptr_equal(b.s, space);
    strbuf_addc(&b, '8');
    assert_ptr_not_equal(b.s, space);
    assert_string_equal(b.s, "12345678");
    strbuf_adds(&b, "9012345678901");
    assert_true(b.failed);
    assert_string_equal(b.s, "12345678");
    strbuf_release(&b);
    assert_string_equal(b.s, "");
}

TEST(strbuf_formats_short_and_long_texts)
{
    char word[600];
    memset(word, 'w', sizeof word);
    AUTO_STRBUF b;
    strbuf_init(&b, 2000);
    for (int n = 250; n < 262; n++) {
        strbuf_clear(&b);
        strbuf_addf(&b, "%.*s%d", n, word, 7);
        assert_int_equal(b.len, n + 1);
        assert_int_equal(b.s[n], '7');
    }
}
