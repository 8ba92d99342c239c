#include "unit.h"

#include "fake_http.h"

#include "llm/transcription.h"

static const char *const local[] = {"127.0.0.1"};
static const char ogg[] = "OggS\0\2 and the rest";

static struct llm_transcribe request_to(const struct fake_http *f)
{
    return (struct llm_transcribe){.provider = {.name = "test",
                                       .base_url = f->url,
                                       .key = "sk-secret",
                                       .limits = {.connect_ms = 1000, .silence_ms = 300, .total_ms = 1000}},
        .model = "whisper-1",
        .language = "de",
        .audio = {ogg, sizeof ogg - 1},
        .allowed = local,
        .allowed_n = 1,
        .sound_ms = 700};
}

static enum rc transcribe(
    struct arena *a, const struct fake_reply *reply, struct llm_transcript *out, struct err *e)
{
    struct fake_http *f = fake_http_start(reply, 1);
    struct llm_transcribe r = request_to(f);
    enum rc rc = llm_transcribe(&r, a, out, e);
    fake_http_stop(f);
    fake_http_free(f);
    return rc;
}

TEST(transcription_gives_the_text_without_white_space_around_it_and_what_it_used)
{
    static const struct {
        struct fake_reply reply;
        int64_t ms, in, out;
    } all[] = {
        {{.text = FAKE_OK("application/json") "{\"text\":\" Buy milk.\\n\"}"}, 700, 0, 0},
        {{.text = FAKE_OK("application/json") "{\"text\":\"Buy milk.\",\"usage\":{\"type\":\"duration\","
                                              "\"seconds\":2.5}}"},
            2500, 0, 0},
        {{.text = FAKE_OK("application/json") "{\"text\":\"Buy milk.\",\"usage\":{\"prompt_audio_seconds\":3,"
                                              "\"prompt_tokens\":4,\"total_tokens\":9}}"},
            3000, 0, 0},
        {{.text = FAKE_OK("application/json") "{\"text\":\"Buy milk.\",\"usage\":{\"type\":\"tokens\","
                                              "\"input_tokens\":14,\"output_tokens\":5}}"},
            700, 14, 5},
        {{.text = FAKE_OK("application/json") "{\"text\":\"Buy milk.\",\"usage\":{\"seconds\":-1e300,"
                                              "\"input_tokens\":-3}}"},
            700, 0, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        AUTO(arena) a = arena_new();
        struct llm_transcript t;
        assert_int_equal(transcribe(a, &all[i].reply, &t, NULL), RC_OK);
        assert_true(str_is(t.text, "Buy milk."));
        assert_int_equal(t.sound_ms, all[i].ms);
        assert_int_equal(t.tokens_in, all[i].in);
        assert_int_equal(t.tokens_out, all[i].out);
    }
}

TEST(transcription_refuses_invalid_answers_and_ends)
{
    static const struct {
        struct fake_reply reply;
        enum rc rc;
    } bad[] = {
        {{.text = FAKE_OK("application/json") "{\"text\":7}"}, RC_UPSTREAM},
        {{.text = FAKE_OK("application/json") "[]"}, RC_UPSTREAM},
        {{.text = FAKE_OK("text/html") "<html>"}, RC_UPSTREAM},
        {{.text = FAKE_OK("application/json") "{\"text\":", .after = FAKE_HANG}, RC_TIMEOUT},
        {{.text = "HTTP/1.1 401 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"}, RC_FORBIDDEN},
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        AUTO(arena) a = arena_new();
        struct err e = ERR_INIT;
        struct llm_transcript t;
        assert_int_equal(transcribe(a, &bad[i].reply, &t, &e), bad[i].rc);
        assert_int_equal(t.text.len, 0);
        assert_true(e.for_user);
        assert_null(strstr(e.text, "sk-secret"));
    }
}

struct heard {
    struct loop *loop;
    int n;
    enum rc rc;
    char text[64];
};

static void on_heard(void *arg, enum rc rc, const struct llm_transcript *t, const struct err *e)
{
    struct heard *h = arg;
    (void)e;
    h->n++;
    h->rc = rc;
    snprintf(h->text, sizeof h->text, "%.*s", STR_FMT(t->text));
    loop_stop(h->loop);
}

TEST(transcription_runs_on_a_loop_and_can_be_cancelled)
{
    AUTO(loop) loop = NULL;
    assert_int_equal(loop_new(&loop, NULL), RC_OK);
    const struct fake_reply reply = {.text = FAKE_OK("application/json") "{\"text\":\"Buy milk.\"}"};
    struct fake_http *f = fake_http_start(&reply, 1);
    struct http_client *http = http_client_new(loop, local, 1);
    struct llm_transcribe r = request_to(f);
    struct heard h = {.loop = loop};
    struct llm_transcription *t;
    assert_int_equal(llm_transcribe_start(http, &r, on_heard, &h, &t, NULL), RC_OK);
    llm_transcribe_cancel(t);
    assert_int_equal(llm_transcribe_start(http, &r, on_heard, &h, &t, NULL), RC_OK);
    loop_run(loop);
    assert_int_equal(h.n, 1);
    assert_int_equal(h.rc, RC_OK);
    assert_string_equal(h.text, "Buy milk.");
    r.audio = STR("#!AMR");
    assert_int_equal(llm_transcribe_start(http, &r, on_heard, &h, &t, NULL), RC_UNSUPPORTED);
    http_client_free(http);
    fake_http_stop(f);
    fake_http_free(f);
}
