#include "unit.h"

#include <stdio.h>

#include "codec/json/json.h"
#include "fake_http.h"
#include "llm/internal.h"
#include "llm/models_private.h"

static const char *const local[] = {"127.0.0.1"};

/* Sends a request with one scripted answer; `request` gets the first line of the request. */
static enum rc ask(struct arena *a, const char *answer, struct llm_models *out, char *request, size_t size)
{
    const struct fake_reply reply = {.text = answer};
    struct fake_http *f = fake_http_start(&reply, 1);
    struct llm_settings s = {.name = "acme", .base_url = llm_base_url(a, "openai", f->url), .key = "k"};
    struct llm_models_ask how = {.kind = "openai", .provider = &s, .allowed = local, .allowed_n = 1};
    enum rc rc = llm_models_ask(&how, a, out, NULL);
    fake_http_stop(f);
    if (request && f->requests_n)
        snprintf(request, size, "%.*s", (int)strcspn(f->requests[0], "\r"), f->requests[0]);
    fake_http_free(f);
    return rc;
}

TEST(models_are_listed_with_the_servers_properties)
{
    AUTO(arena) a = arena_new();
    struct llm_models m;
    char request[256] = "";
    assert_int_equal(
        ask(a,
            FAKE_OK("application/json") "{\"data\":[{\"id\":\"text-embedding-3\"},{\"id\":\"qwen\","
                                        "\"max_model_len\":4096,\"owned_by\":\"vllm\"},"
                                        "{\"id\":\"with space\"},{\"id\":7},{}]}",
            &m, request, sizeof request),
        RC_OK);
    assert_int_equal(m.n, 2);
    assert_false(m.list[0].chat);
    assert_true(m.list[1].chat);
    assert_int_equal(m.list[1].window, 4096);
    assert_string_equal(m.list[1].window_from, "max_model_len");
    assert_string_equal(m.server, "vLLM");
    assert_string_equal(request, "GET /v1/models HTTP/1.1");
}

/* As OpenRouter lists them, and as xAI and Groq do. */
TEST(models_that_answer_with_more_than_text_are_not_for_chats)
{
    static const struct {
        const char *modalities;
        bool chat;
    } cases[] = {{"\"text\"", true}, {"\"embeddings\"", false}, {"\"text\",\"image\"", false},
        {"\"text\",\"audio\"", false}, {"\"video\"", false}};
    static const char *const forms[] = {
        "\"architecture\":{\"output_modalities\":[%s]}", "\"output_modalities\":[%s]"};
    for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
        AUTO(arena) a = arena_new();
        struct llm_models m;
        const char *stated = arena_printf(a, forms[i % 2], cases[i / 2].modalities);
        assert_int_equal(
            ask(a, arena_printf(a, FAKE_OK("application/json") "{\"data\":[{\"id\":\"acme\",%s}]}", stated),
                &m, NULL, 0),
            RC_OK);
        assert_int_equal(m.n, 1);
        assert_int_equal(m.list[0].chat, cases[i / 2].chat);
    }
}

