/* Actions over HTTP, against a scripted server. */
#include "unit.h"

#include <string.h>

#include "fake_http.h"

#include "channel/telegram/telegram.h"
#include "channel/telegram/telegram_call.h"

#define TOKEN "777:AAsecret_token"

static const char *const local[] = {"127.0.0.1"};

#define ANSWER(status, json) \
    "HTTP/1.1 " status "\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n" json
#define OK(result) ANSWER("200 OK", "{\"ok\":true,\"result\":" result "}")
#define BAD(words)                                                                                          \
    ANSWER("400 Bad Request", "{\"ok\":false,\"error_code\":400,\"description\":\"Bad Request: " words "\"" \
                              "}")

struct seen {
    struct loop *loop;
    struct channel_result r;
    int calls;
    char *request; /* whole */
};

static void on_done(void *arg, const struct channel_result *r)
{
    struct seen *s = arg;
    s->r = *r;
    s->calls++;
    loop_stop(s->loop);
}

/* Runs one action against one reply; the caller frees `request`. */
static struct seen run(const struct channel_action *a, struct fake_reply reply)
{
    struct seen s = {0};
    AUTO(loop) l = NULL;
    AUTO(http_client) http = NULL;
    struct channel_driver d;
    struct fake_http *f = fake_http_start(&reply, 1);
    assert_int_equal(loop_new(&l, NULL), RC_OK);
    http = http_client_new(l, local, ARRAY_LEN(local));
    const struct telegram_setup setup = {.http = http, .api_url = f->url, .token = TOKEN};
    assert_int_equal(telegram_new(&setup, &d, NULL), RC_OK);
    s.loop = l;
    d.act(d.self, a, on_done, &s);
    if (!s.calls)
        loop_run(l);
    telegram_free(&d);
    fake_http_stop(f);
    s.request = f->requests_n ? xstrdup(f->requests[0]) : xstrdup("");
    fake_http_free(f);
    assert_int_equal(s.calls, 1);
    assert_null(strstr(s.r.detail, "secret"));
    return s;
}

static void assert_outcome(enum channel_action_kind kind, const char *answer, enum channel_outcome outcome)
{
    const struct channel_action a = {.kind = kind,
        .place = {"42", ""},
        .message = "7",
        .draft = 1,
        .markup = STR("x"),
        .plain = STR("x"),
        .file_name = "x.md",
        .file = STR("x")};
    struct seen s = run(&a, (struct fake_reply){.text = answer});
    assert_int_equal(s.r.outcome, outcome);
    free(s.request);
}

static void assert_request(const struct channel_action *a, const char *method, const char *body)
{
    struct seen s = run(a, (struct fake_reply){.text = OK("true")});
    char line[200];
    snprintf(line, sizeof line, "POST /bot" TOKEN "/%s HTTP/1.1\r\n", method);
    assert_int_equal(strncmp(s.request, line, strlen(line)), 0);
    const char *at = strstr(s.request, "\r\n\r\n");
    assert_non_null(at);
    assert_string_equal(at + 4, body);
    assert_int_equal(s.r.outcome, OUTCOME_DONE);
    free(s.request);
}

TEST(a_message_is_sent_with_its_thread_reply_and_buttons)
{
    const struct channel_button buttons[] = {
        {"Stop", "t1"}, {"Another try", "t2"}, {"A label that is long", "t3"}};
    const struct channel_action a = {.kind = ACTION_SEND,
        .place = {"-1009007199254740995", "17"},
        .reply_to = "9",
        .markup = STR("<b>\"x\"</b>"),
        .plain = STR("x"),
        .buttons = buttons,
        .buttons_n = 3,
        .silent = true};
    assert_request(&a, "sendMessage",
        "{\"disable_notification\":true,\"link_preview_options\":{\"is_disabled\":true},\"reply_markup\":"
        "{\"inline_keyboard\":[[{\"text\":\"Stop\",\"callback_data\":\"t1\"},{\"text\":\"Another try\","
        "\"callback_data\":\"t2\"}],[{\"text\":\"A label that is "
        "long\",\"callback_data\":\"t3\"}]]},\"text\":"
        "\"<b>\\\"x\\\"</"
        "b>\",\"parse_mode\":\"HTML\",\"chat_id\":-1009007199254740995,\"message_thread_id\":17,"
        "\"reply_parameters\":{\"allow_sending_without_reply\":true,\"message_id\":9}}");
}

