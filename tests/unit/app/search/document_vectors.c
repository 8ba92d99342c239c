/* Vectors of documents against a provider that refuses in each of the known ways. */
#include "unit.h"

#include "app/search/document_vectors.h"
#include "base/mem.h"
#include "base/strbuf.h"

#define DIMS    3
#define ASK_MAX 4096

/* A provider: what it accepts, and what it was asked. A vector is {1, 0, 0}, for a text with "needle" {0, 1,
 * 0}. */
struct fake {
    size_t bytes_max, texts_max; /* 0: any */
    const char *poison;          /* a text with it is refused */
    enum rc poison_rc;
    enum rc broken; /* RC_OK: not */
    int broken_after;
    int requests, refused, harmless;
    size_t longest, most;
};

static bool has(struct str text, const char *word)
{
    return memmem(text.s, text.len, word, strlen(word)) != NULL;
}

static enum rc judge(struct fake *f, const struct str *texts, size_t n)
{
    if (f->broken != RC_OK && f->requests > f->broken_after)
        return f->broken;
    if (f->texts_max && n > f->texts_max)
        return RC_BAD_INPUT;
    for (size_t i = 0; i < n; i++) {
        assert_true(texts[i].len > 0);
        if (f->bytes_max && texts[i].len > f->bytes_max)
            return RC_TOO_BIG;
        if (f->poison && has(texts[i], f->poison))
            return f->poison_rc;
    }
    return RC_OK;
}

static enum rc request(void *arg, struct arena *a, const struct str *texts, size_t n, float **out,
    size_t *dimension, struct err *e)
{
    struct fake *f = arg;
    f->requests++;
    assert_true(f->requests < ASK_MAX);
    assert_true(n >= 1 && n <= DOCUMENT_REQUEST_TEXTS);
    if (n == 1 && str_is(texts[0], DOCUMENT_HARMLESS))
        f->harmless++;
    enum rc rc = judge(f, texts, n);
    if (rc != RC_OK) {
        f->refused++;
        return err_set(e, rc, "as told");
    }
    *out = ARENA_ARRAY(a, float, n *DIMS);
    *dimension = DIMS;
    for (size_t i = 0; i < n; i++) {
        (*out)[i * DIMS + (has(texts[i], "needle") ? 1 : 0)] = 2; /* not of length 1 */
        f->longest = texts[i].len > f->longest ? texts[i].len : f->longest;
    }
    f->most = n > f->most ? n : f->most;
    return RC_OK;
}

#define PASSAGE 800

static struct document_embedder embedder(struct fake *f)
{
    return (struct document_embedder){request, f, PASSAGE, 8192, {0}};
}

/* "word word ... " of a length, with something at its end. */
static struct str long_text(struct arena *a, size_t len, const char *end)
{
    char *text = arena_alloc(a, len + 1);
    size_t tail = strlen(end);
    for (size_t i = 0; i < len; i++)
        text[i] = "word "[i % 5];
    memcpy(text + len - tail, end, tail);
    text[len] = '\0';
    return (struct str){text, len};
}

static bool finds_needle(const struct document *d)
{
    for (size_t i = 0; i < d->set.n; i++)
        if (d->set.v[i * DIMS + 1] == 127)
            return true;
    return false;
}

#define MANY 100

/* Short documents, number `bad` with the text given; all but that one are embedded. */
static void check_many(struct fake *f, const char *bad_text, struct document *bad)
{
    AUTO(arena) a = arena_new();
    struct document *docs = ARENA_ARRAY(a, struct document, MANY);
    struct document_embedder m = embedder(f);
    for (size_t i = 0; i < MANY; i++)
        docs[i].text = i == 77 ? str_of(bad_text) : long_text(a, 40 + i, "");
    assert_int_equal(document_vectors(&m, a, docs, MANY, NULL), RC_OK);
    for (size_t i = 0; i < MANY; i++)
        if (i != 77) {
            assert_int_equal(docs[i].state, DOCUMENT_EMBEDDED);
            assert_int_equal(docs[i].set.n, 1);
        }
    *bad = docs[77];
}

TEST(documents_share_requests)
{
    struct fake f = {0};
    struct document d;
    check_many(&f, "good", &d);
    assert_int_equal(d.state, DOCUMENT_EMBEDDED);
    assert_int_equal(f.requests, (MANY + DOCUMENT_REQUEST_TEXTS - 1) / DOCUMENT_REQUEST_TEXTS);
    assert_int_equal(f.harmless, 0);
}

