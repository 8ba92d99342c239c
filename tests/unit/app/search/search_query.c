#include "../../store/rig.h"

#include "app/search/search_query.h"
#include "base/clock.h"
#include "store/session/tag.h"
#include "store/session/workspace.h"

#define DAY MS_PER_DAY

static const struct time_zone *utc(struct arena *a)
{
    return time_zone_load(a, "Etc/UTC");
}

static struct search_query query(struct db *db, struct arena *a, const char *text)
{
    struct search_query q;
    assert_ok(search_query_read(db, a, &(struct search_input){1, NOW, utc(a), str_of(text)}, &q, NULL));
    return q;
}

static const char *words(struct arena *a, const struct search_query *q)
{
    return arena_strndup(a, q->words.s, q->words.len);
}

TEST(days_are_read_in_all_forms)
{
    AUTO(arena) a = arena_new();
    int64_t today = NOW / DAY * DAY, ms;
    const struct {
        const char *text;
        int64_t want;
    } cases[] = {{"today", today}, {"Gestern", today - DAY}, {"7d", today - 7 * DAY},
        {"2W", today - 14 * DAY}, {"1970-01-03", 2 * DAY}, {"1970-02", 31 * DAY}, {"1971", 365 * DAY}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        assert_true(search_query_date(str_of(cases[i].text), utc(a), NOW, &ms));
        assert_int_equal(ms, cases[i].want);
    }
    static const char *const bad[] = {
        "", "d", "7", "7x", "2026-13", "2026-1", "2026-02-30", "-7d", "99999d", "soon", "2026-", "10000"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        assert_false(search_query_date(str_of(bad[i]), utc(a), NOW, &ms));
}

TEST(operators_get_the_values_of_their_user_and_the_rest_is_words)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t mine, theirs;
    rig_session(db, 1, "a");
    assert_ok(store_session_set_workspace(db, 1, "a", "Home", NULL));
    assert_ok(store_tag_add(db, 1, "Two words", 0, NOW, &mine, NULL));
    assert_ok(store_tag_add(db, 2, "theirs", 0, NOW, &theirs, NULL));
    struct search_query q = query(
        db, a, "plum tag:\"two WORDS\" workspace:home -is:unread role:user before:today tag:theirs is:blue");
    assert_string_equal(words(a, &q), "plum is:blue");
    assert_int_equal(q.sessions.tags_n, 1);
    assert_int_equal(q.sessions.tags[0], mine);
    assert_string_equal(q.sessions.workspace.is, "Home");
    assert_int_equal(q.sessions.unread, SESSION_NO);
    assert_true(q.has_role && q.role == ROLE_USER);
    assert_int_equal(q.before, NOW / DAY * DAY);
    assert_int_equal(q.notices_n, 1);
    assert_string_equal(q.notices[0].name, "theirs");
    assert_false(search_query_lists(&q));
    q = query(db, a, "is:archived");
    assert_true(search_query_lists(&q));
    assert_int_equal(q.sessions.show, SESSIONS_ARCHIVED);
    q = query(db, a, "is:trashed plum");
    assert_true(q.trashed);
    assert_string_equal(words(a, &q), "plum");
    assert_false(query(db, a, "-is:trashed plum").trashed);
    q = query(db, a, "-only -excluded");
    assert_string_equal(words(a, &q), "only excluded");
    assert_int_equal(q.needs_n, 0);
}

TEST(a_text_meets_phrases_beginnings_and_exclusions)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct str text = STR("The old plum trees need pruning.");
    static const struct {
        const char *query;
        bool meets;
    } cases[] = {{"anything", true}, {"\"plum tree\"", true}, {"\"tree plum\"", false}, {"prun*", true},
        {"lum*", false}, {"x -plum", false}, {"x -rose", true}, {"x -\"old trees\"", true},
        {"x -\"...\"", true}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct search_query q = query(db, a, cases[i].query);
        assert_int_equal(search_query_meets(&q, text), cases[i].meets);
    }
}
