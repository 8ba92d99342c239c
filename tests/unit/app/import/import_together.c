/* Two imports of the same file at once. The second one runs between two transactions of the first. */
#include "import_home.h"

#define SAID 24

/* One chain of messages, the first `n` of a conversation. */
static const char *chain(struct arena *a, int n)
{
    AUTO_STRBUF b;
    strbuf_init(&b, 1 << 20);
    strbuf_addf(&b, "[{\"id\":\"c\",\"title\":\"Chain\",\"current_node\":\"m%d\",\"mapping\":{", n);
    for (int i = 1; i <= n; i++)
        strbuf_addf(&b,
            "%s\"m%d\":{\"parent\":\"m%d\",\"message\":{\"author\":{\"role\":\"%s\"},\"create_time\":%d,"
            "\"content\":{\"parts\":[\"message %d\"]}}}",
            i > 1 ? "," : "", i, i - 1, i % 2 ? "user" : "assistant", 1600000000 + i, i);
    strbuf_adds(&b, "}}]");
    return arena_strndup(a, b.s, b.len);
}

struct other {
    struct import_args x;
    struct transfer t;
    int calls, each; /* it runs at each call that `each` divides */
    int parts;       /* that it stores then */
    bool whole;
};

static bool pause_after_parts(void *arg)
{
    int *left = arg;
    return --*left <= 0;
}

static void run_other(void *arg, const struct transfer *t)
{
    struct other *o = arg;
    (void)t;
    if (o->whole || ++o->calls % o->each)
        return;
    int left = o->parts + (o->t.counted >= 0); /* the first look may pause, too */
    o->x.arg = &left;
    assert_ok(import_run(&o->x, &o->t, &o->whole, NULL));
}

/* Both read the same file. Returns the first one's counters. */
static struct transfer together(const struct home *h, const char *text, struct other *o)
{
    struct transfer t = {.owner = 1, .format = ""};
    bool whole = false;
    struct import_args x = {.store = h->store,
        .config = h->config,
        .path = write_file("both.json", str_of(text)),
        .write_ms = -1, /* a part each */
        .progress = run_other,
        .arg = o};
    o->x = x;
    o->x.progress = NULL;
    o->x.pause = pause_after_parts;
    o->t = t;
    assert_ok(import_run(&x, &t, &whole, NULL));
    assert_true(whole && o->calls >= o->each);
    return t;
}

static void is_one_chain(const struct home *h)
{
    assert_int_equal(number(h, "SELECT count(*) FROM session WHERE owner = 1"), 1);
    assert_int_equal(number(h, "SELECT count(*) FROM message"), SAID);
    assert_int_equal(number(h, "SELECT count(*) FROM message WHERE parent_id IS NULL"), 1);
    assert_int_equal(number(h, "SELECT count(*) FROM message m JOIN message p ON p.id = m.parent_id "
                               "WHERE p.created_at = m.created_at - 1000"),
        SAID - 1);
    assert_int_equal(number(h, "SELECT message_count FROM session"), SAID);
    assert_int_equal(number(h, "SELECT count(*) FROM session s JOIN message m ON m.id = s.head_id "
                               "WHERE m.text = 'message 24'"),
        1);
    assert_int_equal(number(h, "SELECT count(*) FROM import_draft"), 0);
}

static const struct {
    int each, parts;
} turns[] = {{1, 1}, {3, 2}, {2, 5}, {4, 100}};

TEST(import_of_one_file_twice_at_once_makes_one_conversation)
{
    for (size_t i = 0; i < ARRAY_LEN(turns); i++) {
        struct home h = home();
        struct other o = {.each = turns[i].each, .parts = turns[i].parts};
        struct transfer t = together(&h, chain(h.a, SAID), &o);
        is_one_chain(&h);
        assert_true(t.done + t.known == 1 && t.changed == 0);
        leave(&h);
    }
}

TEST(import_of_one_later_file_twice_at_once_adds_its_messages_once)
{
    for (size_t i = 0; i < ARRAY_LEN(turns); i++) {
        struct home h = home();
        struct other o = {.each = turns[i].each, .parts = turns[i].parts};
        imports(&h, chain(h.a, 4));
        struct transfer t = together(&h, chain(h.a, SAID), &o);
        is_one_chain(&h);
        assert_true(t.done + t.known == 1 && t.changed == 0 && o.t.changed == 0);
        leave(&h);
    }
}

/* The first import has read the known facts for its session, then the second one stores all. */
TEST(import_of_one_file_twice_at_once_adds_facts_outside_of_sessions_once)
{
    struct home h = home();
    struct other o = {.each = 1, .parts = 100};
    struct transfer t = together(&h,
        "{\"type\":\"header\",\"format\":\"alfred\",\"version\":1,\"sessions\":1}\n"
        "{\"type\":\"session\",\"id\":\"ses_00000000000000000000000000\"}\n"
        "{\"type\":\"message\",\"id\":\"1\",\"role\":\"user\",\"text\":\"hello\"}\n"
        "{\"type\":\"memory\",\"session\":\"ses_00000000000000000000000000\",\"source\":\"1\",\"text\":\"a\","
        "\"created_at\":5}\n"
        "{\"type\":\"memory\",\"text\":\"b\",\"created_at\":5}\n"
        "{\"type\":\"task\",\"text\":\"c\",\"created_at\":5}\n"
        "{\"type\":\"reminder\",\"text\":\"d\",\"start\":\"2020-01-01T08:00\",\"rule\":\"FREQ=YEARLY\","
        "\"created_at\":5}\n",
        &o);
    assert_true(o.whole);
    assert_int_equal(t.facts + o.t.facts, 4);
    assert_int_equal(number(&h, "SELECT count(*) FROM memory"), 2);
    assert_int_equal(number(&h, "SELECT count(*) FROM task"), 1);
    assert_int_equal(number(&h, "SELECT count(*) FROM reminder"), 1);
    leave(&h);
}
