/* The cache of query vectors, and the pause after a failure of the provider. */
#include "unit.h"

#include <pthread.h>

#include "fake_http.h"

#include "app/models/embedder.h"
#include "app/models/query_vector_cache.h"
#include "base/clock.h"

#define T INT64_C(1000000)

static struct query_key ask_for(const char *text)
{
    return query_key_of("vec", "embed-1", 3, str_of(text));
}

static void answer(struct query_vector_cache *q, const char *text, int64_t now, int8_t with)
{
    int8_t v[3] = {with, 2, 3};
    struct query_key of = ask_for(text);
    query_vector_cache_answered(q, &of, now, &(struct vector_set){v, 1, 3, 0.5F});
}

static enum query_vector_state found(struct query_vector_cache *q, const char *text, int64_t now)
{
    AUTO(arena) a = arena_new();
    struct vector_set v;
    struct query_key of = ask_for(text);
    return query_vector_cache_find(q, &of, now, a, &v);
}

TEST(questions_are_asked_once)
{
    AUTO(arena) a = arena_new();
    AUTO(query_vector_cache) q = query_vector_cache_new();
    struct vector_set v;
    struct query_key of = ask_for("where is the key?");
    assert_int_equal(query_vector_cache_find(q, &of, T, a, &v), QUERY_VECTOR_ASK);
    answer(q, "where is the key?", T, 1);
    answer(q, "something else", T, 9);
    assert_int_equal(query_vector_cache_find(q, &of, T + 1, a, &v), QUERY_VECTOR_KNOWN);
    assert_int_equal(v.dimension, 3);
    assert_true(v.v[0] == 1 && v.v[1] == 2 && v.v[2] == 3 && v.scale == 0.5F);
    answer(q, "where is the key?", T, 4);
    assert_int_equal(query_vector_cache_find(q, &of, T + 1, a, &v), QUERY_VECTOR_KNOWN);
    assert_int_equal(v.v[0], 4);
}

TEST(questions_to_other_models_are_others)
{
    struct str text = str_of("x");
    struct query_key of[] = {query_key_of("vec", "embed-1", 3, text), query_key_of("vec", "embed-2", 3, text),
        query_key_of("ve", "cembed-1", 3, text), query_key_of("vec", "embed-1", 4, text),
        query_key_of("vec", "embed-1", 3, str_of("y")), query_key_of("vec", "embed-1", 3, (struct str){0})};
    for (size_t i = 0; i < ARRAY_LEN(of); i++)
        for (size_t k = 0; k < i; k++)
            assert_memory_not_equal(of[i].key, of[k].key, QUERY_KEY_SIZE);
    assert_memory_equal(of[0].maker, of[3].maker, QUERY_KEY_SIZE);
    assert_memory_not_equal(of[0].maker, of[2].maker, QUERY_KEY_SIZE);
}

TEST(questions_that_were_not_asked_for_longest_make_room)
{
    AUTO(query_vector_cache) q = query_vector_cache_new();
    char text[] = "0";
    for (int i = 0; i < QUERY_CACHE_ENTRIES; i++, text[0]++)
        answer(q, text, T + i, 1);
    assert_int_equal(found(q, "0", T + 100), QUERY_VECTOR_KNOWN); /* asked again, so 1 is the oldest */
    answer(q, "new", T + 101, 1);
    assert_int_equal(found(q, "0", T + 102), QUERY_VECTOR_KNOWN);
    assert_int_equal(found(q, "new", T + 102), QUERY_VECTOR_KNOWN);
    assert_int_equal(found(q, "1", T + 102), QUERY_VECTOR_ASK);
    assert_int_equal(found(q, "2", T + 102), QUERY_VECTOR_KNOWN);
    assert_int_equal(found(q, "2", T + 102 + QUERY_CACHE_TTL_MS), QUERY_VECTOR_KNOWN);
    assert_int_equal(found(q, "2", T + 103 + 2 * QUERY_CACHE_TTL_MS), QUERY_VECTOR_ASK);
}

