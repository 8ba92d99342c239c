#include "unit.h"

#include <jansson.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/utf8.h"
#include "codec/view.h"

#define OUT_MAX 4096

static void prints(const struct view *v, const char *expected)
{
    AUTO_STRBUF b;
    strbuf_init(&b, OUT_MAX);
    view_json(v, &b);
    assert_string_equal(b.s, expected);
}

TEST(view_prints_members_in_their_order)
{
    AUTO(arena) a = arena_new();
    struct view *v = view_new(a);
    prints(v, "{}");
    view_text(v, "z", "text");
    view_str(v, "s", (struct str){"slice and more", 5});
    view_html(v, "m_html", (struct markup){STR("b")});
    view_int(v, "i", INT64_MIN);
    view_bool(v, "t", true);
    view_bool(v, "f", false);
    view_null(v, "n");
    view_text(v, "no_text", NULL);
    view_str(v, "no_str", (struct str){0});
    view_list(v, "empty");
    view_text(view_obj(v, "o"), "k", "");
    prints(v, "{\"z\":\"text\",\"s\":\"slice\",\"m_html\":\"b\",\"i\":-9223372036854775808,\"t\":true,\"f\":"
              "false,\"n\":null,"
              "\"no_text\":null,\"no_str\":null,\"empty\":[],\"o\":{\"k\":\"\"}}");
}

TEST(view_lists_hold_every_kind)
{
    AUTO(arena) a = arena_new();
    struct view *v = view_new(a), *list = view_list(v, "l");
    view_int(view_item(list), "id", 1);
    view_item_text(list, "two");
    view_item_text(list, NULL);
    view_item_html(list, (struct markup){STR("3")});
    view_item_int(list, 4);
    view_item_int(view_item_list(list), 5);
    prints(v, "{\"l\":[{\"id\":1},\"two\",null,\"3\",4,[5]]}");
}

TEST(view_copies_values)
{
    AUTO(arena) a = arena_new();
    struct view *v = view_new(a);
    char text[] = "before";
    view_text(v, "t", text);
    text[0] = 'X';
    prints(v, "{\"t\":\"before\"}");
}

TEST(view_strings_may_stand_in_a_page)
{
    AUTO(arena) a = arena_new();
    struct view *v = view_new(a);
    view_str(v, "t", STR("</script>&\"\\\n\r\t\b\x1F\x7F\0|\xE2\x80\xA8\xE2\x80\xA9\xC3\xBC"));
    prints(v, "{\"t\":\"\\u003c/"
              "script\\u003e\\u0026\\\"\\\\\\n\\r\\t\\u0008\\u001f\\u007f\\u0000|\\u2028\\u2029\xC3\xBC\"}");
}

TEST(view_replaces_invalid_utf8)
{
    AUTO_STRBUF b;
    strbuf_init(&b, OUT_MAX);
    json_add_string(&b, STR("a\xFF"
                            "b\xC3"));
    assert_string_equal(b.s, "\"a\\ufffdb\\ufffd\"");
}

TEST(view_json_is_read_back_by_jansson)
{
    char all[0x300];
    size_t alone = 0;
    AUTO_STRBUF b;
    strbuf_init(&b, OUT_MAX);
    /* every character at every place of the blocks and pieces in which a text is handled */
    for (size_t before = 0; before <= sizeof all - 0x82; before++) {
        size_t n = before;
        memset(all, 'x', before);
        for (unsigned c = 1; c < 0x80; c++)
            all[n++] = (char)c;
        n += utf8_put(0xFC, &all[n]);
        strbuf_clear(&b);
        json_add_string(&b, (struct str){all, n});
        json_t *back = json_loadb(b.s, b.len, JSON_DECODE_ANY, NULL);
        assert_true(
            str_eq((struct str){json_string_value(back), json_string_length(back)}, (struct str){all, n}));
        json_decref(back);
        alone = before ? alone : b.len;
        assert_int_equal(b.len, before + alone); /* nothing else is escaped */
    }
}

TEST(view_is_read_by_key_and_in_order)
{
    AUTO(arena) a = arena_new();
    struct view *v = view_new(a);
    view_int(v, "i", 7);
    view_bool(v, "b", true);
    view_text(v, "t", "x");
    assert_int_equal(view_as_int(view_get(v, STR("i"))), 7);
    assert_int_equal(view_as_int(view_get(v, STR("b"))), 1);
    assert_int_equal(view_as_int(view_get(v, STR("t"))), 0);
    assert_true(str_is(view_as_str(view_get(v, STR("t"))), "x"));
    assert_int_equal(view_as_str(view_get(v, STR("i"))).len, 0);
    assert_null(view_get(v, STR("absent")));
    assert_null(view_get(view_get(v, STR("t")), STR("x")));
    const struct view *m = view_first(v);
    assert_ptr_equal(m, view_get(v, STR("i")));
    assert_ptr_equal(view_next(m), view_get(v, STR("b")));
    assert_null(view_next(view_next(view_next(m))));
    assert_null(view_first(m));
}

TEST(view_truthy_matches_mustache_sections)
{
    AUTO(arena) a = arena_new();
    struct view *v = view_new(a);
    view_null(v, "null");
    view_bool(v, "false", false);
    view_list(v, "empty");
    view_bool(v, "true", true);
    view_int(v, "zero", 0);
    view_text(v, "blank", "");
    view_obj(v, "obj");
    view_item_text(view_list(v, "list"), "x");
    int i = 0;
    for (const struct view *m = view_first(v); m; m = view_next(m), i++)
        assert_int_equal(view_truthy(m), i >= 3);
}

TEST(short_json_escapes_only_what_json_needs)
{
    AUTO_STRBUF out;
    strbuf_init(&out, 100);
    json_add_short(&out, STR("<b>\"\\\n\x7f&\xe2\x80\xa8</b>"));
    assert_string_equal(out.s, "\"<b>\\\"\\\\\\n\\u007f&\\u2028</b>\"");
}

TEST(view_key_set_twice_aborts_in_sanitized_builds)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    const bool aborts = true;
#else
    const bool aborts = false;
#endif
    pid_t child = fork();
    if (child == 0) {
        struct view *v = view_new(arena_new());
        view_int(v, "k", 1);
        view_int(v, "k", 2);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WIFSIGNALED(status), aborts);
}