TEST(plain_text_has_no_parse_mode)
{
    const struct channel_action a = {.kind = ACTION_SEND,
        .place = {"42", ""},
        .markup = STR("<b>x</b>"),
        .plain = STR("x < y"),
        .as_plain = true};
    assert_request(&a, "sendMessage",
        "{\"link_preview_options\":{\"is_disabled\":true},\"text\":\"x < y\",\"chat_id\":42}");
}

TEST(general_has_a_thread_in_actions_only)
{
    const struct channel_action send = {.kind = ACTION_SEND, .place = {"-5", "1"}, .markup = STR("x")};
    const struct channel_action typing = {.kind = ACTION_TYPING, .place = {"-5", "1"}};
    assert_request(&send, "sendMessage",
        "{\"link_preview_options\":{\"is_disabled\":true},\"text\":\"x\",\"parse_mode\":\"HTML\",\"chat_id\":"
        "-5}");
    assert_request(
        &typing, "sendChatAction", "{\"action\":\"typing\",\"chat_id\":-5,\"message_thread_id\":1}");
}

TEST(edits_drafts_and_answers_are_calls)
{
    const struct channel_action edit = {
        .kind = ACTION_EDIT, .place = {"42", "17"}, .message = "7", .markup = STR("x")};
    assert_request(&edit, "editMessageText",
        "{\"link_preview_options\":{\"is_disabled\":true},\"text\":\"x\",\"parse_mode\":\"HTML\",\"chat_id\":"
        "42,\"message_id\":7}");
    const struct channel_action draft = {
        .kind = ACTION_DRAFT, .place = {"42", ""}, .draft = 3, .markup = STR("x")};
    assert_request(&draft, "sendMessageDraft",
        "{\"draft_id\":3,\"can_stop\":true,\"keep_on_stop\":true,\"text\":\"x\",\"parse_mode\":\"HTML\","
        "\"chat_id\":42}");
    const struct channel_action answer = {.kind = ACTION_ANSWER, .message = "99", .plain = STR("Done")};
    assert_request(&answer, "answerCallbackQuery", "{\"callback_query_id\":\"99\",\"text\":\"Done\"}");
}

TEST(a_question_about_the_token_is_getMe)
{
    assert_request(&(struct channel_action){.kind = ACTION_CHECK, .place = {"", ""}}, "getMe", "{}");
    assert_outcome(ACTION_CHECK, OK("{\"id\":777}"), OUTCOME_DONE);
    assert_outcome(ACTION_CHECK, ANSWER("401 X", "{\"ok\":false,\"error_code\":401,\"description\":\"x\"}"),
        OUTCOME_BAD_TOKEN);
}

TEST(an_id_that_is_no_number_is_refused_without_a_request)
{
    const struct channel_action a = {.kind = ACTION_SEND, .place = {"@name", ""}, .markup = STR("x")};
    struct seen s = run(&a, (struct fake_reply){.text = OK("true")});
    assert_int_equal(s.r.outcome, OUTCOME_REFUSED);
    assert_string_equal(s.request, "");
    free(s.request);
}

TEST(the_id_of_a_sent_message_comes_back)
{
    const struct channel_action a = {.kind = ACTION_SEND, .place = {"42", ""}, .markup = STR("x")};
    struct seen s = run(&a, (struct fake_reply){.text = OK("{\"message_id\":9007199254740993}")});
    assert_int_equal(s.r.outcome, OUTCOME_DONE);
    assert_string_equal(s.r.message, "9007199254740993");
    free(s.request);
}