TEST(queries_skip_a_provider_after_a_slow_failure)
{
    AUTO(query_vector_cache) q = query_vector_cache_new();
    struct query_key of = ask_for("x"), other = query_key_of("other", "m", 0, str_of("x"));
    int64_t later = T + 5000;
    answer(q, "known", T, 1);
    query_vector_cache_failed(q, &of, T, later, RC_TIMEOUT);
    assert_int_equal(found(q, "x", later), QUERY_VECTOR_DOWN);
    assert_int_equal(found(q, "y", later + EMBEDDER_DOWN_MS - 1), QUERY_VECTOR_DOWN);
    assert_int_equal(found(q, "known", later), QUERY_VECTOR_KNOWN);
    AUTO(arena) a = arena_new();
    struct vector_set v;
    assert_int_equal(query_vector_cache_find(q, &other, later, a, &v), QUERY_VECTOR_ASK);
    /* One tries it again, the others do not wait with it. */
    later += EMBEDDER_DOWN_MS;
    assert_int_equal(found(q, "x", later), QUERY_VECTOR_ASK);
    assert_int_equal(found(q, "x", later), QUERY_VECTOR_DOWN);
    query_vector_cache_failed(q, &of, later, later + 5000, RC_TIMEOUT);
    assert_int_equal(found(q, "x", later + 5001), QUERY_VECTOR_DOWN);
    later += 5000 + 2 * EMBEDDER_DOWN_MS;
    assert_int_equal(found(q, "x", later), QUERY_VECTOR_ASK);
    answer(q, "x", later, 1);
    assert_int_equal(found(q, "y", later), QUERY_VECTOR_ASK);
}

/* The time in which a provider that has just failed is not asked. */
static int64_t pause_after(struct query_vector_cache *q, int64_t now)
{
    int64_t waited = 0;
    while (found(q, "x", now + waited) == QUERY_VECTOR_DOWN)
        waited += MS_PER_S;
    return waited;
}

TEST(the_longer_a_provider_is_down_the_fewer_queries_wait_for_it)
{
    AUTO(query_vector_cache) q = query_vector_cache_new();
    struct query_key of = ask_for("x");
    int64_t now = T, wanted = EMBEDDER_DOWN_MS;
    for (int i = 0; i < 8; i++) {
        /* two that were asked at the same time */
        query_vector_cache_failed(q, &of, now, now + 5000, RC_TIMEOUT);
        query_vector_cache_failed(q, &of, now + 1, now + 5001, RC_TIMEOUT);
        now += 5000;
        int64_t pause = pause_after(q, now);
        assert_int_equal(pause, wanted);
        wanted = 2 * wanted < EMBEDDER_DOWN_MAX_MS ? 2 * wanted : EMBEDDER_DOWN_MAX_MS;
        now += pause;
    }
    answer(q, "x", now, 1);
    now += QUERY_CACHE_TTL_MS + 1;
    query_vector_cache_failed(q, &of, now, now + 5000, RC_TIMEOUT);
    assert_int_equal(pause_after(q, now + 5000), EMBEDDER_DOWN_MS);
}

TEST(queries_retry_after_a_fast_failure_but_not_after_a_rate_limit)
{
    AUTO(query_vector_cache) q = query_vector_cache_new();
    struct query_key of = ask_for("x");
    query_vector_cache_failed(q, &of, T, T + EMBEDDER_SLOW_MS - 1, RC_UPSTREAM);
    assert_int_equal(found(q, "x", T + EMBEDDER_SLOW_MS), QUERY_VECTOR_ASK);
    query_vector_cache_failed(q, &of, T, T + 1, RC_RATE_LIMITED);
    assert_int_equal(found(q, "x", T + 2), QUERY_VECTOR_DOWN);
    /* It was down, and says at once that it is broken. */
    assert_int_equal(found(q, "x", T + 1 + EMBEDDER_DOWN_MS), QUERY_VECTOR_ASK);
    query_vector_cache_failed(q, &of, T + 1 + EMBEDDER_DOWN_MS, T + 2 + EMBEDDER_DOWN_MS, RC_UPSTREAM);
    assert_int_equal(found(q, "x", T + 3 + EMBEDDER_DOWN_MS), QUERY_VECTOR_ASK);
}

