#include "unit.h"

#include "web/page/pages.h"
#include "web/page/sidebar.h"

TEST(only_paths_of_ours_are_followed)
{
    static const char *const good[] = {"/", "/s/ses_1", "/sessions?after=1.2&q=%20", "/a/b//c"};
    for (size_t i = 0; i < ARRAY_LEN(good); i++)
        assert_true(path_is_local(str_of(good[i])));
    static const char *const bad[] = {"", "s", "//evil.example", "/\\evil.example", "https://evil.example/",
        "/a\r\nSet-Cookie: x", "/a b", "/\t/evil.example", "/a\\b", "/é", "/a#b", "javascript:alert(1)",
        "\\/evil.example"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        assert_false(path_is_local(str_of(bad[i])));
    assert_false(path_is_local((struct str){0}));
    char longest[PAGE_PATH_MAX + 1];
    memset(longest, '/', sizeof longest);
    memset(longest + 1, 'a', sizeof longest - 1);
    assert_true(path_is_local((struct str){longest, PAGE_PATH_MAX}));
    assert_false(path_is_local((struct str){longest, PAGE_PATH_MAX + 1}));
}

TEST(a_redirect_carries_a_word_for_the_notice)
{
    struct resp out = {0};
    strbuf_init(&out.head, 4096);
    strbuf_init(&out.body, 4096);
    page_done(&out, "/account", "password");
    assert_int_equal(out.status, 303);
    assert_string_equal(out.head.s, "Location: /account?done=password\r\n");
    strbuf_clear(&out.head);
    page_done(&out, "/sessions?q=a", "renamed");
    assert_string_equal(out.head.s, "Location: /sessions?q=a&done=renamed\r\n");
    strbuf_release(&out.head);
    strbuf_release(&out.body);
}

TEST(a_key_of_the_list_is_read_back)
{
    AUTO(arena) a = arena_new();
    struct session s = {.id = 42, .active_at = INT64_C(1795182361000)};
    const char *text = session_key_text(a, session_key_of(&s, SESSIONS_BY_ACTIVITY));
    struct session_key key;
    assert_string_equal(text, "1795182361000.42");
    assert_true(session_key_parse(str_of(text), &key));
    assert_int_equal(key.at, s.active_at);
    assert_int_equal(key.id, 42);
    assert_false(key.pinned);
    s.pinned = true;
    assert_true(
        session_key_parse(str_of(session_key_text(a, session_key_of(&s, SESSIONS_BY_ACTIVITY))), &key));
    assert_true(key.pinned && key.at == s.active_at && key.id == 42);
    static const char *const bad[] = {"", ".", "p", "p.1", "pp1.1", "1", "1.", ".1", "1.2.3", "1.x", "-1.2",
        "1.0", "99999999999999999999.1", "1 .2"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        assert_false(session_key_parse(str_of(bad[i]), &key));
}

TEST(an_error_that_a_user_can_correct_is_shown_on_the_form)
{
    assert_true(page_can_say(RC_BAD_INPUT));
    assert_true(page_can_say(RC_RATE_LIMITED));
    assert_true(page_can_say(RC_CONFLICT));
    assert_false(page_can_say(RC_NOT_FOUND));
    assert_false(page_can_say(RC_INTERNAL));
    assert_false(page_can_say(RC_IO));
}

static enum rc form_shown(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    (void)r, (void)e;
    out->status = why->rc == RC_CONFLICT ? 409 : 0;
    return RC_OK;
}

TEST(a_failed_form_is_shown_again_or_becomes_an_error_page)
{
    struct resp out = {0};
    struct err why = ERR_INIT, e = ERR_INIT;
    err_tell(&why, RC_CONFLICT, "Not now.");
    assert_int_equal(page_again(NULL, &out, form_shown, &why, &e), RC_OK);
    assert_int_equal(out.status, 409);
    why = (struct err)ERR_INIT;
    err_set(&why, RC_NOT_FOUND, "no row");
    assert_int_equal(page_again(NULL, &out, form_shown, &why, &e), RC_NOT_FOUND);
    assert_int_equal(e.rc, RC_NOT_FOUND);
}