TEST(descriptions_have_their_outcomes)
{
    assert_outcome(ACTION_EDIT, BAD("message is not modified: specified new message content"), OUTCOME_DONE);
    assert_outcome(ACTION_SEND, BAD("can't parse entities: Unclosed start tag"), OUTCOME_BAD_MARKUP);
    assert_outcome(ACTION_EDIT, BAD("message to edit not found"), OUTCOME_TARGET_GONE);
    assert_outcome(ACTION_SEND, BAD("message thread not found"), OUTCOME_THREAD_GONE);
    assert_outcome(ACTION_SEND, BAD("chat not found"), OUTCOME_BLOCKED);
    assert_outcome(ACTION_DRAFT, BAD("TEXTDRAFT_PEER_INVALID"), OUTCOME_UNKNOWN);
    assert_outcome(ACTION_SEND, BAD("message is too long"), OUTCOME_REFUSED);
    /* what a group forbids: all messages, or only files */
    assert_outcome(ACTION_SEND, BAD("not enough rights to send text messages to the chat"), OUTCOME_BLOCKED);
    assert_outcome(ACTION_FILE, BAD("not enough rights to send documents to the chat"), OUTCOME_REFUSED);
    assert_outcome(ACTION_FILE, BAD("chat not found"), OUTCOME_BLOCKED);
}

TEST(status_codes_have_their_outcomes)
{
#define FAIL(code) ANSWER(code " X", "{\"ok\":false,\"error_code\":" code ",\"description\":\"x\"}")
    assert_outcome(ACTION_SEND, FAIL("401"), OUTCOME_BAD_TOKEN);
    assert_outcome(ACTION_SEND, FAIL("403"), OUTCOME_BLOCKED);
    assert_outcome(ACTION_SEND, FAIL("404"), OUTCOME_BAD_TOKEN);
    assert_outcome(ACTION_DRAFT, FAIL("404"), OUTCOME_UNKNOWN);
    assert_outcome(ACTION_SEND, FAIL("500"), OUTCOME_FAILED);
    assert_outcome(ACTION_SEND, ANSWER("502 Bad Gateway", "<html>"), OUTCOME_FAILED);
    assert_outcome(ACTION_SEND, ANSWER("504 Gateway Timeout", "<html>"), OUTCOME_DOUBTFUL);
    assert_outcome(ACTION_EDIT, ANSWER("504 Gateway Timeout", "<html>"), OUTCOME_FAILED);
    /* a 200 that is not the Bot API's: it may have been sent */
    assert_outcome(ACTION_SEND, ANSWER("200 OK", "garbage"), OUTCOME_DOUBTFUL);
    assert_outcome(ACTION_SEND, ANSWER("200 OK", "{\"ok\":\"yes\"}"), OUTCOME_DOUBTFUL);
    assert_outcome(ACTION_SEND, ANSWER("200 OK", ""), OUTCOME_DOUBTFUL);
}

TEST(too_many_requests_say_how_long_to_wait)
{
    const struct channel_action a = {.kind = ACTION_SEND, .place = {"42", ""}, .markup = STR("x")};
    struct seen s = run(&a, (struct fake_reply){.text = ANSWER("429 Too Many Requests",
                                                    "{\"ok\":false,\"error_code\":429,\"description\":\"Too "
                                                    "Many Requests: retry after 7\",\"parameters\":"
                                                    "{\"retry_after\":7}}")});
    assert_int_equal(s.r.outcome, OUTCOME_LATER);
    assert_int_equal(s.r.wait_ms, 7000);
    free(s.request);
}

TEST(no_answer_demands_a_wait_of_more_than_an_hour)
{
    static const char *const answers[] = {
        ANSWER("429 Too Many Requests",
            "{\"ok\":false,\"error_code\":429,\"description\":\"Too Many Requests: retry after 9000\","
            "\"parameters\":{\"retry_after\":9000}}"),
        "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 9000\r\nContent-Length: 0\r\n\r\n"};
    const struct channel_action a = {.kind = ACTION_SEND, .place = {"42", ""}, .markup = STR("x")};
    for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
        struct seen s = run(&a, (struct fake_reply){.text = answers[i]});
        assert_int_equal(s.r.outcome, OUTCOME_LATER);
        assert_int_equal(s.r.wait_ms, CHANNEL_WAIT_MAX_MS);
        free(s.request);
    }
}

