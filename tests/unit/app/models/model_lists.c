/* The providers that are asked for their models. They are asked in threads (pthread), so this runs under
 * TSan, too. */
#include "migrated.h"

#include "fake_http.h"

#include <unistd.h>

#include "app/models/model_lists.h"
#include "app/models/providers.h"
#include "base/log.h"
#include "store/store.h"

#define BUSY      "HTTP/1.1 500 Internal Server Error\r\nConnection: close\r\n\r\n"
#define WRONG_KEY "HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n"
#define NO_LIST   "HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n"
#define LIST \
    FAKE_OK("application/json") "{\"object\":\"list\",\"data\":[{\"id\":\"small\",\"object\":\"model\"}]}"

/* Two providers, "one" and "two". */
static struct providers *providers_at(const char *one, const char *two, struct config **c)
{
    struct providers *p;
    char settings[512];
    snprintf(settings, sizeof settings,
        "[provider.one]\nkind = \"openai\"\nbase_url = \"%s\"\n"
        "[provider.two]\nkind = \"openai\"\nbase_url = \"%s\"\n",
        one, two);
    assert_int_equal(config_parse("test", unit_tmp(), str_of(settings), c, NULL), RC_OK);
    assert_int_equal(providers_new(*c, &p, NULL), RC_OK);
    return p;
}

static struct store *open_store(const char *name)
{
    struct store *s;
    AUTO_STRBUF path;
    strbuf_init(&path, 4096);
    strbuf_addf(&path, "%s/%s", unit_tmp(), name);
    assert_int_equal(store_open(unit_migrated(strbuf_str(&path).s), 1, &s, NULL), RC_OK);
    return s;
}

/* The server reads `replies` until its end. */
static struct fake_http *server_that_says(const char *reply, struct fake_reply replies[FAKE_REQUESTS_MAX])
{
    for (size_t i = 0; i < FAKE_REQUESTS_MAX; i++)
        replies[i] = (struct fake_reply){.text = reply};
    return fake_http_start(replies, FAKE_REQUESTS_MAX);
}

TEST(a_provider_that_failed_once_does_not_delay_the_next_start)
{
    struct fake_reply replies[FAKE_REQUESTS_MAX];
    struct fake_http *f = server_that_says(BUSY, replies);
    struct config *c;
    struct providers *p = providers_at(f->url, f->url, &c);
    const struct provider_source *one = providers_source(p, "one");
    assert_non_null(one);
    struct providers only = *p;
    only.sources = one;
    only.sources_n = 1;
    struct store *s = open_store("model_lists.db");

    model_lists_start(&only, s);
    size_t asked = __atomic_load_n(&f->requests_n, __ATOMIC_SEQ_CST);
    assert_true(asked > 0);
    model_lists_start(&only, s);
    fake_http_stop(f);
    assert_int_equal(f->requests_n, asked);

    fake_http_free(f);
    store_free(s);
    providers_free(p);
    config_free(c);
}

static enum rc age_tx(struct db *db, void *arg, struct err *e)
{
    (void)arg;
    return db_exec(db, "UPDATE model_list SET asked_at = 1", NO_ARGS, NULL, e);
}

static enum rc aged_fn(struct db *db, void *arg, struct err *e)
{
    return db_one_int(
        db, "SELECT count(*) FROM model_list WHERE asked_at = 1 AND failure IS NOT NULL", NO_ARGS, arg, e);
}

TEST(a_failure_that_repeats_is_not_written_again)
{
    struct config *c;
    struct providers *p = providers_at("http://127.0.0.1:1/v1", "http://127.0.0.1:1/v1", &c);
    struct store *s = open_store("repeated.db");
    int64_t aged = 0;
    for (int i = 0; i < 2; i++) {
        assert_int_not_equal(model_list_ask(p, providers_source(p, "one"), s, 0, 0, NULL), RC_OK);
        if (i == 0)
            assert_int_equal(store_write(s, age_tx, NULL, NULL), RC_OK);
    }
    assert_int_equal(store_with_reader(s, aged_fn, &aged, NULL), RC_OK);
    assert_int_equal(aged, 1);
    store_free(s);
    providers_free(p);
    config_free(c);
}

static enum rc learn_tx(struct db *db, void *arg, struct err *e)
{
    return store_model_learn(db, arg, 2000, e);
}

static enum rc forget_tx(struct db *db, void *arg, struct err *e)
{
    const int64_t *before = arg;
    return store_models_forget(db, *before, e);
}

struct known {
    struct arena *arena;
    struct model_learned_row *rows;
    size_t n;
    int64_t version;
};

