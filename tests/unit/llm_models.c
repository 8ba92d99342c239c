#include "unit.h"

#include "fake_http.h"

#include "base/clock.h"
#include "llm/models.h"

static const char *const local[] = {"127.0.0.1"};

/* Lists what one scripted answer has. */
static enum rc list(struct arena *a, const char *answer, struct llm_models *out, char *path)
{
    const struct fake_reply reply = {.text = answer};
    struct fake_http *f = fake_http_start(&reply, 1);
    enum rc rc = llm_list_ollama(f->url, local, 1, a, out, NULL);
    fake_http_stop(f);
    if (path && f->requests_n)
        snprintf(path, 256, "%s", f->requests[0]);
    fake_http_free(f);
    return rc;
}

TEST(models_are_listed_as_ollama_has_them)
{
    AUTO(arena) a = arena_new();
    struct llm_models m;
    char request[256] = "";
    assert_int_equal(list(a,
                         FAKE_OK("application/json") "{\"models\":[{\"name\":\"nomic-embed-text:latest\"},{"
                                                     "\"name\":\"llama3.2:3b\"},{\"name\":7},{}]}",
                         &m, request),
        RC_OK);
    assert_int_equal(m.n, 1);
    assert_string_equal(m.names[0], "llama3.2:3b");
    assert_int_equal(strncmp(request, "GET /api/tags ", 14), 0);
    assert_null(strstr(request, "Authorization"));
}

TEST(models_refuse_what_is_no_list)
{
    AUTO(arena) a = arena_new();
    struct llm_models m;
    assert_int_equal(list(a, FAKE_OK("text/html") "<html>", &m, NULL), RC_UPSTREAM);
    assert_int_equal(list(a, FAKE_OK("text/html") "{\"models\":7}", &m, NULL), RC_UPSTREAM);
    assert_int_equal(list(a, "HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n", &m, NULL), RC_UPSTREAM);
    assert_int_equal(m.n, 0);
}

TEST(models_do_not_wait_long)
{
    static const struct fake_reply silent = {.text = "", .after = FAKE_HANG};
    AUTO(arena) a = arena_new();
    struct llm_models m;
    int64_t start = clock_mono_ms();
    assert_int_equal(llm_list_ollama("http://127.0.0.1:1", local, 1, a, &m, NULL), RC_UNAVAILABLE);
    assert_true(clock_mono_ms() - start < LLM_MODELS_WAIT_MS); /* refused, not timed out */
    struct fake_http *f = fake_http_start(&silent, 1);
    assert_int_equal(llm_list_ollama(f->url, local, 1, a, &m, NULL), RC_TIMEOUT);
    fake_http_stop(f);
    fake_http_free(f);
}