TEST(a_group_that_moved_says_where)
{
    const struct channel_action a = {.kind = ACTION_SEND, .place = {"-5", ""}, .markup = STR("x")};
    struct seen s = run(
        &a, (struct fake_reply){.text = ANSWER("400 Bad Request",
                                    "{\"ok\":false,\"error_code\":400,\"description\":\"Bad Request: group "
                                    "chat was upgraded to a supergroup "
                                    "chat\",\"parameters\":{\"migrate_to_chat_id\":-1009007199254740995}}")});
    assert_int_equal(s.r.outcome, OUTCOME_MOVED);
    assert_string_equal(s.r.moved_to, "-1009007199254740995");
    free(s.request);
}

TEST(a_broken_connection_leaves_a_doubt_only_after_the_request)
{
    const struct channel_action send = {.kind = ACTION_SEND, .place = {"42", ""}, .markup = STR("x")};
    const struct channel_action edit = {
        .kind = ACTION_EDIT, .place = {"42", ""}, .message = "1", .markup = STR("x")};
    struct seen s = run(&send, (struct fake_reply){.text = "HTTP/1.1 200 OK\r\n", .after = FAKE_RESET});
    assert_int_equal(s.r.outcome, OUTCOME_DOUBTFUL);
    free(s.request);
    s = run(&edit, (struct fake_reply){.text = "HTTP/1.1 200 OK\r\n", .after = FAKE_RESET});
    assert_int_equal(s.r.outcome, OUTCOME_FAILED);
    free(s.request);

    /* nobody listens */
    AUTO(loop) l = NULL;
    AUTO(http_client) http = NULL;
    struct channel_driver d;
    static const struct fake_reply none[] = {{.text = ""}};
    struct fake_http *f = fake_http_start(none, 1);
    char url[64];
    snprintf(url, sizeof url, "%s", f->url);
    fake_http_stop(f);
    fake_http_free(f);
    assert_int_equal(loop_new(&l, NULL), RC_OK);
    http = http_client_new(l, local, ARRAY_LEN(local));
    const struct telegram_setup setup = {.http = http, .api_url = url, .token = TOKEN};
    assert_int_equal(telegram_new(&setup, &d, NULL), RC_OK);
    struct seen refused = {.loop = l};
    d.act(d.self, &send, on_done, &refused);
    loop_run(l);
    assert_int_equal(refused.r.outcome, OUTCOME_FAILED);
    assert_null(strstr(refused.r.detail, "secret"));
    telegram_free(&d);
}

TEST(no_detail_quotes_the_token_or_the_text)
{
    const struct channel_action a = {.kind = ACTION_SEND, .place = {"42", ""}, .markup = STR("x")};
    struct seen s = run(&a, (struct fake_reply){.text = BAD("/bot" TOKEN "/sendMessage \\u00e4 failed")});
    assert_string_equal(s.r.detail, "400 Bad Request: /bot***/sendMessage ä failed");
    free(s.request);
    s = run(
        &a, (struct fake_reply){.text = BAD("can't parse entities: Unsupported start tag \\\"private\\\"")});
    assert_string_equal(s.r.detail, "400 Bad Request: can't parse entities");
    free(s.request);
}

TEST(freeing_the_driver_ends_its_actions_silently)
{
    static const struct fake_reply script[] = {{.text = "", .after = FAKE_HANG}};
    AUTO(loop) l = NULL;
    AUTO(http_client) http = NULL;
    struct channel_driver d;
    struct fake_http *f = fake_http_start(script, 1);
    assert_int_equal(loop_new(&l, NULL), RC_OK);
    http = http_client_new(l, local, ARRAY_LEN(local));
    const struct telegram_setup setup = {.http = http, .api_url = f->url, .token = TOKEN};
    assert_int_equal(telegram_new(&setup, &d, NULL), RC_OK);
    struct seen s = {.loop = l};
    const struct channel_action a = {.kind = ACTION_SEND, .place = {"42", ""}, .markup = STR("x")};
    d.act(d.self, &a, on_done, &s);
    d.act(d.self, &a, on_done, &s);
    telegram_free(&d);
    assert_int_equal(s.calls, 0);
    fake_http_stop(f);
    fake_http_free(f);
}