static enum rc known_fn(struct db *db, void *arg, struct err *e)
{
    struct known *k = arg;
    enum rc rc = store_models_version(db, &k->version, e);
    return rc == RC_OK ? store_models_learned(db, k->arena, "one", &k->rows, &k->n, e) : rc;
}

TEST(what_was_learned_is_forgotten_with_its_address_and_with_time)
{
    AUTO(arena) a = arena_new();
    struct store *s = open_store("learned.db");
    struct model_learned_row tools = {"one", "small", "http://old/v1", .tools = LLM_NO};
    struct model_learned_row window = {"one", "small", "http://new/v1", .window = 4096};
    struct known k = {.arena = a};
    assert_int_equal(store_write(s, learn_tx, &tools, NULL), RC_OK);
    assert_int_equal(store_write(s, learn_tx, &window, NULL), RC_OK);
    assert_int_equal(store_with_reader(s, known_fn, &k, NULL), RC_OK);
    assert_int_equal(k.n, 1);
    assert_int_equal(k.rows[0].window, 4096);
    assert_int_equal(k.rows[0].tools, LLM_UNKNOWN);

    int64_t version = k.version;
    for (int64_t before = 2000; before <= 2001; before++) {
        assert_int_equal(store_write(s, forget_tx, &before, NULL), RC_OK);
        assert_int_equal(store_with_reader(s, known_fn, &k, NULL), RC_OK);
        assert_int_equal(k.n, before == 2000);
        assert_int_equal(k.version, version + (before == 2001)); /* running programs read the rows again */
    }
    store_free(s);
}

static enum rc break_tx(struct db *db, void *arg, struct err *e)
{
    (void)arg;
    return db_exec(db,
        "CREATE TRIGGER broken BEFORE INSERT ON model_list BEGIN SELECT raise(ABORT, 'it is broken'); END",
        NO_ARGS, NULL, e);
}

static enum rc mend_tx(struct db *db, void *arg, struct err *e)
{
    (void)arg;
    return db_exec(db, "DROP TRIGGER broken", NO_ARGS, NULL, e);
}

static int lines_with(FILE *f, const char *text)
{
    char line[LOG_LINE_MAX];
    int n = 0;
    rewind(f);
    while (fgets(line, sizeof line, f))
        n += strstr(line, text) != NULL;
    return n;
}

TEST(lists_that_cannot_be_saved_are_logged_once)
{
    struct fake_reply lists[FAKE_REQUESTS_MAX];
    struct fake_http *f = server_that_says(LIST, lists);
    struct config *c;
    struct providers *p = providers_at(f->url, f->url, &c);
    struct store *s = open_store("unsaved.db");
    FILE *log = tmpfile();
    int kept = dup(STDERR_FILENO);
    assert_int_equal(store_write(s, break_tx, NULL, NULL), RC_OK);
    dup2(fileno(log), STDERR_FILENO);
    for (int i = 0; i < 4; i++)
        (void)model_list_ask(p, providers_source(p, i % 2 ? "one" : "two"), s, 0, 0, NULL);
    assert_int_equal(store_write(s, mend_tx, NULL, NULL), RC_OK);
    (void)model_list_ask(p, providers_source(p, "one"), s, 0, 0, NULL);
    dup2(kept, STDERR_FILENO);
    close(kept);
    assert_int_equal(lines_with(log, "could not be saved: it is broken"), 1);
    assert_int_equal(lines_with(log, "saving lists of models works again after 4 failures"), 1);
    fclose(log);
    fake_http_stop(f);
    fake_http_free(f);
    store_free(s);
    providers_free(p);
    config_free(c);
}

TEST(providers_that_are_asked_at_once_each_have_their_own_result)
{
    struct fake_reply lists[FAKE_REQUESTS_MAX], failures[FAKE_REQUESTS_MAX];
    struct fake_http *good = server_that_says(LIST, lists), *bad = server_that_says(BUSY, failures);
    struct config *c;
    struct providers *p = providers_at(bad->url, good->url, &c);
    struct store *s = open_store("at_once.db");
    const struct provider_source *sources[] = {
        providers_source(p, "one"), providers_source(p, "two"), providers_source(p, "not there")};
    bool answered[ARRAY_LEN(sources)];

    model_lists_ask(p, sources, ARRAY_LEN(sources), s, 0, answered);
    assert_false(answered[0]);
    assert_true(answered[1]);
    assert_true(answered[2]); /* it has left the settings */
    AUTO(arena) a = arena_new();
    struct model_list_row one, two;
    struct db *db = store_read(s);
    assert_int_equal(store_model_list_get(db, a, "one", &one, NULL), RC_OK);
    assert_int_equal(store_model_list_get(db, a, "two", &two, NULL), RC_OK);
    store_read_done(s, db);
    assert_non_null(one.failure);
    assert_null(two.failure);
    assert_true(two.listed_at > 0);

    fake_http_stop(good);
    fake_http_stop(bad);
    fake_http_free(good);
    fake_http_free(bad);
    store_free(s);
    providers_free(p);
    config_free(c);
}