TEST(questions_of_no_or_too_many_dimensions_are_not_kept)
{
    AUTO(query_vector_cache) q = query_vector_cache_new();
    struct query_key of = ask_for("x");
    query_vector_cache_answered(q, &of, T, &(struct vector_set){.scale = 1});
    assert_int_equal(found(q, "x", T), QUERY_VECTOR_ASK);
    static int8_t many[QUERY_CACHE_DIMS_MAX + 1];
    query_vector_cache_answered(q, &of, T, &(struct vector_set){many, 1, QUERY_CACHE_DIMS_MAX + 1, 1});
    assert_int_equal(found(q, "x", T), QUERY_VECTOR_ASK);
}

static void *enters(void *arg)
{
    return query_vector_cache_enter(arg) ? arg : NULL;
}

TEST(questions_that_hang_hold_few_threads)
{
    AUTO(query_vector_cache) q = query_vector_cache_new();
    for (int i = 0; i < QUERY_CACHE_WAITERS_MAX; i++)
        assert_true(query_vector_cache_enter(q));
    int64_t start = clock_mono_ms();
    assert_false(query_vector_cache_enter(q));
    assert_true(clock_mono_ms() - start >= QUERY_CACHE_WAIT_MS);
    pthread_t t;
    void *entered;
    assert_int_equal(pthread_create(&t, NULL, enters, q), 0);
    query_vector_cache_leave(q);
    pthread_join(t, &entered);
    assert_ptr_equal(entered, q); /* whether it began to wait before or after */
    assert_false(query_vector_cache_enter(q));
}

#define THREADS 4
#define ROUNDS  500

static void *asks(void *arg)
{
    struct query_vector_cache *q = arg;
    for (int i = 0; i < ROUNDS; i++) {
        AUTO(arena) a = arena_new();
        char text[2] = {(char)('a' + i % (2 * QUERY_CACHE_ENTRIES)), 0};
        struct query_key of = ask_for(text);
        struct vector_set v;
        if (query_vector_cache_find(q, &of, T + i, a, &v) == QUERY_VECTOR_KNOWN) {
            assert_true(v.dimension == 3 && v.v[0] == text[0]);
        } else if (i % 7) {
            answer(q, text, T + i, (int8_t)text[0]);
        } else {
            query_vector_cache_failed(q, &of, T, T + i, i % 2 ? RC_TIMEOUT : RC_RATE_LIMITED);
        }
    }
    return NULL;
}

TEST(questions_may_come_from_many_threads)
{
    AUTO(query_vector_cache) q = query_vector_cache_new();
    pthread_t t[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&t[i], NULL, asks, q), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
}

TEST(an_embedder_asks_its_provider_once_for_a_question)
{
    static const struct fake_reply replies[] = {
        {.text = FAKE_OK("application/json") "{\"data\":[{\"embedding\":[3,4]}]}"},
        {.text = FAKE_OK("application/json") "{\"data\":[{\"embedding\":[4,3]}]}"}};
    struct fake_http *f = fake_http_start(replies, ARRAY_LEN(replies));
    struct config *c;
    struct providers *p;
    struct embedder m;
    char settings[512];
    snprintf(settings, sizeof settings,
        "[provider.vec]\nkind = \"openai\"\nbase_url = \"%s\"\nmodel = \"m\"\n"
        "[embedding]\nprovider = \"vec\"\nmodel = \"embed-1\"\n",
        f->url);
    assert_int_equal(config_parse("test", unit_tmp(), str_of(settings), &c, NULL), RC_OK);
    assert_int_equal(providers_new(c, &p, NULL), RC_OK);
    assert_int_equal(embedder_configured(c, p, &m, NULL), RC_OK);
    for (int i = 0; i < 4; i++) {
        AUTO(arena) a = arena_new();
        struct vector_set v;
        assert_int_equal(embedder_query(&m, a, str_of(i < 3 ? "one" : "two"), NULL, NULL, &v, NULL), RC_OK);
        assert_int_equal(v.dimension, 2);
        assert_true(i < 3 ? v.v[0] < v.v[1] : v.v[0] > v.v[1]);
    }
    fake_http_stop(f);
    assert_int_equal(f->requests_n, 2);
    fake_http_free(f);
    providers_free(p);
    config_free(c);
}