TEST(models_have_the_abilities_that_their_servers_state)
{
    static const struct {
        const char *stated;
        bool chat;
        enum llm_fact tools, images, reasoning;
    } cases[] = {{"\"capabilities\":{\"completion_chat\":true,\"function_calling\":true,\"vision\":false}",
                     true, LLM_YES, LLM_NO, LLM_UNKNOWN}, /* Mistral */
        {"\"capabilities\":{\"completion_chat\":false,\"function_calling\":false,\"vision\":true}", false,
            LLM_NO, LLM_YES, LLM_UNKNOWN},
        {"\"capabilities\":{\"image_input\":{\"supported\":true},\"thinking\":{\"supported\":false}}", true,
            LLM_UNKNOWN, LLM_YES, LLM_NO},                                            /* Anthropic */
        {"\"capabilities\":[\"tool_use\"]", true, LLM_YES, LLM_UNKNOWN, LLM_UNKNOWN}, /* LM Studio */
        {"\"capabilities\":[\"completion\",\"multimodal\"]", true, LLM_UNKNOWN, LLM_YES,
            LLM_UNKNOWN},                                                             /* llama.cpp */
        {"\"supported_parameters\":[\"tools\"]", true, LLM_YES, LLM_UNKNOWN, LLM_NO}, /* OpenRouter */
        {"\"architecture\":{\"input_modalities\":[\"text\"]}", true, LLM_UNKNOWN, LLM_NO, LLM_UNKNOWN},
        {"\"input_modalities\":[\"text\",\"image\"],\"output_modalities\":[\"text\"],"
         "\"supported_features\":[\"tools\",\"json_mode\"]",
            true, LLM_YES, LLM_YES, LLM_UNKNOWN}, /* Groq */
        {"\"supported_features\":[\"json_mode\"]", true, LLM_NO, LLM_UNKNOWN, LLM_UNKNOWN},
        {"\"capabilities\":{\"vision\":true},\"output_modalities\":[\"text\"]", true, LLM_UNKNOWN, LLM_YES,
            LLM_UNKNOWN},
        {"\"supports_chat\":true,\"supports_image_input\":true,\"supports_tools\":false", true, LLM_NO,
            LLM_YES, LLM_UNKNOWN}, /* Fireworks */
        {"\"supports_chat\":false,\"supports_image_input\":false,\"supports_tools\":false", false, LLM_NO,
            LLM_NO, LLM_UNKNOWN},
        {"\"supports_image_in\":true,\"supports_video_in\":false,\"supports_reasoning\":true", true,
            LLM_UNKNOWN, LLM_YES, LLM_YES}, /* Kimi */
        {"\"architecture\":{\"input_modalities\":[\"text\"],\"output_modalities\":[\"text\"]},\"providers\":["
         "{\"status\":\"live\"},{\"status\":\"live\",\"supports_tools\":true},{\"supports_tools\":false}]",
            true, LLM_YES, LLM_NO, LLM_UNKNOWN}, /* Hugging Face */
        {"\"providers\":[{\"status\":\"live\",\"supports_tools\":false},{\"status\":\"error\","
         "\"supports_tools\":true}]",
            true, LLM_NO, LLM_UNKNOWN, LLM_UNKNOWN},
        {"\"providers\":[7,null]", true, LLM_UNKNOWN, LLM_UNKNOWN, LLM_UNKNOWN},
        {"\"capabilities\":{\"chat_completion\":false,\"embeddings\":true}", false, LLM_UNKNOWN, LLM_UNKNOWN,
            LLM_UNKNOWN}, /* Azure */
        {"\"object\":\"model\"", true, LLM_UNKNOWN, LLM_UNKNOWN, LLM_UNKNOWN}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        AUTO(arena) a = arena_new();
        struct llm_models m;
        assert_int_equal(ask(a,
                             arena_printf(a, FAKE_OK("application/json") "{\"data\":[{\"id\":\"acme\",%s}]}",
                                 cases[i].stated),
                             &m, NULL, 0),
            RC_OK);
        assert_int_equal(m.n, 1);
        const struct llm_model *is = &m.list[0];
        if (is->chat != cases[i].chat || is->tools != cases[i].tools || is->images != cases[i].images ||
            is->reasoning != cases[i].reasoning)
            fail_msg("%s: %d %d %d %d", cases[i].stated, is->chat, is->tools, is->images, is->reasoning);
    }
}

/* OpenRouter states the window of the model, and that of the server that answers; Hugging Face those of the
 * servers that may answer. */
