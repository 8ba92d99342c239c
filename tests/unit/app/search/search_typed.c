/* The search while a query is typed: the newest messages that have a short beginning of a word. */
#include "search_place.h"

#include "app/memory/memory.h"
#include "store/message/draft.h"
#include "store/session/temporary.h"
#include "store/trash/trash.h"

#define MANY 700 /* messages; more than the newest that are read for a short beginning */

static struct search_typed typed(struct place *p, struct arena *a, const char *text)
{
    struct search_typed out;
    struct search_input in = {
        .owner = p->ann, .now = NOW, .zone = time_zone_load(a, "UTC"), .text = str_of(text)};
    assert_ok(search_typed(p->store, &in, a, &out, NULL));
    return out;
}

static size_t count(struct place *p, const char *text)
{
    AUTO(arena) a = arena_new();
    return typed(p, a, text).hits_n;
}

static enum rc many_tx(struct db *db, void *arg, struct err *e)
{
    struct said *s = arg;
    enum rc rc = RC_OK;
    for (int i = 0; rc == RC_OK && i < MANY; i++) {
        struct message m = {.session_id = s->session,
            .role = ROLE_USER,
            .status = MESSAGE_DONE,
            .channel = "web",
            .text = STR("A stone of the garden"),
            .created_at = NOW};
        rc = store_message_add(db, s->owner, &m, e);
    }
    return rc;
}

TEST(a_short_beginning_finds_the_newest_messages_that_have_it)
{
    AUTO(arena) a = arena_new();
    struct place p = open_place("");
    struct said old = say(&p, p.ann, 0, 0, "A plum in the garden");
    say(&p, p.bob, 0, 0, "A plum of Bob");
    assert_int_equal(count(&p, "pl"), 1);
    assert_int_equal(count(&p, "garden pl"), 1);
    assert_int_equal(count(&p, "stone pl"), 0);
    assert_int_equal(count(&p, "plums"), 1); /* the same stem */
    assert_int_equal(count(&p, "lu"), 0);    /* a part begins nothing */
    assert_ok(store_write(p.store, many_tx, &old, NULL));
    struct search_typed t = typed(&p, a, "pl"); /* all that is newer has no such word */
    assert_int_equal(t.hits_n, 1);
    assert_int_equal(t.hits[0].message.id, old.id);
    assert_int_equal(count(&p, "garden pl"), 1);
    struct said last = say(&p, p.ann, old.session, 0, "Plans");
    t = typed(&p, a, "pl");
    assert_int_equal(t.hits_n, 2);
    assert_int_equal(t.hits[0].message.id, last.id);
    t = typed(&p, a, "st");
    assert_int_equal(t.hits_n, SEARCH_TYPED_MESSAGES);
    assert_int_equal(t.hits[0].message.id, last.id - 1);
    close_place(&p);
}

static enum rc newer_tx(struct db *db, void *arg, struct err *e)
{
    struct said *s = arg;
    enum rc rc = RC_OK;
    for (int i = 0; rc == RC_OK && i < 90; i++) {
        struct message m = {.session_id = s->session,
            .role = ROLE_ASSISTANT,
            .status = MESSAGE_DONE,
            .channel = "web",
            .text = STR("A stone of the garden"),
            .created_at = NOW + 2 * MS_PER_DAY};
        rc = store_message_add(db, s->owner, &m, e);
    }
    return rc;
}

TEST(operators_find_messages_below_many_that_they_refuse)
{
    struct place p = open_place("");
    struct said old = say(&p, p.ann, 0, NOW - 400 * MS_PER_DAY, "The pond of the garden is calm");
    struct said place = {.owner = p.ann, .session = old.session};
    assert_ok(store_write(p.store, newer_tx, &place, NULL));
    static const char *const texts[] = {"before:2023 garden", "garden before:2023 ", "role:user garden ",
        "role:user the garden", "garden -stone ", "\"garden is calm\" "};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        if (count(&p, texts[i]) != 1)
            fail_msg("%s", texts[i]);
    assert_int_equal(count(&p, "after:2023 garden"), SEARCH_TYPED_MESSAGES);
    close_place(&p);
}

TEST(mistyped_words_are_replaced_when_nothing_has_them)
{
    AUTO(arena) a = arena_new();
    struct place p = open_place("");
    struct said bread = say(&p, p.ann, 0, 0, "A sourdough bread");
    say(&p, p.ann, 0, 0, "The mortgage of the garden");
    say(&p, p.bob, 0, 0, "Marmalade of Bob");
    static const char *const found[] = {"sourdoh", "sourdoh ", "bread sourdoh", "sourdoh bre", "a suordough",
        "mortage gard", "role:user sourdoh"};
    for (size_t i = 0; i < ARRAY_LEN(found); i++)
        assert_int_equal(count(&p, found[i]), 1);
    struct search_typed t = typed(&p, a, "sourdoh");
    assert_int_equal(t.hits[0].message.id, bread.id);
    assert_string_equal(t.words.words[0].word, "sourdough");
    static const char *const nothing[] = {
        "sourdoh mortage", "marmelade", "brad", "xylophone", "\"sourdoh\"", "sourdoh -bread"};
    for (size_t i = 0; i < ARRAY_LEN(nothing); i++)
        assert_int_equal(count(&p, nothing[i]), 0);
    close_place(&p);
}

struct beside {
    int64_t owner, session;
    const char *title;
};

