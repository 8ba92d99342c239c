/* The tree of an imported conversation: parents, order, loops, and calls with their results. */
#include "app/import/import_rig.h"

struct node {
    const char *key, *parent;
    int64_t at;
    bool dropped;
};

/* "key>parent key ..." in the order in which they would be stored. */
static void orders(const struct node *nodes, size_t n, const char *want)
{
    AUTO(arena) a = arena_new();
    AUTO_STRBUF got;
    struct import_conversation c = {.a = a};
    strbuf_init(&got, 1000);
    for (size_t i = 0; i < n; i++) {
        struct import_message *m = import_add(&c, nodes[i].key, nodes[i].parent);
        m->created_at = nodes[i].at;
        m->dropped = nodes[i].dropped;
    }
    import_tree(&c);
    for (size_t k = 0; k < c.order_n; k++) {
        const struct import_message *m = &c.messages[c.order[k]];
        strbuf_addf(&got, "%s%s>%s", k ? " " : "", m->key,
            m->parent_at == IMPORT_NONE ? "-" : c.messages[m->parent_at].key);
    }
    assert_string_equal(got.s, want);
}

#define ORDERS(want, ...)                      \
    orders((const struct node[]){__VA_ARGS__}, \
        sizeof((const struct node[]){__VA_ARGS__}) / sizeof(struct node), want)

TEST(import_tree_orders_by_parent_then_by_time)
{
    ORDERS("a>- b>a d>a c>b", {"c", "b", 9, false}, {"b", "a", 2, false}, {"a", NULL, 1, false},
        {"d", "a", 5, false});
    ORDERS("a>- b>a", {"b", "a", 1, false}, {"a", NULL, 7, false});
}

TEST(import_tree_moves_children_of_a_dropped_message_to_its_parent)
{
    ORDERS("b>- d>b", {"a", NULL, 1, true}, {"b", "a", 2, false}, {"c", "b", 3, true}, {"c2", "c", 4, true},
        {"d", "c2", 5, false});
    ORDERS("", {"a", NULL, 1, true});
}

TEST(import_tree_cuts_loops_with_their_descendants)
{
    ORDERS("x>-", {"a", "b", 1, false}, {"b", "a", 2, false}, {"c", "b", 3, false}, {"x", NULL, 4, false});
    ORDERS("x>-", {"x", NULL, 4, false}, {"a", "a", 1, false}, {"b", "a", 1, false});
}

TEST(import_tree_makes_a_root_of_a_message_without_parent)
{
    ORDERS("a>- b>a", {"a", "nowhere", 1, false}, {"b", "a", 2, false});
    ORDERS("a>- a>- b>a", {"a", NULL, 1, false}, {"a", NULL, 1, false},
        {"b", "a", 2, false}); /* the first of both */
}

TEST(import_tree_is_deep_without_recursion)
{
    AUTO(arena) a = arena_new();
    struct import_conversation c = {.a = a};
    char key[32], parent[32];
    for (int i = 100000; i > 0; i--) {
        snprintf(key, sizeof key, "%d", i);
        snprintf(parent, sizeof parent, "%d", i - 1);
        import_add(&c, key, i == 1 ? NULL : parent);
    }
    import_tree(&c);
    assert_int_equal(c.order_n, 100000);
    assert_string_equal(c.messages[c.order[0]].key, "1");
    assert_string_equal(c.messages[c.order[99999]].key, "100000");
}

static struct import_message *say(
    struct import_conversation *c, const char *key, const char *parent, enum message_role role)
{
    struct import_message *m = import_add(c, key, parent);
    m->role = role;
    m->created_at = (int64_t)c->n;
    return m;
}

TEST(import_tree_keeps_results_only_behind_all_their_calls)
{
    static const char two[] =
        "[{\"id\":\"1\",\"name\":\"x\",\"args\":{}},{\"id\":\"2\",\"name\":\"x\",\"args\":{}}]";
    AUTO(arena) a = arena_new();
    for (int whole = 0; whole < 2; whole++) {
        struct import_conversation c = {.a = a};
        say(&c, "q", NULL, ROLE_USER);
        say(&c, "c", "q", ROLE_ASSISTANT)->calls = two;
        say(&c, "r1", "c", ROLE_TOOL)->call_id = "1";
        say(&c, "r2", "r1", ROLE_TOOL)->call_id = whole ? "2" : "3";
        say(&c, "a", "r2", ROLE_ASSISTANT);
        import_tree(&c);
        assert_int_equal(c.order_n, whole ? 5 : 3);
        assert_int_equal(c.messages[4].parent_at, whole ? 3 : 1);
        assert_int_equal(import_find(&c, "r2"), whole ? 3 : 1);
        assert_int_equal(import_find(&c, "nobody"), IMPORT_NONE);
    }
}