TEST(documents_that_are_refused_are_skipped_and_stop_no_others)
{
    static const struct {
        enum rc rc;
        enum vector_skip why;
    } cases[] = {{RC_BAD_INPUT, SKIP_REFUSED}, {RC_FORBIDDEN, SKIP_REFUSED}, {RC_UNAVAILABLE, SKIP_REFUSED},
        {RC_TIMEOUT, SKIP_REFUSED}, {RC_UPSTREAM, SKIP_NO_VECTOR}, {RC_TOO_BIG, SKIP_TOO_LONG}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct fake f = {.poison = "p", .poison_rc = cases[i].rc};
        struct document d;
        check_many(&f, "pppp", &d);
        assert_int_equal(d.state, DOCUMENT_SKIPPED);
        assert_int_equal(d.why, cases[i].why);
        assert_true(f.requests < 30);
        assert_int_equal(f.harmless, f.refused); /* each refusal is followed by one */
    }
}

TEST(documents_of_white_space_are_never_sent)
{
    struct fake f = {0};
    struct document d;
    check_many(&f, " \n\t ", &d);
    assert_int_equal(d.state, DOCUMENT_SKIPPED);
    assert_int_equal(d.why, SKIP_EMPTY);
    AUTO(arena) a = arena_new();
    struct document none[2] = {{.text = STR("")}, {.text = STR(" ")}};
    struct document_embedder m = embedder(&f);
    int before = f.requests;
    assert_int_equal(document_vectors(&m, a, none, 2, NULL), RC_OK);
    assert_int_equal(none[1].why, SKIP_EMPTY);
    assert_int_equal(f.requests, before);
}

TEST(documents_that_are_long_have_several_vectors)
{
    AUTO(arena) a = arena_new();
    struct fake f = {0};
    struct document_embedder m = embedder(&f);
    static const size_t lengths[] = {PASSAGE, PASSAGE + 1, 8192, 60000, 200000, 1000000};
    for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
        struct document d = {.text = long_text(a, lengths[i], "needle")};
        assert_int_equal(document_vectors(&m, a, &d, 1, NULL), RC_OK);
        assert_int_equal(d.state, DOCUMENT_EMBEDDED);
        assert_true(d.set.n <= VECTOR_PASSAGES_MAX);
        assert_true(i == 0 ? d.set.n == 1 : d.set.n > 1);
        assert_true(i != 2 || d.set.n == 12);
        assert_true(finds_needle(&d));
        assert_int_equal(d.set.dimension, DIMS);
    }
    assert_true(f.longest <= m.text_bytes_max);
}

TEST(documents_learn_the_limits_of_a_model)
{
    AUTO(arena) a = arena_new();
    struct fake f = {.bytes_max = 300};
    struct document_embedder m = embedder(&f);
    struct document docs[2] = {
        {.text = long_text(a, 8192, "needle")}, {.text = long_text(a, 1000, "needle")}};
    assert_int_equal(document_vectors(&m, a, docs, 2, NULL), RC_OK);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(docs[i].state, DOCUMENT_EMBEDDED);
        assert_true(finds_needle(&docs[i]));
    }
    assert_int_equal(m.limits.passage_bytes, PASSAGE / 4);
    assert_true(docs[0].set.n > 40);
    int refused = f.refused;
    struct document again = {.text = long_text(a, 8192, "needle")};
    assert_int_equal(document_vectors(&m, a, &again, 1, NULL), RC_OK);
    assert_int_equal(f.refused, refused); /* it was learned */
}

TEST(documents_learn_no_size_that_was_not_accepted)
{
    struct fake f = {.poison = "p", .poison_rc = RC_TOO_BIG};
    AUTO(arena) a = arena_new();
    struct document_embedder m = embedder(&f);
    char text[4 * PASSAGE];
    memset(text, 'p', sizeof text);
    struct document d = {.text = {text, sizeof text}};
    assert_int_equal(document_vectors(&m, a, &d, 1, NULL), RC_OK);
    assert_int_equal(d.state, DOCUMENT_SKIPPED);
    assert_int_equal(d.why, SKIP_TOO_LONG);
    assert_int_equal(m.limits.passage_bytes, 0);
}