static enum rc title_tx(struct db *db, void *arg, struct err *e)
{
    struct beside *b = arg;
    struct session s;
    AUTO(arena) a = arena_new();
    enum rc rc = store_session_by_id(db, a, b->owner, b->session, &s, e);
    return rc == RC_OK ? store_session_rename(db, b->owner, s.pub, b->title, e) : rc;
}

static void add_fact(struct place *p, int64_t owner, const char *text)
{
    AUTO(arena) a = arena_new();
    struct memory m;
    const struct memory_input w = {.owner = owner, .text = str_of(text), .now = NOW};
    assert_ok(memory_add(p->store, &w, a, &m, NULL, NULL));
}

TEST(mistyped_words_are_also_those_of_facts_and_titles)
{
    AUTO(arena) a = arena_new();
    struct place p = open_place("");
    struct said lunch = say(&p, p.ann, 0, 0, "A stew for lunch, made with flour");
    struct said bobs = say(&p, p.bob, 0, 0, "Lunch");
    struct beside titles[] = {{p.ann, lunch.session, "Cooking flowers"}, {p.bob, bobs.session, "Marmalade"}};
    for (size_t i = 0; i < ARRAY_LEN(titles); i++)
        assert_ok(store_write(p.store, title_tx, &titles[i], NULL));
    add_fact(&p, p.ann, "The dog is called Waldemar");
    add_fact(&p, p.bob, "The cat is called Penelope");
    static const struct {
        const char *text;
        size_t sessions, facts;
    } table[] = {{"Cookng", 1, 0}, {"cookign", 1, 0}, {"Waldmar", 0, 1}, {"called Waldmar ", 0, 1},
        {"Penelpe", 0, 0}, {"marmalde", 0, 0}, {"Waldemar Cookng", 0, 0},
        {"cooking flowrs", 1, 0}}; /* "cooking" is not mistyped, though no message has it */
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct search_typed t = typed(&p, a, table[i].text);
        if (t.sessions_n != table[i].sessions || t.memories_n != table[i].facts)
            fail_msg("%s: %zu sessions, %zu facts", table[i].text, t.sessions_n, t.memories_n);
    }
    close_place(&p);
}

TEST(words_are_found_in_their_other_spelling_when_nothing_has_them)
{
    struct place p = open_place("");
    say(&p, p.ann, 0, 0, "The train to G\u00F6ttlesbrunn leaves at noon");
    say(&p, p.ann, 0, 0, "Ticket WTU-118 is open");
    add_fact(&p, p.ann, "M\u00E4rz is the month of the m\u00FCller");
    static const struct {
        const char *text;
        size_t hits, facts;
    } table[] = {{"goettlesbr", 1, 0}, {"Goettlesbrunn ", 1, 0}, {"train goettlesbr", 1, 0}, {"WTU118", 1, 0},
        {"wtu11", 1, 0}, {"open wtu118 ", 1, 0}, {"muelle", 0, 1}, {"wtu119", 0, 0}, {"wtu118x", 0, 0}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        AUTO(arena) a = arena_new();
        struct search_typed t = typed(&p, a, table[i].text);
        if (t.hits_n != table[i].hits || t.memories_n != table[i].facts)
            fail_msg("%s: %zu hits, %zu facts", table[i].text, t.hits_n, t.memories_n);
    }
    close_place(&p);
}

struct hiding {
    struct said trashed, temporary;
    struct draft draft;
};

static enum rc hide_tx(struct db *db, void *arg, struct err *e)
{
    struct hiding *h = arg;
    char entry[ID_SIZE];
    struct message m = {.role = ROLE_USER, .channel = "import", .text = STR("plum"), .created_at = NOW};
    id_new(ID_SESSION, entry);
    enum rc rc = store_trash_message(db, h->trashed.owner, h->trashed.session, h->trashed.id, entry, NOW, e);
    if (rc == RC_OK)
        rc = store_draft_begin(db, &h->draft, e);
    if (rc == RC_OK)
        rc = store_draft_message(db, &h->draft, &m, e);
    return rc;
}

static enum rc temporary_tx(struct db *db, void *arg, struct err *e)
{
    struct said *s = arg;
    enum rc rc = store_session_add(db, s->owner, "ses_temporary", NULL, NULL, NOW, &s->session, e);
    return rc == RC_OK ? store_temporary_begin(db, s->session, MS_PER_DAY, NOW, e) : rc;
}

TEST(what_is_hidden_from_search_has_no_beginning_and_is_no_error)
{
    struct place p = open_place("");
    struct hiding h = {.temporary = {.owner = p.ann}};
    h.trashed = say(&p, p.ann, 0, 0, "plum");
    h.draft =
        (struct draft){.owner = p.ann, .pub = "ses_draft", .outer_id = "x:1", .digest = 7, .created_at = NOW};
    assert_ok(store_write(p.store, hide_tx, &h, NULL));
    assert_ok(store_write(p.store, temporary_tx, &h.temporary, NULL));
    say(&p, p.ann, h.temporary.session, 0, "plum");
    static const char *const beginnings[] = {"pl", "plum", "plum pl", "plum "};
    for (size_t i = 0; i < ARRAY_LEN(beginnings); i++)
        assert_int_equal(count(&p, beginnings[i]), 0);
    say(&p, p.ann, 0, 0, "Plum");
    for (size_t i = 0; i < ARRAY_LEN(beginnings); i++)
        assert_int_equal(count(&p, beginnings[i]), 1);
    close_place(&p);
}