/* ---- calls that are no actions ---- */

static enum rc blocking(const char *reply, const struct telegram_file *file, struct telegram_answer *a,
    char **request, struct err *e)
{
    const struct fake_reply script[] = {{.text = reply}};
    struct fake_http *f = fake_http_start(script, 1);
    const struct telegram_api api = {.url = f->url, .token = TOKEN};
    AUTO(json_t)
    params = json_pack("{s:s, s:[s,s], s:b}", "url", "https://a.example/x", "allowed_updates", "message",
        "callback_query", "drop_pending_updates", 0);
    const struct telegram_request r = {.method = "setWebhook", .params = params, .file = file};
    enum rc rc = telegram_call_blocking(&api, local, ARRAY_LEN(local), &r, a, e);
    fake_http_stop(f);
    *request = f->requests_n ? xstrdup(f->requests[0]) : NULL;
    fake_http_free(f);
    return rc;
}

TEST(a_blocking_call_has_the_answer)
{
    struct telegram_answer a;
    char *request;
    assert_int_equal(blocking(OK("{\"username\":\"our_bot\"}"), NULL, &a, &request, NULL), RC_OK);
    assert_int_equal(telegram_answer_rc(&a, NULL), RC_OK);
    assert_string_equal(json_string_value(json_object_get(a.result, "username")), "our_bot");
    assert_non_null(strstr(request, "{\"url\":\"https://a.example/x\",\"allowed_updates\":"));
    telegram_answer_release(&a);
    free(request);
}

TEST(a_certificate_is_uploaded_with_the_parameters)
{
    static const struct telegram_file file = {
        "certificate", "certificate.pem", STR("-----BEGIN CERTIFICATE-----\nabc\n")};
    struct telegram_answer a;
    char *request;
    assert_int_equal(blocking(OK("true"), &file, &a, &request, NULL), RC_OK);
    assert_non_null(strstr(request, "name=\"url\"\r\n\r\nhttps://a.example/x\r\n"));
    assert_non_null(strstr(request, "name=\"allowed_updates\"\r\n\r\n[\"message\",\"callback_query\"]\r\n"));
    assert_non_null(strstr(request, "name=\"drop_pending_updates\"\r\n\r\nfalse\r\n"));
    assert_non_null(strstr(request, "name=\"certificate\"; filename=\"certificate.pem\"\r\n"));
    assert_non_null(strstr(request, "\r\n\r\n-----BEGIN CERTIFICATE-----\nabc\n\r\n--"));
    telegram_answer_release(&a);
    free(request);
}

TEST(failures_are_sentences_for_the_owner)
{
    static const struct {
        const char *reply;
        enum rc rc;
        const char *words;
    } cases[] = {{FAIL("401"), RC_UNAUTHENTICATED, "BotFather"}, {FAIL("404"), RC_UNAUTHENTICATED, "api_url"},
        {FAIL("409"), RC_CONFLICT, "somewhere else"}, {FAIL("429"), RC_RATE_LIMITED, "too many"},
        {FAIL("500"), RC_UNAVAILABLE, "later"}, {BAD("bad webhook: no HTTPS"), RC_UPSTREAM, "no HTTPS"}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct telegram_answer a;
        struct err e = ERR_INIT;
        char *request;
        assert_int_equal(blocking(cases[i].reply, NULL, &a, &request, NULL), RC_OK);
        assert_int_equal(telegram_answer_rc(&a, &e), cases[i].rc);
        assert_true(e.for_user);
        assert_non_null(strstr(e.text, cases[i].words));
        telegram_answer_release(&a);
        free(request);
    }
    struct telegram_answer a;
    struct err e = ERR_INIT;
    char *request;
    assert_int_equal(blocking(ANSWER("200 OK", "<html>"), NULL, &a, &request, &e), RC_UPSTREAM);
    assert_non_null(strstr(e.text, "api_url"));
    assert_true(a.sent);
    telegram_answer_release(&a);
    free(request);
}
