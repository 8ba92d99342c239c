#include "unit.h"

#include "llm/openai_body.h"

TEST(toolcalls_puts_parallel_tool_calls_together)
{
    expect_body(TEXT("Let me see.")
                    CALL_BIT(0, "\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"one\"}")
                        CALL_BIT(1, "\"id\":\"c2\",\"function\":{\"name\":\"two\",\"arguments\":\"\"}")
                            ARGS(1, "{\\\"b\\\"") ARGS(0, "{\\\"a\\\"") ARGS(1, ":2}") ARGS(0, ":1}")
                                FINISH("tool_calls") DONE,
        "text:Let me see.\ncall:c1:one:{\"a\":1}\ncall:c2:two:{\"b\":2}\nend:1\n");
}

TEST(toolcalls_takes_tool_calls_as_other_servers_write_them)
{
    /* "stop" as the reason, arguments as an object, no id (Ollama's native habits). */
    expect_body(DELTA("{\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":{\"a\":1}}}]}")
                    FINISH("stop") DONE,
        "call:call_1:f:{\"a\":1}\nend:1\n");
    /* Every index 0, told apart by id (Gemini's compatible API). */
    expect_body(CALL_BIT(0, "\"id\":\"x\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}") CALL_BIT(
                    0, "\"id\":\"y\",\"function\":{\"name\":\"g\",\"arguments\":\"{}\"}") FINISH("stop") DONE,
        "call:x:f:{}\ncall:y:g:{}\nend:1\n");
    /* Another id with every piece. */
    expect_body(CALL_BIT(0, "\"id\":\"x\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}")
                    CALL_BIT(0, "\"id\":\"y\",\"function\":{\"arguments\":\"{\\\"a\\\":1\"}")
                        CALL_BIT(0, "\"id\":\"z\",\"function\":{\"arguments\":\"}\"}") FINISH("stop") DONE,
        "call:x:f:{\"a\":1}\nend:1\n");
    /* Every index 0 and no ids. */
    expect_body(CALL_BIT(0, "\"id\":\"\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":{}}\"}")
                    CALL_BIT(0, "\"id\":\"\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"b\\\":1}\"}")
                        CALL_BIT(0, "\"function\":{\"name\":\"g\",\"arguments\":\"{\"}") ARGS(0, "}")
                            FINISH("stop") DONE,
        "call:call_1:f:{\"a\":{}}\ncall:call_2:f:{\"b\":1}\ncall:call_3:g:{}\nend:1\n");
    /* The arguments as a string that holds the object. */
    expect_body(
        CALL_BIT(
            0, "\"id\":\"x\",\"function\":{\"name\":\"f\",\"arguments\":\"\\\"{\\\\\\\"a\\\\\\\": 1}\\\"\"}")
            FINISH("stop") DONE,
        "call:x:f:{\"a\":1}\nend:1\n");
    /* The name again with every piece, also with one that goes on inside of the object. */
    expect_body(CALL_BIT(0, "\"id\":\"x\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":\\\"}\"}")
                    CALL_BIT(0, "\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"}\"}") FINISH("stop") DONE,
        "call:x:f:{\"a\":\"}{\"}\nend:1\n");
    /* Pieces of two calls by turns, every index 0 (LibreChat-AI/agents 260). */
    expect_body(CALL_BIT(0, "\"id\":\"x\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":\"}")
                    CALL_BIT(0, "\"id\":\"y\",\"function\":{\"name\":\"g\",\"arguments\":\"{\\\"b\\\":\"}")
                        CALL_BIT(0, "\"id\":\"x\",\"function\":{\"arguments\":\"1}\"}") CALL_BIT(
                            0, "\"id\":\"y\",\"function\":{\"arguments\":\"2}\"}") FINISH("stop") DONE,
        "call:x:f:{\"a\":1}\ncall:y:g:{\"b\":2}\nend:1\n");
    /* Several with their arguments as objects and no id, in one piece and in two. */
    expect_body(DELTA("{\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":{\"a\":1}}},"
                      "{\"function\":{\"name\":\"f\",\"arguments\":{\"b\":2}}}]}")
                    CALL_BIT(0, "\"function\":{\"name\":\"g\",\"arguments\":{}}") FINISH("stop") DONE,
        "call:call_1:f:{\"a\":1}\ncall:call_2:f:{\"b\":2}\ncall:call_3:g:{}\nend:1\n");
    /* Several tools without arguments, no ids. */
    expect_body(CALL_BIT(0, "\"function\":{\"name\":\"f\",\"arguments\":\"\"}")
                    CALL_BIT(0, "\"function\":{\"name\":\"g\",\"arguments\":null}") FINISH("stop") DONE,
        "call:call_1:f:{}\ncall:call_2:g:{}\nend:1\n");
    /* No arguments, as JSON (AIDotNet/OpenDeepWiki 392). */
    expect_body(CALL_BIT(0, "\"id\":\"x\",\"function\":{\"name\":\"f\",\"arguments\":\"null\"}")
                    FINISH("stop") DONE,
        "call:x:f:{}\nend:1\n");
    /* The name again with every piece, no arguments at all. */
    expect_body(CALL_BIT(0, "\"id\":\"x\",\"function\":{\"name\":\"f\"}")
                    CALL_BIT(0, "\"id\":\"x\",\"function\":{\"name\":\"f\"}") FINISH("tool_calls") DONE,
        "call:x:f:{}\nend:1\n");
}

