/* Searches over sessions and facts: words, similarity, filters, and separation of users. */
#include "search_place.h"

#include "app/memory/memory.h"
#include "store/memory/summary.h"
#include "store/session/workspace.h"

struct about {
    int64_t owner, session, last;
    const char *title, *topic, *keywords, *summary, *pub;
};

static enum rc about_tx(struct db *db, void *arg, struct err *e)
{
    struct about *b = arg;
    AUTO(arena) a = arena_new();
    struct session s;
    enum rc rc = store_session_by_id(db, a, b->owner, b->session, &s, e);
    if (rc == RC_OK && b->title)
        rc = store_session_suggest_title(db, b->owner, b->session, b->title, e);
    if (rc == RC_OK && b->topic)
        rc = store_session_set_topic(db, b->owner, b->session, b->topic, b->keywords, b->last, e);
    struct summary sum = {.session_id = b->session,
        .whole = true,
        .first_id = b->last,
        .last_id = b->last,
        .known_id = b->last,
        .messages = 1,
        .text = str_of(b->summary),
        .provider = "offline",
        .model = "",
        .created_at = NOW};
    if (rc == RC_OK && b->summary)
        rc = store_summary_add(db, b->owner, &sum, e);
    return rc;
}

static int64_t session_about(
    struct place *p, int64_t owner, int64_t at, const char *title, const char *topic, const char *summary)
{
    struct said s = say(p, owner, 0, at, "hello there");
    struct about b = {.owner = owner,
        .session = s.session,
        .last = s.id,
        .title = title,
        .topic = topic,
        .keywords = topic ? "one, two" : NULL,
        .summary = summary};
    assert_ok(store_write(p->store, about_tx, &b, NULL));
    return s.session;
}

static struct search_sessions find(struct place *p, struct arena *a, struct search_request want)
{
    struct search_where w = {p->store, p->config, p->providers};
    struct search_sessions found;
    assert_ok(search_summaries(&w, &want, a, &found, NULL));
    for (size_t i = 0; i < found.n; i++)
        assert_int_equal(found.hits[i].session.owner, want.owner);
    return found;
}

#define WANT(who, what, ...) ((struct search_request){.owner = (who), .text = str_of(what), __VA_ARGS__})

TEST(sessions_are_found_by_summary_title_topic_and_typo)
{
    AUTO(arena) a = arena_new();
    struct place p = open_place("");
    int64_t boat =
        session_about(&p, p.ann, NOW, NULL, NULL, "**About** repairing the wooden sailboat in Kiel");
    int64_t tax = session_about(&p, p.ann, NOW, "Tax return", "income tax declaration", NULL);
    session_about(&p, p.ann, NOW, "Dinner", NULL, "Cooking lentils for friends");
    session_about(&p, p.bob, NOW, "Sailboat of Bob", "sailboats", "Bob's sailboat and his tax declaration");
    assert_ok(embed(&p, p.ann));
    assert_ok(embed(&p, p.bob));
    struct search_sessions f = find(&p, a, WANT(p.ann, "Where is the sailboat?"));
    assert_true(f.n >= 1 && f.hits[0].session.id == boat && f.hits[0].has_words);
    assert_non_null(strstr(f.hits[0].summary.s, "Kiel"));
    assert_true(f.hits[0].summary_id > 0);
    f = find(&p, a, WANT(p.ann, "declarations of income"));
    assert_true(f.n >= 1 && f.hits[0].session.id == tax && f.hits[0].summary.len == 0);
    assert_true(find(&p, a, WANT(p.ann, "tax return")).hits[0].session.id == tax);
    f = find(&p, a, WANT(p.ann, "saiilboat"));
    assert_true(f.n == 1 && f.hits[0].session.id == boat && !f.hits[0].has_words);
    assert_int_equal(find(&p, a, WANT(p.ann, "Bob")).n, 0);
    assert_int_equal(find(&p, a, WANT(p.ann, "zzzqq")).n, 0);
    assert_int_equal(find(&p, a, WANT(p.ann, "\"*(")).n, 0);
    close_place(&p);
}

struct move {
    int64_t owner, session;
    const char *workspace;
};

static enum rc move_tx(struct db *db, void *arg, struct err *e)
{
    AUTO(arena) a = arena_new();
    const struct move *m = arg;
    struct session s;
    enum rc rc = store_session_by_id(db, a, m->owner, m->session, &s, e);
    return rc == RC_OK ? store_session_set_workspace(db, m->owner, s.pub, m->workspace, e) : rc;
}

