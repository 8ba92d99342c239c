#include "unit.h"

#include "fake_http.h"

#include "llm/embeddings.h"

static const char *const local[] = {"127.0.0.1"};

/* Two texts against one scripted answer. */
static enum rc embed(struct arena *a, const struct fake_reply *reply, int64_t dimension, float **out,
    size_t *dims, struct err *e, char *request)
{
    static const struct str texts[] = {{"one", 3}, {"t\"wo", 4}};
    struct fake_http *f = fake_http_start(reply, 1);
    struct llm_embed r = {.provider = {.name = "test",
                              .base_url = f->url,
                              .key = "sk-secret",
                              .limits = {.connect_ms = 1000, .silence_ms = 300, .total_ms = 1000}},
        .model = "embedder",
        .prefix = "passage: ",
        .texts = texts,
        .n = 2,
        .dimension = dimension,
        .send_dimension = dimension != 0,
        .allowed = local,
        .allowed_n = 1};
    enum rc rc = llm_embed(&r, a, out, dims, e);
    fake_http_stop(f);
    if (request && f->requests_n)
        snprintf(request, 1024, "%s", f->requests[0]);
    fake_http_free(f);
    return rc;
}

#define ANSWER(data) FAKE_OK("application/json") "{\"object\":\"list\",\"data\":[" data "]}"

TEST(embeddings_come_in_the_order_of_the_texts)
{
    AUTO(arena) a = arena_new();
    const struct fake_reply reply = {
        .text = ANSWER("{\"index\":1,\"embedding\":[3,4.5]},{\"index\":0,\"embedding\":[1,-2e-1]}")};
    char request[1024];
    float *v;
    size_t dims;
    assert_int_equal(embed(a, &reply, 2, &v, &dims, NULL, request), RC_OK);
    assert_int_equal(dims, 2);
    assert_true(v[0] == 1 && v[1] == -0.2F && v[2] == 3 && v[3] == 4.5F);
    assert_int_equal(strncmp(request, "POST /embeddings ", 17), 0);
    assert_non_null(strstr(request, "Authorization: Bearer sk-secret\r\n"));
    assert_non_null(strstr(request,
        "{\"model\":\"embedder\",\"dimensions\":2,\"input\":[\"passage: one\",\"passage: t\\\"wo\"]}"));
}

TEST(embeddings_refuse_invalid_answers)
{
    static const struct {
        const char *answer, *says;
    } bad[] = {
        {ANSWER("{\"index\":0,\"embedding\":[1,2]}"), "1 vectors instead of 2"},
        {ANSWER(""), "0 vectors instead of 2"},
        {ANSWER("{\"embedding\":[1,2]},{\"embedding\":[1,2]},{\"embedding\":[1,2]}"), "3 vectors"},
        {ANSWER("{\"embedding\":[1,2,3]},{\"embedding\":[1,2,3]}"), "3 numbers in a vector instead of 2"},
        {ANSWER("{\"embedding\":[1,2]},{\"embedding\":[1]}"), "1 numbers in a vector instead of 2"},
        {ANSWER("{\"embedding\":[]},{\"embedding\":[]}"), "0 numbers"},
        {ANSWER("{\"index\":1,\"embedding\":[1,2]},{\"index\":1,\"embedding\":[1,2]}"), "twice"},
        {ANSWER("{\"index\":7,\"embedding\":[1,2]},{\"index\":1,\"embedding\":[1,2]}"), "twice"},
        {ANSWER("{\"embedding\":[1,null]},{\"embedding\":[1,2]}"), "something other than numbers"},
        {ANSWER("{\"embedding\":[1,\"2\"]},{\"embedding\":[1,2]}"), "something other than numbers"},
        {ANSWER("{\"embedding\":[1,1e300]},{\"embedding\":[1,2]}"), "something other than numbers"},
        {ANSWER("{\"embedding\":[1,2]},{\"embedding\":[0,-0.0]}"), "a vector of zeros"},
        {ANSWER("{\"embedding\":[1,NaN]},{\"embedding\":[1,2]}"), "cannot be read"},
        {FAKE_OK("text/html") "<html>", "cannot be read"},
        {FAKE_OK("application/json") "[]", "0 vectors"},
        {FAKE_OK("application/json") "", "cannot be read"},
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        AUTO(arena) a = arena_new();
        struct err e = ERR_INIT;
        float *v;
        size_t dims;
        const struct fake_reply reply = {.text = bad[i].answer};
        assert_int_equal(embed(a, &reply, 2, &v, &dims, &e, NULL), RC_UPSTREAM);
        assert_non_null(strstr(e.text, bad[i].says));
        assert_true(e.for_user);
    }
}

TEST(embeddings_pass_on_a_rate_limit_with_its_wait)
{
    AUTO(arena) a = arena_new();
    struct err e = ERR_INIT;
    float *v;
    size_t dims;
    const struct fake_reply reply = {
        .text = "HTTP/1.1 429 Slow\r\nRetry-After: 17\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"};
    assert_int_equal(embed(a, &reply, 0, &v, &dims, &e, NULL), RC_RATE_LIMITED);
    assert_int_equal(e.retry_after_s, 17);
    const struct fake_reply refused = {
        .text = "HTTP/1.1 401 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"};
    assert_int_equal(embed(a, &refused, 0, &v, &dims, &e, NULL), RC_FORBIDDEN);
    assert_null(strstr(e.text, "sk-secret"));
}

TEST(embeddings_do_not_wait_for_ever)
{
    AUTO(arena) a = arena_new();
    float *v;
    size_t dims;
    const struct fake_reply silent = {.text = FAKE_OK("application/json") "{\"data\":[", .after = FAKE_HANG};
    assert_int_equal(embed(a, &silent, 0, &v, &dims, NULL, NULL), RC_TIMEOUT);
    const struct fake_reply broken = {.text = FAKE_OK("application/json") "{\"data\":[", .after = FAKE_RESET};
    assert_int_not_equal(embed(a, &broken, 0, &v, &dims, NULL, NULL), RC_OK);
}