/* Behind the pieces comes the whole call again: once more encoded (BerriAI/litellm 20480), without its name
 * (vllm 42167, Soju06/codex-lb 284, lidge-jun/opencodex 361) and with it. Before them comes an empty object
 * (BerriAI/litellm 4537). */
TEST(toolcalls_takes_a_call_that_is_repeated_once)
{
#define PIECES                                                                   \
    CALL_BIT(0, "\"id\":\"x\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}") \
    ARGS(0, "{\\\"a\\\":") ARGS(0, " 1}")
    static const char once[] = "call:x:f:{\"a\":1}\nend:1\n";
    expect_body(PIECES ARGS(0, "{\\\"a\\\": 1}") FINISH("tool_calls") DONE, once);
    expect_body(PIECES ARGS(0, "{\\\"a\\\": 1}") ARGS(0, "{\\\"a\\\": 1}") FINISH("tool_calls") DONE, once);
    expect_body(
        PIECES CALL_BIT(0, "\"id\":\"x\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\": 1}\"}")
            FINISH("tool_calls") DONE,
        once);
    expect_body(
        PIECES CALL_BIT(
            0, "\"id\":\"x\",\"function\":{\"name\":\"f\",\"arguments\":\"\\\"{\\\\\\\"a\\\\\\\": 1}\\\"\"}")
            FINISH("tool_calls") DONE,
        once);
    expect_body(CALL_BIT(0, "\"id\":\"x\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}")
                    ARGS(0, "{\\\"a\\\": 1}") FINISH("tool_calls") DONE,
        once);
    expect_body(PIECES ARGS(0, "{}") FINISH("tool_calls") DONE, once);
    /* A text that is no sequence of values stays as it is. */
    expect_body(
        PIECES ARGS(0, "{\\\"b\\\":") FINISH("tool_calls") DONE, "call:x:f:{\"a\": 1}{\"b\":\nend:1\n");
}

/* gpt-oss behind vLLM (32587) and Ollama (12132). */
TEST(toolcalls_reads_the_name_of_a_tool_before_a_mark_of_the_template)
{
    expect_body(
        CALL_BIT(0, "\"id\":\"x\",\"function\":{\"name\":\"f<|channel|>commentary\",\"arguments\":\"\"}")
            CALL_BIT(
                0, "\"id\":\"x\",\"function\":{\"name\":\"f<|channel|>commentary\",\"arguments\":\"{}\"}")
                FINISH("tool_calls") DONE,
        "call:x:f:{}\nend:1\n");
    expect_body(CALL_BIT(0, "\"id\":\"x\",\"function\":{\"name\":\" f \",\"arguments\":\"{}\"}")
                    FINISH("tool_calls") DONE,
        "call:x:f:{}\nend:1\n");
    expect_body(CALL_BIT(0, "\"id\":\"x\",\"function\":{\"name\":\"<|channel|>\",\"arguments\":\"{}\"}")
                    FINISH("tool_calls") DONE,
        "call:x:<|channel|>:{}\nend:1\n");
}

TEST(toolcalls_gives_arguments_that_are_pretty_printed_without_their_whitespace)
{
    expect_body(CALL_BIT(0, "\"id\":\"x\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}")
                    ARGS(0, "{\\n  \\\"a b\\\": 0.10,\\r\\n\\t")
                        ARGS(0, "\\\"c\\\": [ \\\"x\\\\n\\\" ]\\n}\\n") FINISH("tool_calls") DONE,
        "call:x:f:{\"a b\":0.10,\"c\":[\"x\\n\"]}\nend:1\n");
}

TEST(toolcalls_drops_calls_that_the_length_cut)
{
    expect_body(TEXT("a") CALL_BIT(0, "\"id\":\"x\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\"}")
                    FINISH("length") DONE,
        "text:a\nend:2\n");
}

TEST(toolcalls_refuses_broken_tool_calls)
{
    expect_body(
        ARGS(0, "{}") FINISH("tool_calls") DONE, "error:upstream:Acme called a tool without naming it.\n");
    AUTO_STRBUF body;
    strbuf_init(&body, 1 << 20);
    strbuf_adds(&body, CALL_BIT(0, "\"id\":\"x\",\"function\":{\"name\":\"f\"}"));
    for (int i = 0; i < 70; i++) {
        strbuf_adds(&body,
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"");
        for (int k = 0; k < 1024; k++)
            strbuf_addc(&body, 'x');
        strbuf_adds(&body, "\"}}]}}]}\n\n");
    }
    strbuf_adds(&body, FINISH("tool_calls") DONE);
    expect_body(body.s, "error:too_big:Acme called a tool with too much input.\n");
}