TEST(models_have_the_smaller_of_two_windows)
{
    static const struct {
        const char *stated;
        int64_t window;
    } cases[] = {{"\"context_length\":8192,\"top_provider\":{\"context_length\":4096}", 4096},
        {"\"context_length\":4096,\"top_provider\":{\"context_length\":8192}", 4096},
        {"\"context_length\":4096,\"top_provider\":{\"context_length\":5}", 4096},
        {"\"top_provider\":{\"context_length\":8192}", 8192},
        {"\"providers\":[{\"status\":\"live\",\"context_length\":8192},{\"status\":\"live\"},{\"status\":"
         "\"live\","
         "\"context_length\":4096},{\"status\":\"error\",\"context_length\":1024}]",
            4096},
        {"\"metadata\":{\"context_length\":8192}", 8192}, /* DeepInfra */
        {"\"context_size\":8192", 8192}};                 /* Novita */
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        AUTO(arena) a = arena_new();
        struct llm_models m;
        assert_int_equal(ask(a,
                             arena_printf(a, FAKE_OK("application/json") "{\"data\":[{\"id\":\"acme\",%s}]}",
                                 cases[i].stated),
                             &m, NULL, 0),
            RC_OK);
        assert_int_equal(m.list[0].window, cases[i].window);
    }
}

/* As Together and Vercel list them; Anthropic's type is "model", Mistral's "base". */
TEST(models_of_another_type_are_not_for_chats)
{
    static const struct {
        const char *type;
        bool chat;
    } cases[] = {{"chat", true}, {"language", true}, {"code", true}, {"model", true}, {"base", true},
        {"vlm", true}, {"embedding", false}, {"embeddings", false}, {"image", false}, {"audio", false},
        {"video", false}, {"rerank", false}, {"reranking", false}, {"moderation", false},
        {"transcribe", false}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        AUTO(arena) a = arena_new();
        struct llm_models m;
        assert_int_equal(
            ask(a,
                arena_printf(
                    a, FAKE_OK("application/json") "[{\"id\":\"acme\",\"type\":\"%s\"}]", cases[i].type),
                &m, NULL, 0),
            RC_OK);
        assert_int_equal(m.n, 1);
        assert_int_equal(m.list[0].chat, cases[i].chat);
    }
}

TEST(models_refuse_an_answer_without_a_list)
{
    static const struct {
        const char *text;
        enum rc rc;
    } cases[] = {
        {FAKE_OK("text/html") "<html>", RC_UPSTREAM},
        {FAKE_OK("application/json") "{\"models\":7}", RC_UPSTREAM},
        {"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n", RC_NOT_FOUND},
        {"HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n", RC_FORBIDDEN},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        AUTO(arena) a = arena_new();
        struct llm_models m;
        assert_int_equal(ask(a, cases[i].text, &m, NULL, 0), cases[i].rc);
    }
}

/* Ollama without a model. */
TEST(models_may_be_none)
{
    static const char *const lists[] = {"{\"object\":\"list\",\"data\":null}", "{\"data\":[]}", "[]"};
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        AUTO(arena) a = arena_new();
        struct llm_models m;
        assert_int_equal(
            ask(a, arena_printf(a, FAKE_OK("application/json") "%s", lists[i]), &m, NULL, 0), RC_OK);
        assert_int_equal(m.n, 0);
    }
}

TEST(models_of_koboldcpp_have_the_window_of_the_loaded_one)
{
    static const struct fake_reply script[] = {
        {.text = FAKE_OK("application/json") "{\"data\":[{\"id\":\"koboldcpp/a\",\"owned_by\":\"koboldcpp\"},"
                                             "{\"id\":\"b\",\"owned_by\":\"koboldcpp\"}]}"},
        {.text = FAKE_OK("application/json") "{\"value\":8192}"}};
    AUTO(arena) a = arena_new();
    struct llm_models m;
    struct fake_http *f = fake_http_start(script, 2);
    struct llm_settings s = {.name = "acme", .base_url = llm_base_url(a, "openai", f->url)};
    struct llm_models_ask how = {.kind = "openai", .provider = &s, .allowed = local, .allowed_n = 1};
    assert_int_equal(llm_models_ask(&how, a, &m, NULL), RC_OK);
    fake_http_stop(f);
    assert_string_equal(m.server, "KoboldCpp");
    assert_int_equal(f->requests_n, 2);
    assert_non_null(strstr(f->requests[1], "GET /api/extra/true_max_context_length HTTP/1.1"));
    assert_int_equal(m.list[0].window, 8192);
    assert_int_equal(m.list[1].window, 0);
    fake_http_free(f);
}