TEST(sessions_are_filtered_and_a_replaced_summary_is_forgotten)
{
    AUTO(arena) a = arena_new();
    struct place p = open_place("");
    int64_t one = session_about(&p, p.ann, NOW, NULL, NULL, "about the violin lesson");
    int64_t two = session_about(&p, p.ann, NOW + MS_PER_DAY, NULL, NULL, "about a violin concert");
    assert_ok(embed(&p, p.ann));
    assert_int_equal(find(&p, a, WANT(p.ann, "violin")).n, 2);
    assert_int_equal(find(&p, a, WANT(p.ann, "violin", .limit = 1)).n, 1);
    struct search_sessions f = find(&p, a, WANT(p.ann, "violin", .after = NOW + 1));
    assert_true(f.n == 1 && f.hits[0].session.id == two);
    f = find(&p, a, WANT(p.ann, "violin", .before = NOW + 1));
    assert_true(f.n == 1 && f.hits[0].session.id == one);
    f = find(&p, a, WANT(p.ann, "violin", .not_in = one));
    assert_true(f.n == 1 && f.hits[0].session.id == two);
    f = find(&p, a, WANT(p.ann, "violin", .session = one, .by = SEARCH_BY_WORDS));
    assert_true(f.n == 1 && f.hits[0].session.id == one);
    assert_int_equal(find(&p, a, WANT(p.bob, "violin", .session = one)).n, 0);
    struct move m = {p.ann, two, "Music"};
    assert_ok(store_write(p.store, move_tx, &m, NULL));
    f = find(&p, a, WANT(p.ann, "violin", .workspace = "Music"));
    assert_true(f.n == 1 && f.hits[0].session.id == two);
    assert_int_equal(find(&p, a, WANT(p.bob, "violin", .workspace = "Music")).n, 0);
    assert_int_equal(find(&p, a, WANT(p.ann, "violin", .workspace = "other")).n, 0);
    struct about b = {
        .owner = p.ann, .session = one, .last = (p.ann << 32) + 1, .summary = "about the trumpet"};
    assert_ok(store_write(p.store, about_tx, &b, NULL));
    f = find(&p, a, WANT(p.ann, "violin"));
    assert_true(f.n == 1 && f.hits[0].session.id == two);
    assert_int_equal(find(&p, a, WANT(p.ann, "trumpet")).hits[0].session.id, one);
    close_place(&p);
}

/* ---- related ---- */

static struct search_sessions related(struct place *p, struct arena *a, int64_t owner, int64_t session)
{
    struct search_where w = {p->store, p->config, p->providers};
    struct search_sessions found;
    assert_ok(search_related(&w, owner, session, 0, a, &found, NULL));
    for (size_t i = 0; i < found.n; i++) {
        assert_int_equal(found.hits[i].session.owner, owner);
        assert_int_not_equal(found.hits[i].session.id, session);
    }
    return found;
}

TEST(related_sessions_are_about_the_same)
{
    AUTO(arena) a = arena_new();
    struct place p = open_place("");
    int64_t boat = session_about(&p, p.ann, NOW, "Sailboat", "sailboat repair",
        "Repairing the wooden sailboat: varnish, mast and a new sail before summer");
    int64_t mast = session_about(&p, p.ann, NOW, "Mast", "mast of the sailboat",
        "Which wood the new mast of the sailboat needs, and which varnish");
    session_about(&p, p.ann, NOW, "Dinner", "lentils", "Cooking lentils for eight friends on Friday evening");
    session_about(&p, p.ann, NOW, "Tax", "income tax", "What belongs into the income tax declaration");
    session_about(&p, p.bob, NOW, "Sailboat", "sailboat repair", "Repairing the wooden sailboat of Bob");
    for (int embedded = 0; embedded < 2; embedded++) { /* words alone must do until there are vectors */
        struct search_sessions f = related(&p, a, p.ann, boat);
        assert_int_equal(f.n, 1);
        assert_int_equal(f.hits[0].session.id, mast);
        assert_true(f.hits[0].score > 0 && f.hits[0].score <= 1.01);
        assert_int_equal(related(&p, a, p.ann, mast).hits[0].session.id, boat);
        assert_ok(embed(&p, p.ann));
        assert_ok(embed(&p, p.bob));
    }
    struct search_where w = {p.store, p.config, p.providers};
    struct search_sessions none;
    assert_rc(search_related(&w, p.bob, boat, 0, a, &none, NULL), RC_NOT_FOUND);
    assert_rc(search_related(&w, p.ann, 9999, 0, a, &none, NULL), RC_NOT_FOUND);
    close_place(&p);
}