TEST(documents_teach_how_many_texts_a_request_may_have)
{
    struct fake f = {.texts_max = 5};
    AUTO(arena) a = arena_new();
    struct document *docs = ARENA_ARRAY(a, struct document, MANY);
    struct document_embedder m = embedder(&f);
    for (size_t i = 0; i < MANY; i++)
        docs[i].text = long_text(a, 40 + i, "");
    assert_int_equal(document_vectors(&m, a, docs, MANY, NULL), RC_OK);
    assert_int_equal(m.limits.request_texts, 4);
    assert_true(f.most <= 5);
    int refused = f.refused;
    assert_true(refused < 10);
    for (size_t i = 0; i < MANY; i++)
        docs[i].state = DOCUMENT_OPEN;
    assert_int_equal(document_vectors(&m, a, docs, MANY, NULL), RC_OK);
    assert_int_equal(f.refused, refused);
    struct document wide = {.text = long_text(a, 20000, "needle")};
    assert_int_equal(document_vectors(&m, a, &wide, 1, NULL), RC_OK);
    assert_int_equal(f.refused, refused);
    assert_true(finds_needle(&wide));
}

TEST(documents_keep_the_parts_that_are_accepted)
{
    AUTO(arena) a = arena_new();
    struct fake f = {.poison = "poison", .poison_rc = RC_UPSTREAM};
    struct document_embedder m = embedder(&f);
    char *text = (char *)(uintptr_t)long_text(a, 8192, "needle").s;
    memcpy(text + 4000, "poison", 6);
    struct document d = {.text = {text, 8192}};
    assert_int_equal(document_vectors(&m, a, &d, 1, NULL), RC_OK);
    assert_int_equal(d.state, DOCUMENT_EMBEDDED);
    assert_true(finds_needle(&d));
    assert_true(d.set.n > 12);
    assert_int_equal(m.limits.passage_bytes, 0); /* it says nothing about lengths */
    /* the refused text at its end is shortened */
    struct document tail = {.text = STR("only the end of it is poison")};
    assert_int_equal(document_vectors(&m, a, &tail, 1, NULL), RC_OK);
    assert_int_equal(tail.state, DOCUMENT_EMBEDDED);
    assert_int_equal(tail.set.n, 1);
}

TEST(documents_that_are_refused_everywhere_cost_a_bounded_number_of_requests)
{
    AUTO(arena) a = arena_new();
    struct fake f = {.poison = "o", .poison_rc = RC_BAD_INPUT};
    struct document_embedder m = embedder(&f);
    char *text = arena_alloc(a, 100000);
    memset(text, 'o', 100000);
    struct document d = {.text = {text, 100000}};
    /* the harmless word has none */
    assert_int_equal(document_vectors(&m, a, &d, 1, NULL), RC_BAD_INPUT);
    assert_int_equal(d.state, DOCUMENT_OPEN);
    memset(text, 'p', 100000);
    f = (struct fake){.poison = "p", .poison_rc = RC_BAD_INPUT};
    assert_int_equal(document_vectors(&m, a, &d, 1, NULL), RC_OK);
    assert_int_equal(d.state, DOCUMENT_SKIPPED);
    assert_true(f.requests < 4 * DOCUMENT_REFUSALS_MAX);
}

TEST(documents_are_not_blamed_for_a_provider_that_is_broken)
{
    static const enum rc failures[] = {
        RC_UNAVAILABLE, RC_TIMEOUT, RC_FORBIDDEN, RC_UPSTREAM, RC_BAD_INPUT, RC_RATE_LIMITED, RC_CANCELLED};
    for (size_t i = 0; i < ARRAY_LEN(failures); i++)
        for (int after = 0; after < 12; after++) {
            AUTO(arena) a = arena_new();
            struct err e = ERR_INIT;
            struct fake f = {
                .broken = failures[i], .broken_after = after, .poison = "p", .poison_rc = RC_BAD_INPUT};
            struct document *docs = ARENA_ARRAY(a, struct document, MANY);
            struct document_embedder m = embedder(&f);
            for (size_t k = 0; k < MANY; k++)
                docs[k].text = k == 77 ? STR("p") : long_text(a, 40 + k, "");
            enum rc rc = document_vectors(&m, a, docs, MANY, &e);
            assert_int_equal(rc, failures[i]);
            assert_string_equal(e.text, "as told");
            for (size_t k = 0; k < MANY; k++)
                assert_true(docs[k].state != DOCUMENT_SKIPPED);
            assert_true(after < 2 || docs[0].state == DOCUMENT_EMBEDDED);
            bool asks_once = failures[i] == RC_RATE_LIMITED || failures[i] == RC_CANCELLED;
            assert_true(f.requests <= after + (asks_once ? 1 : 2));
        }
}
