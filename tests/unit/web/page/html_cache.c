#include "unit.h"

#include <pthread.h>
#include <sched.h>

#include "base/clock.h"
#include "web/page/html_cache.h"

#define LONG_LIFE (60 * MS_PER_MIN)

static struct html_cache *cache_of(size_t bytes, int64_t life_ms)
{
    struct html_cache *c;
    assert_int_equal(html_cache_new(bytes, life_ms, &c, NULL), RC_OK);
    return c;
}

static bool has(struct html_cache *c, int64_t id, const char *text, const char *html)
{
    AUTO(arena) a = arena_new();
    struct str got;
    if (!html_cache_get(c, id, str_of(text), a, &got))
        return false;
    assert_string_equal(got.s, html);
    assert_int_equal(got.len, strlen(html));
    return true;
}

TEST(html_is_kept_for_a_message_and_its_text)
{
    AUTO(html_cache) c = cache_of(100000, LONG_LIFE);
    assert_false(has(c, 1, "a", ""));
    html_cache_put(c, 1, STR("a"), STR("<p>a</p>"));
    html_cache_put(c, 1025, STR("a"), STR("<p>same bucket</p>"));
    html_cache_put(c, 3, STR(""), STR(""));
    assert_true(has(c, 1, "a", "<p>a</p>"));
    assert_true(has(c, 1025, "a", "<p>same bucket</p>"));
    assert_true(has(c, 3, "", ""));
    assert_false(has(c, 2, "a", ""));
}

TEST(changed_text_is_not_shown_as_it_was)
{
    AUTO(html_cache) c = cache_of(100000, LONG_LIFE);
    html_cache_put(c, 1, STR("a"), STR("<p>a</p>"));
    assert_false(has(c, 1, "b", ""));
    html_cache_put(c, 1, STR("b"), STR("<p>b</p>"));
    assert_false(has(c, 1, "a", ""));
    assert_true(has(c, 1, "b", "<p>b</p>"));
}

TEST(the_entries_used_least_recently_make_room)
{
    AUTO(html_cache) c = cache_of(10000, LONG_LIFE);
    char html[2001] = "";
    memset(html, 'x', 2000);
    for (int id = 1; id <= 4; id++)
        html_cache_put(c, id, STR("t"), str_of(html));
    assert_true(has(c, 1, "t", html));
    html_cache_put(c, 5, STR("t"), str_of(html));
    assert_in_range(html_cache_bytes(c), 8000, 10000);
    assert_true(has(c, 1, "t", html));
    assert_false(has(c, 2, "t", html));
    assert_true(has(c, 5, "t", html));
}

TEST(html_above_half_of_the_cap_is_not_cached)
{
    AUTO(html_cache) c = cache_of(4000, LONG_LIFE);
    char html[2001] = "";
    memset(html, 'x', 2000);
    html_cache_put(c, 1, STR("t"), str_of(html));
    assert_int_equal(html_cache_bytes(c), 0);
}

/* A deleted message is never asked for again; it goes all the same. */
TEST(an_expired_entry_is_removed_without_a_request)
{
    AUTO(html_cache) c = cache_of(100000, 20);
    html_cache_put(c, 1, STR("a"), STR("<p>a</p>"));
    html_cache_put(c, 2, STR("a"), STR("<p>a</p>"));
    assert_int_not_equal(html_cache_bytes(c), 0);
    while (html_cache_bytes(c))
        sched_yield();
    html_cache_put(c, 1, STR("a"), STR("<p>a</p>"));
    while (html_cache_bytes(c))
        sched_yield();
}

static void *use(void *arg)
{
    struct html_cache *c = arg;
    for (int i = 0; i < 2000; i++) {
        AUTO(arena) a = arena_new();
        struct str got;
        if (html_cache_get(c, i % 50, STR("t"), a, &got))
            assert_string_equal(got.s, "<p>t</p>");
        else
            html_cache_put(c, i % 50, STR("t"), STR("<p>t</p>"));
    }
    return NULL;
}

TEST(threads_share_it)
{
    AUTO(html_cache) c = cache_of(2500, 1);
    pthread_t threads[4];
    for (size_t i = 0; i < ARRAY_LEN(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use, c), 0);
    for (size_t i = 0; i < ARRAY_LEN(threads); i++)
        pthread_join(threads[i], NULL);
}