TEST(related_sessions_use_messages_before_there_is_a_summary)
{
    AUTO(arena) a = arena_new();
    struct place p = open_place("");
    int64_t boat = session_about(&p, p.ann, NOW, NULL, NULL,
        "Repairing the wooden sailboat: varnish, mast and a new sail before summer");
    session_about(&p, p.ann, NOW, NULL, NULL, "Cooking lentils for eight friends on Friday evening");
    struct said fresh = say(&p, p.ann, 0, NOW, "Which varnish does a wooden sailboat need before summer?");
    say(&p, p.ann, fresh.session, NOW, "And the mast of the sailboat?");
    assert_ok(embed(&p, p.ann));
    struct search_sessions f = related(&p, a, p.ann, fresh.session);
    assert_int_equal(f.n, 1);
    assert_int_equal(f.hits[0].session.id, boat);
    struct said empty = say(&p, p.bob, 0, NOW, "alone");
    assert_int_equal(related(&p, a, p.bob, empty.session).n, 0);
    close_place(&p);
}

/* ---- facts ---- */

static int64_t fact(
    struct place *p, int64_t owner, const char *text, const char *tags, int64_t source, int64_t now)
{
    AUTO(arena) a = arena_new();
    struct memory m;
    struct memory_input w = {.owner = owner,
        .text = str_of(text),
        .tags = str_of(tags),
        .permanent = true,
        .source_id = source,
        .now = now};
    assert_ok(memory_add(p->store, &w, a, &m, NULL, NULL));
    return m.id;
}

static struct search_memories facts(struct place *p, struct arena *a, struct search_request want)
{
    struct search_where w = {p->store, p->config, p->providers};
    struct search_memories found;
    assert_ok(search_memories(&w, &want, a, &found, NULL));
    for (size_t i = 0; i < found.n; i++)
        assert_int_equal(found.hits[i].memory.id >> 32, want.owner);
    return found;
}

TEST(facts_are_found_by_text_tag_and_typo_and_filtered)
{
    AUTO(arena) a = arena_new();
    struct place p = open_place("");
    struct said s = say(&p, p.ann, 0, NOW, "I drink green tea");
    int64_t tea = fact(&p, p.ann, "Drinks green tea in the morning", "drinks", s.id, NOW);
    int64_t dog = fact(&p, p.ann, "The dog is called Waldemar", "family", 0, NOW + MS_PER_DAY);
    fact(&p, p.bob, "Drinks coffee with Waldemar", "drinks", 0, NOW);
    assert_ok(embed(&p, p.ann));
    struct search_memories f = facts(&p, a, WANT(p.ann, "What tea do I like?"));
    assert_true(f.n == 1 && f.hits[0].memory.id == tea && f.hits[0].has_words);
    f = facts(&p, a, WANT(p.ann, "family"));
    assert_true(f.n == 1 && f.hits[0].memory.id == dog);
    f = facts(&p, a, WANT(p.ann, "Waldemarr"));
    assert_true(f.n == 1 && f.hits[0].memory.id == dog && f.hits[0].has_words);
    assert_int_equal(facts(&p, a, WANT(p.ann, "coffee")).n, 0);
    assert_int_equal(facts(&p, a, WANT(p.ann, "tea Waldemar")).n, 2);
    assert_int_equal(facts(&p, a, WANT(p.ann, "tea Waldemar", .limit = 1)).n, 1);
    assert_int_equal(facts(&p, a, WANT(p.ann, "tea Waldemar", .after = NOW + 1)).hits[0].memory.id, dog);
    assert_int_equal(facts(&p, a, WANT(p.ann, "tea Waldemar", .session = s.session)).hits[0].memory.id, tea);
    assert_int_equal(facts(&p, a, WANT(p.ann, "tea Waldemar", .not_in = s.session)).hits[0].memory.id, dog);
    assert_int_equal(facts(&p, a, WANT(p.bob, "tea Waldemar", .session = s.session)).n, 0);
    assert_ok(memory_delete(p.store, p.ann, dog, NOW, NULL));
    assert_int_equal(facts(&p, a, WANT(p.ann, "Waldemar")).n, 0);
    close_place(&p);
}