TEST(models_of_a_long_list_are_cut)
{
    AUTO(arena) a = arena_new();
    AUTO(json_t) list = json_array();
    for (int i = 0; i < 50000; i++)
        json_array_append_new(list, json_pack("{s:s}", "id", arena_printf(a, "m%d", i)));
    struct llm_models m = {.list = ARENA_ARRAY(a, struct llm_model, LLM_MODELS_MAX), .server = ""};
    assert_int_equal(models_read_list(list, a, &m, NULL), RC_OK);
    assert_int_equal(m.n, LLM_MODELS_MAX);
    assert_true(m.cut);
}

TEST(models_window_is_read_from_a_refusal)
{
    static const struct {
        const char *text;
        int64_t window, sent;
    } cases[] = {
        {"This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 "
         "tokens.",
            8192, 9001},
        {"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4500 in "
         "the messages, 500 in the completion).",
            4096, 5000},
        {"prompt is too long: 210000 tokens > 200000 maximum", 200000, 210000},
        {"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", 1048576,
            1200000},
        {"Requested tokens (2285) exceed context window of 2048", 2048, 2285},
        {"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32,768 maximum context "
         "length",
            32768, 40000},
        {"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with "
         "context length of only 4096 tokens",
            4096, 5000},
        {"Cannot truncate prompt with n_keep (14169) >= n_ctx (4096)", 4096, 14169},
        {"The number of tokens to keep from the initial prompt is greater than the context length (n_keep: "
         "4166>= n_ctx: 4096). Try to load the model with a larger context length",
            4096, 4166},
        {"Input does not fit in context length. The input has 31430 tokens, but the context length only "
         "supports 30000 tokens.",
            30000, 31430},
        {"input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length "
         "or `max_tokens` and try again",
            200000, 199759},
        {"Invalid request: Your request exceeded model token limit: 262144 (requested: 270001)", 262144,
            270001},
        {"This model's maximum prompt length is 131072 but the request contains 140000 tokens.", 131072,
            140000},
        {"However, you requested 65535 output tokens and your prompt contains at least 62466 input tokens, "
         "for a total of at least 128001 tokens.",
            0, 62466},
        {"The decoder prompt (length 9000) is longer than the maximum model length of 8192.", 8192, 9000},
        {"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 9204 `inputs` "
         "tokens and 2047 `max_new_tokens`",
            8192, 9204},
        {"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]", 129024, 0},
        {"length of prompt_tokens (48322) must be less than max_seq_len (32768).", 32768, 48322},
        {"max_total_tokens (33802) must be less than or equal to max_seq_len (32768)", 32768, 33802},
        {"Current length is 42328 while limit is 40000", 40000, 42328},
        {"Request body too large for gpt-4o model. Max size: 8000 tokens.", 8000, 0},
        {"The input (61709 tokens) is longer than the model's context length (40960 tokens).", 40960, 61709},
        {"The prompt is too long: 40177, model maximum context length: 32767", 32767, 40177},
        {"too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received "
         "6354. Try using a shorter prompt",
            2048, 6354},
        {"prompt token count of 146270 exceeds the limit of 128000", 128000, 146270},
        {"Unable to submit request because the input token count is 1251952 but model only supports up to "
         "1048576.",
            1048576, 1251952},
        {"Input length 5000 exceeds the maximum allowed input length of 4096 tokens.", 4096, 5000},
        {"Input length (265330) exceeds model's maximum context length (262144).", 262144, 265330},
        {"Prompt exceeds max length", 0, 0},
        {"Please reduce the length of the messages.", 0, 0},
        {"too long (400)", 0, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int64_t window = 0, sent = 0;
        llm_read_window(str_of(cases[i].text), &window, &sent);
        assert_int_equal(window, cases[i].window);
        assert_int_equal(sent, cases[i].sent);
    }
}

static const char *picked(const char *const *names, size_t n)
{
    struct llm_model list[16] = {0};
    struct llm_models m = {.list = list, .n = n};
    for (size_t i = 0; i < n; i++)
        list[i] =
            (struct llm_model){.name = names[i], .chat = llm_model_chats(names[i]), .created = (int64_t)i};
    const struct llm_model *best = llm_model_pick(&m);
    return best ? best->name : "";
}
#define PICKED(...) \
    picked((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

TEST(models_default_is_of_a_middle_size_and_chats)
{
    assert_string_equal(PICKED("gpt-4o-mini", "gpt-5-mini-2025-08-07", "gpt-5-mini", "gpt-5-pro",
                            "gpt-5-nano", "text-embedding-3-large", "gpt-4o-mini-tts", "o3-deep-research"),
        "gpt-5-mini");
    assert_string_equal(PICKED("claude-opus-5", "claude-sonnet-5", "claude-haiku-5"), "claude-sonnet-5");
    assert_string_equal(PICKED("whisper-1", "nomic-embed-text:latest"), "");
    assert_string_equal(PICKED("grok-4.6", "grok-imagine-image-2.0", "grok-imagine-video-1.5"), "grok-4.6");
    assert_string_equal(
        PICKED("openai/gpt-oss-120b", "canopylabs/orpheus-v1-english"), "openai/gpt-oss-120b");
    assert_string_equal(
        PICKED("gemini-2.5-pro", "gemini-2.5-flash-image", "nano-banana-pro"), "gemini-2.5-pro");
    assert_string_equal(PICKED("anthropic/claude-opus", "openrouter/auto", "x/y"), "openrouter/auto");
}

TEST(models_base_urls_are_taken_with_and_without_v1)
{
    static const char *const cases[][3] = {
        {"openai", "http://h:1", "http://h:1/v1"},
        {"openai", "http://h:1/v1//", "http://h:1/v1"},
        {"openai", "https://h/api/v1/", "https://h/api/v1"},
        {"anthropic", "https://h/v1/", "https://h"},
        {"anthropic", "https://h/", "https://h"},
        {"anthropic", "https://h/anthropic/v1", "https://h/anthropic"},
    };
    AUTO(arena) a = arena_new();
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        assert_string_equal(llm_base_url(a, cases[i][0], cases[i][1]), cases[i][2]);
    assert_string_equal(llm_url_method("https://h/v1/messages/"), "/messages");
    assert_null(llm_url_method("https://h/v1"));
    assert_string_equal(llm_url(a, "https://h/openai?api-version=1", "/chat/completions"),
        "https://h/openai/chat/completions?api-version=1");
}

TEST(newer_generations_of_claude_take_an_effort_and_older_do_not)
{
    assert_true(llm_model_takes_effort("anthropic", "claude-opus-4-5", LLM_UNKNOWN));
    assert_true(llm_model_takes_effort("anthropic", "claude-sonnet-5", LLM_UNKNOWN));
    assert_true(llm_model_takes_effort("openai", "anthropic/claude-haiku-5-20270301", LLM_UNKNOWN));
    assert_false(llm_model_takes_effort("anthropic", "claude-3-5-sonnet-20241022", LLM_UNKNOWN));
    assert_false(llm_model_takes_effort("anthropic", "claude-sonnet-4-20250514", LLM_UNKNOWN));
    assert_false(llm_model_takes_effort("anthropic", "claude-instant", LLM_UNKNOWN));
    assert_false(llm_model_takes_effort("anthropic", "claude-sonnet-5", LLM_NO));
}

TEST(the_generations_after_gpt_5_are_like_it)
{
    static const char *const names[] = {"gpt-5.4", "gpt-6-sol", "openai/gpt-6-luna", "gpt-7"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        assert_true(llm_model_takes_effort("openai", names[i], LLM_UNKNOWN));
        assert_true(llm_model_takes_completion_limit(names[i]));
        assert_false(llm_model_takes_temperature("openai", names[i]));
    }
    static const char *const others[] = {
        "gpt-4.1", "gpt-4o", "gpt-20250101", "gpt-image-1", "gpt-", "agpt-6"};
    for (size_t i = 0; i < ARRAY_LEN(others); i++) {
        assert_false(llm_model_takes_effort("openai", others[i], LLM_UNKNOWN));
        assert_false(llm_model_takes_completion_limit(others[i]));
    }
    assert_int_equal(llm_model_family_window("gpt-5.4"), 272000);
    assert_int_equal(llm_model_family_window("gpt-6-sol"), 922000);
    assert_int_equal(llm_model_family_window("gemini-3-flash"), 1048576);
    assert_int_equal(llm_model_family_window("deepseek-v4-flash"), 131072);
    assert_int_equal(llm_model_family_window("gpt-oss-20b"), 0);
}

TEST(claude_is_asked_to_think_and_has_room_for_it)
{
    static const struct {
        const char *name;
        bool unasked, asked;
        int64_t limit;
    } models[] = {{"claude-opus-5-5", true, true, 32768}, {"anthropic/claude-haiku-5-5", true, true, 32768},
        {"claude-opus-4-8", false, true, 32768}, {"claude-sonnet-4-6", false, true, 32768},
        {"claude-opus-4-5", false, false, 8192}, {"claude-3-5-sonnet-20241022", false, false, 8192},
        {"another", false, false, 8192}};
    for (size_t i = 0; i < ARRAY_LEN(models); i++) {
        assert_int_equal(llm_model_thinks_unasked(models[i].name), models[i].unasked);
        assert_int_equal(llm_model_can_think(models[i].name), models[i].asked);
        assert_int_equal(llm_model_answer_limit(models[i].name), models[i].limit);
    }
}

TEST(models_go_on_with_an_answer_as_their_servers_document)
{
    static const struct {
        const char *kind, *url, *server, *name;
        enum llm_prefill how;
    } rules[] = {
        {"anthropic", "https://api.anthropic.com", "", "claude-3-5-sonnet-20241022", LLM_PREFILL_PLAIN},
        {"anthropic", "https://api.anthropic.com", "", "claude-3-opus-20240229", LLM_PREFILL_PLAIN},
        {"anthropic", "https://api.anthropic.com", "", "claude-opus-4-20250514", LLM_PREFILL_PLAIN},
        {"anthropic", "https://api.anthropic.com", "", "claude-sonnet-4-5", LLM_PREFILL_PLAIN},
        {"anthropic", "https://api.anthropic.com", "", "claude-opus-4-6", LLM_PREFILL_NONE},
        {"anthropic", "https://api.anthropic.com", "", "claude-sonnet-5", LLM_PREFILL_NONE},
        {"anthropic", "https://api.anthropic.com", "", "another", LLM_PREFILL_NONE},
        {"openai", "http://127.0.0.1:8080/v1", "llama.cpp", "x", LLM_PREFILL_PLAIN},
        {"openai", "http://127.0.0.1:11434/v1", "Ollama", "x", LLM_PREFILL_PLAIN},
        {"openai", "http://127.0.0.1:8000/v1", "vLLM", "x", LLM_PREFILL_MEMBERS},
        {"openai", "https://api.mistral.ai/v1", "", "x", LLM_PREFILL_PREFIX},
        {"openai", "https://api.openai.com/v1", "", "gpt-4.1", LLM_PREFILL_NONE},
        {"offline", NULL, "", "offline", LLM_PREFILL_NONE},
    };
    for (size_t i = 0; i < ARRAY_LEN(rules); i++)
        assert_int_equal(
            llm_model_prefill(rules[i].kind, rules[i].url, rules[i].server, rules[i].name), rules[i].how);
}

TEST(claude_can_stop_thinking_in_some_models)
{
    static const struct {
        const char *name;
        bool can;
    } models[] = {{"claude-opus-5", true}, {"anthropic/claude-sonnet-5", true},
        {"claude-sonnet-5-20260601", true}, {"claude-opus-5-5", false}, {"claude-opus-50", false},
        {"claude-fable-5", false}, {"claude-opus-4-8", false}, {"gpt-5", false}};
    for (size_t i = 0; i < ARRAY_LEN(models); i++)
        assert_int_equal(llm_model_can_stop_thinking(models[i].name), models[i].can);
}

TEST(an_effort_becomes_the_nearest_one_of_the_model)
{
    /* none, minimal, low, medium, high, xhigh and max of each */
    static const struct {
        const char *kind, *name, *efforts[7];
    } table[] = {
        {"openai", "o3", {"low", "low", "low", "medium", "high", "high", "high"}},
        {"openai", "gpt-5-mini", {"minimal", "minimal", "low", "medium", "high", "high", "high"}},
        {"openai", "gpt-5-codex", {"low", "low", "low", "medium", "high", "high", "high"}},
        {"openai", "openai/gpt-5.1", {"none", "low", "low", "medium", "high", "high", "high"}},
        {"openai", "gpt-5.1-codex-max", {"low", "low", "low", "medium", "high", "xhigh", "xhigh"}},
        {"openai", "gpt-5.4", {"none", "low", "low", "medium", "high", "xhigh", "xhigh"}},
        {"openai", "gpt-6-sol", {"none", "low", "low", "medium", "high", "xhigh", "xhigh"}},
        {"openai", "qwen3", {"low", "low", "low", "medium", "high", "high", "high"}},
        {"anthropic", "claude-opus-4-5", {"low", "low", "low", "medium", "high", "high", "high"}},
        {"anthropic", "claude-opus-4-6", {"low", "low", "low", "medium", "high", "high", "max"}},
        {"anthropic", "claude-opus-5-5", {"low", "low", "low", "medium", "high", "xhigh", "max"}},
    };
    static const char *const asked[] = {"none", "minimal", "low", "medium", "high", "xhigh", "max"};
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        for (size_t k = 0; k < ARRAY_LEN(asked); k++)
            assert_string_equal(
                llm_model_effort(table[i].kind, table[i].name, asked[k]), table[i].efforts[k]);
    assert_string_equal(llm_usual_effort("none"), "low");
    assert_string_equal(llm_usual_effort("max"), "high");
    assert_string_equal(llm_effort(STR("xhigh")), "xhigh");
    assert_null(llm_effort(STR("huge")));
}

TEST(a_kind_tells_what_its_requests_cannot_have)
{
    static const char *const stops[] = {"END"};
    const struct llm_params none = {0}, call = {.must_call = true}, json = {.format = LLM_FORMAT_JSON},
                            schema = {.format = LLM_FORMAT_SCHEMA}, stop = {.stops = stops, .stops_n = 1};
    assert_null(llm_lacking_param("offline", false, &none));
    assert_string_equal(llm_lacking_param("offline", false, &call), "tool_choice");
    assert_string_equal(llm_lacking_param("offline", false, &schema), "response_format");
    assert_string_equal(llm_lacking_param("offline", false, &stop), "stop");
    assert_string_equal(llm_lacking_param("anthropic", false, &json), "response_format");
    assert_null(llm_lacking_param("anthropic", false, &schema));
    assert_null(llm_lacking_param("anthropic", false, &stop));
    assert_null(llm_lacking_param("openai", false, &stop));
    assert_string_equal(llm_lacking_param("openai", true, &stop), "stop");
    assert_null(llm_lacking_param("openai", true, &json));
}

TEST(a_temperature_is_for_models_that_take_one)
{
    static const struct {
        const char *kind, *name;
        bool takes;
    } table[] = {{"openai", "gpt-4.1", true}, {"openai", "gpt-5-chat-latest", true},
        {"openai", "gpt-5-mini", false}, {"openai", "o3", false}, {"openai", "openai/o4-mini", false},
        {"openai", "llama3.2", true}, {"anthropic", "claude-sonnet-4-5", true},
        {"anthropic", "claude-opus-4-7", false}, {"anthropic", "claude-opus-5", false},
        {"offline", "rules", false}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        assert_int_equal(llm_model_takes_temperature(table[i].kind, table[i].name), table[i].takes);
}