TEST(a_provider_that_refuses_has_answered)
{
    struct fake_reply wrong_keys[FAKE_REQUESTS_MAX], absents[FAKE_REQUESTS_MAX];
    struct fake_http *wrong_key = server_that_says(WRONG_KEY, wrong_keys);
    struct fake_http *absent = server_that_says(NO_LIST, absents);
    struct config *c;
    struct providers *p = providers_at(wrong_key->url, absent->url, &c);
    struct store *s = open_store("refusals.db");
    const struct provider_source *sources[] = {providers_source(p, "one"), providers_source(p, "two")};
    bool answered[ARRAY_LEN(sources)];
    model_lists_ask(p, sources, ARRAY_LEN(sources), s, 0, answered);
    assert_true(answered[0]);
    assert_true(answered[1]);

    fake_http_stop(wrong_key);
    fake_http_stop(absent);
    fake_http_free(wrong_key);
    fake_http_free(absent);
    store_free(s);
    providers_free(p);
    config_free(c);
}

/* ---- lists of choices ---- */

struct listed {
    const struct model_row *models;
    size_t n;
};

static enum rc put_tx(struct db *db, void *arg, struct err *e)
{
    const struct listed *l = arg;
    struct model_list_row row = {.provider = "one", .base_url = "http://127.0.0.1:9/v1", .server = ""};
    row.asked_at = row.listed_at = 1;
    return store_models_put(db, &row, l->models, l->n, e);
}

/* The list of choices after the provider has listed two models. */
static const struct provider_list *list_after(
    const struct providers *p, struct store *s, struct model_row a, struct model_row b)
{
    struct model_row models[] = {a, b};
    assert_int_equal(store_write(s, put_tx, &(struct listed){models, 2}, NULL), RC_OK);
    struct db *db = store_read(s);
    providers_refresh(p, db);
    store_read_done(s, db);
    return providers_list(p);
}

TEST(choices_and_lists_that_come_again_take_no_memory)
{
    struct config *c;
    struct providers *p = providers_at("http://127.0.0.1:9/v1", "http://127.0.0.1:10/v1", &c);
    struct store *s = open_store("again.db");
    struct model_row a = {.name = "a", .chat = true, .window_from = ""}, b = a;
    b.name = "b";
    const struct provider_list *first = list_after(p, s, a, b);
    const struct provider_choice *of_a = providers_find(p, "one/a"), *of_b = providers_find(p, "one/b");
    assert_int_equal(first->n, 3);
    a.loaded = true;
    assert_ptr_equal(list_after(p, s, a, b), first);
    b.window = 5000;
    b.window_from = "max_model_len";
    assert_ptr_not_equal(list_after(p, s, a, b), first);
    assert_ptr_equal(providers_find(p, "one/a"), of_a);
    assert_ptr_not_equal(providers_find(p, "one/b"), of_b);
    assert_int_equal(providers_find(p, "one/b")->window, 5000);
    assert_string_equal(providers_find(p, "one/b")->window_from, "max_model_len");
    b.window = 0;
    b.window_from = "";
    assert_ptr_equal(list_after(p, s, a, b), first);
    assert_string_equal(of_a->label, "a");
    store_free(s);
    providers_free(p);
    config_free(c);
}

/* The programs look each second while requests come. */
TEST(a_store_that_cannot_be_read_is_logged_once_and_its_return_too)
{
    struct config *c;
    struct providers *p = providers_at("http://127.0.0.1:9/v1", "http://127.0.0.1:10/v1", &c);
    AUTO(db) empty = NULL;
    AUTO_STRBUF path;
    strbuf_init(&path, 4096);
    strbuf_addf(&path, "%s/empty.db", unit_tmp());
    assert_ok(db_open(strbuf_str(&path).s, DB_READ_WRITE, &empty, NULL));
    struct store *s = open_store("returns.db");
    struct db *db = store_read(s);
    log_init("test", LOG_INFO);
    unit_log_begin();
    for (int i = 0; i < 3; i++)
        providers_refresh(p, empty);
    providers_refresh(p, db);
    providers_refresh(p, db);
    assert_int_equal(unit_log_lines(), 2);
    store_read_done(s, db);
    store_free(s);
    providers_free(p);
    config_free(c);
}
