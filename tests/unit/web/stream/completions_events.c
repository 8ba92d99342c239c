/* A turn's events as an answer of /v1/chat/completions: what is sent when. */
#include "unit.h"

#include <stdio.h>

#include "web/stream/completions_events.h"

#define HEAD "Status: 200\r\n\r\n"
#define PING ": ping\n\n"
#define CHUNK \
    "data: {\"id\":\"chatcmpl-trn_x\",\"object\":\"chat.completion.chunk\",\"created\":7,\"model\":\"m\","
#define DELTA(json, finish)                                                                            \
    CHUNK "\"choices\":[{\"index\":0,\"delta\":{" json "},\"logprobs\":null,\"finish_reason\":" finish \
          "}]}\n\n"
#define ROLE DELTA("\"role\":\"assistant\",\"content\":\"\"", "null")
#define TEXT "event: text\ndata: {\"text\":\"Hi\"}\n\n"
#define SAID DELTA("\"content\":\"Hi\"", "null")
#define FAILED                                                              \
    "event: end\ndata: {\"status\":\"failed\",\"message\":{\"error\":\"It " \
    "broke.\",\"stop\":\"rejected\"}}\n\n"
#define ERROR                                                                                  \
    "{\"error\":{\"message\":\"It broke.\",\"type\":\"invalid_request_error\",\"param\":null," \
    "\"code\":\"rejected_by_provider\"}}"

static struct completion_reader *reader(bool stream)
{
    return completion_reader_new(&(struct completion_reader_setup){.turn = "trn_x",
        .model = "m",
        .created_at = 7000,
        .stream = stream,
        .stream_head = STR(HEAD),
        .json_head = STR("X: y\r\n")});
}

static void expect(struct completion_reader *r, const char *events, const char *sent)
{
    AUTO_STRBUF out;
    strbuf_init(&out, (size_t)64 * 1024);
    completion_reader_rewrite(r, str_of(events), &out);
    assert_string_equal(out.len ? out.s : "", sent);
}

TEST(a_silent_stream_sends_its_head_after_an_interval_of_pings)
{
    struct completion_reader *r = reader(true);
    expect(r, PING, "");
    expect(r, PING, HEAD PING);
    expect(r, PING, PING);
    expect(r, TEXT, ROLE SAID);
    expect(r, PING, PING);
    completion_reader_free(r);
}

TEST(a_failure_has_its_status_before_the_head_and_is_a_chunk_after_it)
{
    char whole[512];
    snprintf(whole, sizeof whole, "Status: 400\r\nX: y\r\nContent-Length: %zu\r\n\r\n" ERROR, strlen(ERROR));
    struct completion_reader *early = reader(true), *late = reader(true);
    expect(early, PING, "");
    expect(early, FAILED, whole);
    expect(late, PING, "");
    expect(late, PING, HEAD PING);
    expect(late, FAILED, "data: " ERROR "\n\n");
    completion_reader_free(early);
    completion_reader_free(late);
}

TEST(text_begins_a_stream_at_once)
{
    struct completion_reader *r = reader(true);
    expect(r, TEXT, HEAD ROLE SAID);
    completion_reader_free(r);
}

TEST(an_answer_in_one_piece_has_no_pings)
{
    char whole[512];
    snprintf(whole, sizeof whole, "Status: 400\r\nX: y\r\nContent-Length: %zu\r\n\r\n" ERROR, strlen(ERROR));
    struct completion_reader *r = reader(false);
    expect(r, PING, "");
    expect(r, PING, "");
    expect(r, FAILED, whole);
    completion_reader_free(r);
}
