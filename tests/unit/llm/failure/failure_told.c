/* The words of real refusals, and what is made of them. Each body is one that the provider sends. */
#include "unit.h"

#include "base/clock.h"
#include "llm/llm_run.h"

#define ANSWER(status, body) "HTTP/1.1 " status "\r\nConnection: close\r\n\r\n" body
#define ERROR(message)       "{\"error\":{\"message\":\"" message "\"}}"
#define LITELLM(message, code)                                                                            \
    FAKE_OK("text/event-stream")                                                                          \
    "data: {\"error\":{\"message\":\"" message "\",\"type\":\"None\",\"param\":\"None\",\"code\":\"" code \
    "\"}}\n\n"
#define WRONG(type, place, message) \
    "{\"type\":\"" type "\",\"loc\":[\"body\"," place "],\"msg\":\"" message "\",\"input\":1}"
#define GOOD                                                              \
    FAKE_OK("text/event-stream")                                          \
    "data: {\"choices\":[{\"delta\":{\"content\":\"ok\"}}]}\n\n"          \
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n" \
    "data: [DONE]\n\n"

static const struct {
    const char *answer;
    enum llm_problem problem;
    enum rc rc;
    const char *said;
} refusals[] = {
    /* OpenAI, an account of a low tier: no later attempt can succeed */
    {ANSWER("429 Too",
         "{\"error\":{\"message\":\"Request too large for gpt-4.1 in organization org-x on tokens per "
         "min (TPM): Limit 30000, Requested 37313. The input or output tokens must be reduced in order "
         "to run successfully.\",\"type\":\"tokens\",\"code\":\"rate_limit_exceeded\"}}"),
        LLM_PROBLEM_TOO_LONG, RC_TOO_BIG, "longer than the model"},
    /* Groq, on its free plan: it names the address of a page about billing */
    {ANSWER("413 Big",
         "{\"error\":{\"message\":\"Request too large for model `m` in organization `org_x` service tier "
         "`on_demand` on tokens per minute (TPM): Limit 6000, Requested 12328, please reduce your message "
         "size and try again. Need more tokens? Upgrade to Dev Tier today at "
         "https://console.groq.com/settings/"
         "billing\",\"type\":\"tokens\",\"code\":\"rate_limit_exceeded\"}}"),
        LLM_PROBLEM_TOO_LONG, RC_TOO_BIG, "longer than the model"},
    /* vLLM, Together, DashScope, SiliconFlow */
    {ANSWER(
         "400 Bad", ERROR("The decoder prompt (length 9000) is longer than the maximum model length of 8192. "
                          "Make sure that `max_model_len` is no smaller than the number of text tokens.")),
        LLM_PROBLEM_TOO_LONG, RC_TOO_BIG, ""},
    {ANSWER("422 No",
         "{\"error\":\"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. "
         "Given: 9204 `inputs` tokens and 2047 `max_new_tokens`\",\"error_type\":\"validation\"}"),
        LLM_PROBLEM_TOO_LONG, RC_TOO_BIG, ""},
    {ANSWER("400 Bad", ERROR("<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, "
                             "129024]")),
        LLM_PROBLEM_TOO_LONG, RC_TOO_BIG, ""},
    {ANSWER("400 Bad", "{\"code\":20015,\"message\":\"length of prompt_tokens (48322) must be less than "
                       "max_seq_len (32768).\",\"data\":null}"),
        LLM_PROBLEM_TOO_LONG, RC_TOO_BIG, ""},
    /* GitHub Copilot, Bedrock */
    {ANSWER("400 Bad", "{\"error\":{\"message\":\"prompt token count of 93854 exceeds the limit of 90000\","
                       "\"param\":\"\",\"code\":\"\",\"type\":\"\"}}"),
        LLM_PROBLEM_TOO_LONG, RC_TOO_BIG, ""},
    {ANSWER("400 Bad", "{\"message\":\"Input Tokens Exceeded: Number of input tokens exceeds maximum length. "
                       "Please update the input to try again.\"}"),
        LLM_PROBLEM_TOO_LONG, RC_TOO_BIG, ""},
    /* Vertex (google-gemini/gemini-cli 19727), Poolside at OpenRouter, GLM (anomalyco/opencode 35920),
     * Bedrock (openclaw/openclaw 58839) */
    {ANSWER(
         "400 Bad", ERROR("Unable to submit request because the input token count is 1251952 but model only "
                          "supports up to 1048576. Reduce the input token count and try again.")),
        LLM_PROBLEM_TOO_LONG, RC_TOO_BIG, ""},
    {ANSWER("400 Bad", ERROR("Input length 5000 exceeds the maximum allowed input length of 4096 tokens.")),
        LLM_PROBLEM_TOO_LONG, RC_TOO_BIG, ""},
    {ANSWER("400 Bad", ERROR("tokens in request more than max tokens allowed")), LLM_PROBLEM_TOO_LONG,
        RC_TOO_BIG, ""},
    {ANSWER("400 Bad", "{\"message\":\"Input exceeds the max input token limit\"}"), LLM_PROBLEM_TOO_LONG,
        RC_TOO_BIG, ""},
    /* the limit of an answer: vLLM, DeepSeek, DashScope, Bedrock (charmbracelet/crush 946) */
    {ANSWER("400 Bad", ERROR("max_tokens=38000 cannot be greater than max_model_len=max_total_tokens=32768. "
                             "Please request fewer output tokens.")),
        LLM_PROBLEM_LENGTH, RC_BAD_INPUT, "answers of this length"},
    {ANSWER("400 Bad", ERROR("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]")),
        LLM_PROBLEM_LENGTH, RC_BAD_INPUT, ""},
    {ANSWER("400 Bad",
         ERROR("<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]")),
        LLM_PROBLEM_LENGTH, RC_BAD_INPUT, ""},
    {ANSWER("400 Bad", "{\"message\":\"The maximum tokens you requested exceeds the model limit of 32768\"}"),
        LLM_PROBLEM_LENGTH, RC_BAD_INPUT, ""},
    /* Z.ai: an empty account is not a busy server */
    {ANSWER("429 Too",
         "{\"error\":{\"code\":\"1113\",\"message\":\"Insufficient balance or no resource package. "
         "Please recharge.\"}}"),
        LLM_PROBLEM_OTHER, RC_FORBIDDEN, "no credit left (429). It said: Insufficient balance"},
    {ANSWER("429 Too", ERROR("余额不足或无可用资源包,请充值。")), LLM_PROBLEM_OTHER, RC_FORBIDDEN,
        "no credit left"},
    {ANSWER("400 Bad", ERROR("You have reached your specified API usage limits. You will regain access on "
                             "2026-12-01 at 00:00 UTC.")),
        LLM_PROBLEM_OTHER, RC_FORBIDDEN, "regain access on 2026-12-01"},
    /* xAI */
    {ANSWER("429 Too", "{\"error\":\"Your team has either used all available credits or reached its monthly "
                       "spending limit.\"}"),
        LLM_PROBLEM_OTHER, RC_FORBIDDEN, "no credit left (429). It said: Your team has"},
    {ANSWER("403 No", "{\"error\":\"You have run out of credits or need a Grok subscription.\"}"),
        LLM_PROBLEM_OTHER, RC_FORBIDDEN, "no credit left (403)"},
    {ANSWER("400 Bad", "{\"code\":\"Client specified an invalid argument\",\"error\":\"Incorrect API key "
                       "provided: na***ys. You can obtain an API key from https://console.x.ai.\"}"),
        LLM_PROBLEM_OTHER, RC_FORBIDDEN, "needs a key (401)"},
    {ANSWER("400 Bad",
         "{\"code\":\"Client specified an invalid argument\",\"error\":\"Model grok-4-latest does "
         "not support parameter reasoningEffort.\"}"),
        LLM_PROBLEM_NO_EFFORT, RC_BAD_INPUT, ""},
    /* OpenRouter, free models: another attempt counts, too */
    {ANSWER("429 Too",
         "{\"error\":{\"message\":\"Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 "
         "free model requests per day\",\"code\":429,\"metadata\":{\"headers\":{\"X-RateLimit-Limit\":\"50\","
         "\"X-RateLimit-Remaining\":\"0\",\"X-RateLimit-Reset\":\"1746057600000\"}}}}"),
        LLM_PROBLEM_OTHER, RC_RATE_LIMITED, "no more questions with the model test-model today"},
    /* OpenAI, models of /responses; GitHub Copilot */
    {ANSWER("404 No", ERROR("This is not a chat model and thus not supported in the v1/chat/completions "
                            "endpoint. Did you mean to use v1/completions?")),
        LLM_PROBLEM_RESPONSES, RC_BAD_INPUT, ""},
    {ANSWER("400 Bad", "{\"error\":{\"message\":\"model \\\"gpt-5.4\\\" is not accessible via the "
                       "/chat/completions endpoint\",\"code\":\"unsupported_api_for_model\"}}"),
        LLM_PROBLEM_RESPONSES, RC_BAD_INPUT, ""},
    /* Bedrock (enricoros/big-AGI 1167) */
    {ANSWER("400 Bad",
         ERROR("The model 'openai.gpt-5.6-terra' does not support the '/v1/chat/completions' API")),
        LLM_PROBLEM_RESPONSES, RC_BAD_INPUT, ""},
    /* llama.cpp of 2024 without --jinja, and programs with its code (QwenLM/Qwen3 822); Perplexity */
    {ANSWER("500 Oops",
         "{\"error\":{\"code\":500,\"message\":\"Unsupported param: tools\",\"type\":\"server_error\"}}"),
        LLM_PROBLEM_NO_TOOLS, RC_BAD_INPUT, ""},
    {ANSWER("400 Bad", ERROR("Tool calling is not supported for this model")), LLM_PROBLEM_NO_TOOLS,
        RC_BAD_INPUT, ""},
    /* LiteLLM, with the servers behind it */
    {ANSWER("400 Bad",
         ERROR("litellm.UnsupportedParamsError: nvidia_nim does not support parameters: ['tools'], "
               "for model=m. To drop these, set `litellm.drop_params=True`")),
        LLM_PROBLEM_NO_TOOLS, RC_BAD_INPUT, ""},
    {ANSWER("400 Bad", ERROR("litellm.UnsupportedParamsError: openai does not support parameters: "
                             "['reasoning_effort', 'tools'], for model=m.")),
        LLM_PROBLEM_NO_EFFORT, RC_BAD_INPUT, ""},
    {ANSWER("400 Bad", ERROR("Hosted tool 'web_search' is not supported with gpt-4.1-nano.")),
        LLM_PROBLEM_NO_SEARCH, RC_BAD_INPUT, "search the web (400). It said: Hosted tool"},
    /* Xiaomi's MiMo has the reason in another member, also behind OpenRouter (earendil-works/pi 4602) */
    {ANSWER("400 Bad",
         "data:{\"error\":{\"code\":\"400\",\"message\":\"Param Incorrect\",\"param\":\"The "
         "reasoning_content in the thinking mode must be passed back to the API.\",\"type\":\"\"}}"),
        LLM_PROBLEM_NO_REASONING, RC_BAD_INPUT, "It said: Param Incorrect: The reasoning_content"},
    {ANSWER("400 Bad",
         "{\"error\":{\"message\":\"Provider returned error\",\"code\":400,\"metadata\":{\"raw\":"
         "\"{\\\"error\\\":{\\\"code\\\":\\\"400\\\",\\\"message\\\":\\\"Param Incorrect\\\","
         "\\\"param\\\":\\\"The top_p is odd\\\"}}\"}}}"),
        LLM_PROBLEM_NO_TOP_P, RC_BAD_INPUT, "It said: Param Incorrect: The top_p is odd"},
    {ANSWER("400 Bad",
         "{\"error\":{\"code\":\"400\",\"message\":\"Param Incorrect\",\"param\":\"`text` is not set\"}}"),
        LLM_PROBLEM_NO_NULL, RC_BAD_INPUT, ""},
    {ANSWER("400 Bad", ERROR("invalid message content type: <nil>")), LLM_PROBLEM_NO_NULL, RC_BAD_INPUT, ""},
    /* Ollama */
    {ANSWER("400 Bad", ERROR("think value \\\"medium\\\" is not supported for this model")),
        LLM_PROBLEM_NO_EFFORT, RC_BAD_INPUT, ""},
    {ANSWER("400 Bad", ERROR("\\\"gemma3\\\" does not support thinking")), LLM_PROBLEM_NO_EFFORT,
        RC_BAD_INPUT, ""},
    /* OpenRouter */
    {ANSWER("402 Pay",
         ERROR("This request requires more credits, or fewer max_tokens. You requested up to 65536 "
               "tokens, but can only afford 30104.")),
        LLM_PROBLEM_LENGTH, RC_FORBIDDEN, "can only afford 30104"},
    {ANSWER("403 No", ERROR("Key limit exceeded (monthly limit).")), LLM_PROBLEM_OTHER, RC_FORBIDDEN,
        "It said: Key limit exceeded"},
    {ANSWER("403 No", ERROR("acme requires moderation. Your input was flagged for violence.")),
        LLM_PROBLEM_OTHER, RC_BAD_INPUT, "It said: acme requires moderation"},
    {ANSWER("404 No", ERROR("No endpoints found matching your data policy (Free model training).")),
        LLM_PROBLEM_OTHER, RC_FORBIDDEN, "It said: No endpoints found matching your data policy"},
    {ANSWER("404 No", ERROR("No allowed providers are available for the selected model.")), LLM_PROBLEM_OTHER,
        RC_FORBIDDEN, "No allowed providers"},
    {ANSWER("404 No", ERROR("No endpoints found for test-model.")), LLM_PROBLEM_NO_MODEL, RC_BAD_INPUT,
        "does not know the model"},
    /* vLLM, Azure, Gemini, Ollama */
    {ANSWER("404 No", ERROR("The model `test-model` does not exist.")), LLM_PROBLEM_NO_MODEL, RC_BAD_INPUT,
        ""},
    {ANSWER("404 No", "{\"error\":{\"code\":\"DeploymentNotFound\",\"message\":\"gone\"}}"),
        LLM_PROBLEM_NO_MODEL, RC_BAD_INPUT, ""},
    {ANSWER("404 No", ERROR("models/x is not found for API version v1beta")), LLM_PROBLEM_NO_MODEL,
        RC_BAD_INPUT, ""},
    {ANSWER("404 No", "{\"error\":\"model 'x' not found, try pulling it first\"}"), LLM_PROBLEM_NO_MODEL,
        RC_BAD_INPUT, ""},
    /* NVIDIA (capocasa/3code 2) */
    {ANSWER("410 Gone", "{\"type\":\"about:blank\",\"title\":\"Gone\",\"status\":410,\"detail\":\"The model "
                        "'test-model' has reached its end of life on 2026-05-14T00:00:00Z.\"}"),
        LLM_PROBLEM_NO_MODEL, RC_BAD_INPUT, "does not have the model test-model (410)"},
    {ANSWER("410 Gone", "{\"error\":\"https://old.example is no longer supported. Please use another.\"}"),
        LLM_PROBLEM_OTHER, RC_BAD_INPUT, "does not accept the request (410). It said: https://old.example"},
    /* Mistral, OpenRouter, Groq, DeepSeek, LiteLLM, llama.cpp */
    {ANSWER("400 Bad", "{\"object\":\"error\",\"message\":\"Invalid model: x\",\"type\":\"invalid_model\","
                       "\"param\":null,\"code\":\"1500\"}"),
        LLM_PROBLEM_NO_MODEL, RC_BAD_INPUT,
        "does not have the model test-model (400). It said: Invalid model: x"},
    {ANSWER("400 Bad", "{\"error\":{\"message\":\"maker/x is not a valid model ID\",\"code\":400}}"),
        LLM_PROBLEM_NO_MODEL, RC_BAD_INPUT, ""},
    {ANSWER("400 Bad", "{\"error\":{\"message\":\"The model `x` has been decommissioned and is no longer "
                       "supported.\",\"code\":\"model_decommissioned\"}}"),
        LLM_PROBLEM_NO_MODEL, RC_BAD_INPUT, "has been decommissioned"},
    {ANSWER("400 Bad", ERROR("Model Not Exist")), LLM_PROBLEM_NO_MODEL, RC_BAD_INPUT, ""},
    {ANSWER("400 Bad",
         ERROR("/chat/completions: Invalid model name passed in model=x. Call `/v1/models` to view "
               "available models for your key.")),
        LLM_PROBLEM_NO_MODEL, RC_BAD_INPUT, ""},
    {ANSWER("400 Bad", ERROR("model 'x' not found")), LLM_PROBLEM_NO_MODEL, RC_BAD_INPUT, ""},
    {ANSWER("400 Bad", ERROR("The tool of the model was not found")), LLM_PROBLEM_OTHER, RC_BAD_INPUT,
        "accept the request (400)"},
    /* Hugging Face, GitHub Models, LM Studio, Bedrock */
    {ANSWER("400 Bad", "{\"error\":{\"message\":\"The requested model 'x' does not exist\",\"type\":"
                       "\"invalid_request_error\",\"param\":\"model\",\"code\":\"model_not_found\"}}"),
        LLM_PROBLEM_NO_MODEL, RC_BAD_INPUT, ""},
    {ANSWER("400 Bad", "{\"error\":{\"code\":\"unknown_model\",\"message\":\"Unknown model: x\"}}"),
        LLM_PROBLEM_NO_MODEL, RC_BAD_INPUT, ""},
    {ANSWER("400 Bad", ERROR("Invalid model identifier \\\"x\\\". Please specify a valid downloaded model")),
        LLM_PROBLEM_NO_MODEL, RC_BAD_INPUT, ""},
    {ANSWER("400 Bad", "{\"message\":\"The provided model identifier is invalid.\"}"), LLM_PROBLEM_NO_MODEL,
        RC_BAD_INPUT, ""},
    /* Hugging Face: a setting of the account, so no other provider gets the text */
    {ANSWER("400 Bad",
         "{\"error\":{\"message\":\"The requested model 'x' is not supported by any provider you have "
         "enabled.\",\"code\":\"model_not_supported\"}}"),
        LLM_PROBLEM_OTHER, RC_FORBIDDEN, "provider you have enabled"},
    /* a wrong address says nothing about the model */
    {ANSWER("404 No", "<html>nginx</html>"), LLM_PROBLEM_OTHER, RC_UPSTREAM, "or the address is wrong (404)"},
    {ANSWER("404 No", "{\"detail\":\"Not Found\"}"), LLM_PROBLEM_OTHER, RC_UPSTREAM,
        "or the address is wrong (404)"},
    /* llama.cpp cannot make a grammar of the tools for every model and version */
    {ANSWER("400 Bad",
         "{\"error\":{\"code\":400,\"message\":\"Failed to initialize samplers: failed to parse "
         "grammar\",\"type\":\"invalid_request_error\"}}"),
        LLM_PROBLEM_NO_TOOLS, RC_BAD_INPUT, "use tools (400). It said: Failed to initialize samplers"},
    /* Mistral, in two versions, and other servers that report what is wrong with each member */
    {ANSWER("422 No",
         "{\"object\":\"error\",\"message\":{\"detail\":[" WRONG("extra_forbidden", "\"reasoning_effort\"",
             "Extra inputs are not permitted") "]},\"type\":"
                                               "\"invalid_request_error\",\"param\":null,\"code\":null}"),
        LLM_PROBLEM_NO_EFFORT, RC_BAD_INPUT, "body.reasoning_effort: Extra inputs are not permitted"},
    {ANSWER("422 No", "{\"object\":\"Error\",\"message\":[" WRONG("less_than_equal", "\"temperature\"",
                          "Input should be less than or equal to 1.5") "],\"code\":3001}"),
        LLM_PROBLEM_TEMPERATURE, RC_BAD_INPUT, "body.temperature: Input should be"},
    {ANSWER("422 No",
         "{\"detail\":[" WRONG("string_type", "\"messages\",1,\"content\"", "Not a string") "," WRONG(
             "missing", "\"model\"", "Field required") ",{\"msg\":7},8]}"),
        LLM_PROBLEM_OTHER, RC_BAD_INPUT,
        "It said: body.messages.1.content: Not a string; body.model: Field required"},
    {ANSWER("400 Bad", "{\"detail\":\"The text is too short\"}"), LLM_PROBLEM_OTHER, RC_BAD_INPUT,
        "It said: The text is too short"},
    {ANSWER("422 No", "{\"detail\":[],\"message\":[]}"), LLM_PROBLEM_OTHER, RC_BAD_INPUT, "(422)."},
    /* Cloudflare, AWS, KoboldCpp, frameworks */
    {ANSWER("400 Bad",
         "{\"result\":null,\"success\":false,\"errors\":[{\"code\":7001,\"message\":\"AiError: Bad "
         "input\"}],\"messages\":[]}"),
        LLM_PROBLEM_OTHER, RC_BAD_INPUT, "It said: AiError: Bad input"},
    {ANSWER("400 Bad", "{\"Message\":\"The header is odd\"}"), LLM_PROBLEM_OTHER, RC_BAD_INPUT,
        "It said: The header is odd"},
    {ANSWER("400 Bad", "{\"detail\":{\"msg\":\"The input is odd\",\"type\":\"bad_input\"}}"),
        LLM_PROBLEM_OTHER, RC_BAD_INPUT, "It said: The input is odd"},
    {ANSWER(
         "400 Bad", "{\"statusCode\":400,\"message\":\"seed must be a number\",\"error\":\"Bad Request\"}"),
        LLM_PROBLEM_OTHER, RC_BAD_INPUT, "It said: seed must be a number"},
    /* LiteLLM, in a stream: its code is the status, as a text */
    {LITELLM("Invalid x", "400"), LLM_PROBLEM_OTHER, RC_BAD_INPUT,
        "does not accept the request (400). It said: Invalid x"},
    {LITELLM("Invalid key", "401"), LLM_PROBLEM_OTHER, RC_FORBIDDEN, "needs a key (401)"},
    /* OpenAI */
    {ANSWER("400 Bad", "{\"error\":{\"message\":\"Your organization must be verified to stream this model.\","
                       "\"param\":\"stream\",\"code\":\"unsupported_value\"}}"),
        LLM_PROBLEM_NO_STREAM, RC_BAD_INPUT, "verified to stream"},
    /* OpenAI behind a gateway; Databricks */
    {ANSWER("400 Bad", ERROR("Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                             "'max_completion_tokens' instead.")),
        LLM_PROBLEM_LIMIT_NAME, RC_BAD_INPUT, ""},
    {ANSWER("400 Bad", ERROR("Bad request: json: unknown field \\\"max_completion_tokens\\\"")),
        LLM_PROBLEM_LIMIT_NAME, RC_BAD_INPUT, ""},
    /* Databricks; Fireworks in 2024 */
    {ANSWER("400 Bad", "{\"error_code\":\"BAD_REQUEST\",\"message\":\"Bad request: json: unknown field "
                       "\\\"stream_options\\\"\"}"),
        LLM_PROBLEM_NO_USAGE, RC_BAD_INPUT, "stream_options"},
    {ANSWER("400 Bad", ERROR("Extra inputs are not permitted, field: 'stream_options'")),
        LLM_PROBLEM_NO_USAGE, RC_BAD_INPUT, ""},
    /* Gemini behind gateways (google-gemini/gemini-cli 4231, continuedev/continue 11047) */
    {ANSWER("429 Too",
         "{\"error\":{\"message\":\"{\\n  \\\"error\\\": {\\n \\\"code\\\": 429, \\\"message\\\": "
         "\\\"Used up.\\\", \\\"details\\\": [{\\\"violations\\\": [{\\\"quotaId\\\": "
         "\\\"GenerateRequestsPerDay\\\"}]}]}\\n}\\n\",\"code\":429,\"status\":\"Too Many Requests\"}}"),
        LLM_PROBLEM_OTHER, RC_RATE_LIMITED, "is used up (429). It said: Used up."},
    {ANSWER("400 Bad", "{\"error\":{\"message\":\"{\\\"words\\\":1}\",\"code\":400}}"), LLM_PROBLEM_OTHER,
        RC_BAD_INPUT, "It said: {\"words\":1}"},
    /* a quota of a day without a time: Cerebras, Kimi */
    {ANSWER("429 Too", "{\"message\":\"Tokens per day limit exceeded - too many tokens processed.\",\"type\":"
                       "\"too_many_tokens_error\",\"param\":\"quota\",\"code\":\"token_quota_exceeded\"}"),
        LLM_PROBLEM_OTHER, RC_RATE_LIMITED, "no more questions with the model test-model today"},
    {ANSWER("429 Too", ERROR("Your account x request reached organization TPD rate limit, current: 1526210, "
                             "limit: 1500000")),
        LLM_PROBLEM_OTHER, RC_RATE_LIMITED, "no more questions with the model test-model today"},
    /* MiniMax */
    {ANSWER("400 Bad", ERROR("invalid params, chat content has invalid message role: system (2013)")),
        LLM_PROBLEM_NO_SYSTEM, RC_BAD_INPUT, ""},
    /* Gemma at Gemini's API; templates in LM Studio, llama.cpp and vLLM */
    {ANSWER("400 Bad", "[{\"error\":{\"code\":400,\"message\":\"Developer instruction is not enabled for "
                       "models/gemma-3-27b-it\",\"status\":\"INVALID_ARGUMENT\"}}]"),
        LLM_PROBLEM_NO_SYSTEM, RC_BAD_INPUT, "Developer instruction"},
    {ANSWER("400 Bad", "{\"error\":\"Error rendering prompt with jinja template: \\\"Only user and assistant "
                       "roles are supported!\\\".\"}"),
        LLM_PROBLEM_NO_SYSTEM, RC_BAD_INPUT, ""},
    {ANSWER("500 Oops", ERROR("System role not supported")), LLM_PROBLEM_NO_SYSTEM, RC_BAD_INPUT, ""},
    {ANSWER("400 Bad", ERROR("Conversation roles must alternate user/assistant/user/assistant/...")),
        LLM_PROBLEM_NO_SYSTEM, RC_BAD_INPUT, ""},
    /* Anthropic; a gateway reports it as 429 */
    {ANSWER("400 Bad",
         ERROR("messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a "
               "different conversation.")),
        LLM_PROBLEM_THINKING, RC_BAD_INPUT, ""},
    /* Mistral behind LiteLLM, Groq */
    {ANSWER("422 No",
         "{\"object\":\"error\",\"message\":{\"detail\":[" WRONG("extra_forbidden",
             "\"messages\",2,\"assistant\",\"reasoning_content\"", "Extra inputs are not permitted") "]}}"),
        LLM_PROBLEM_THINKING, RC_BAD_INPUT, ""},
    {ANSWER("400 Bad",
         ERROR("'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : "
               "property 'reasoning_content' is unsupported)]")),
        LLM_PROBLEM_THINKING, RC_BAD_INPUT, ""},
    {ANSWER("400 Bad", ERROR("'messages.2' : property 'reasoning' is unsupported")), LLM_PROBLEM_THINKING,
        RC_BAD_INPUT, ""},
    {ANSWER("429 Too", ERROR("messages.1.content.0: Invalid `signature` in `thinking` block")),
        LLM_PROBLEM_THINKING, RC_BAD_INPUT, ""},
};

TEST(llm_knows_refusals_by_their_words)
{
    for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
        struct llm_run run = {.kind = "openai"};
        llm_run(&run, &(struct fake_reply){.text = refusals[i].answer}, 1);
        if (run.problem != refusals[i].problem || run.err.rc != refusals[i].rc || run.tries != 1 ||
            !strstr(run.err.text, refusals[i].said))
            fail_msg("refusal %zu: problem %d, rc %d, %zu tries: %s", i, (int)run.problem, (int)run.err.rc,
                run.tries, run.err.text);
        llm_run_release(&run);
    }
}

TEST(llm_reads_the_numbers_of_a_refusal)
{
    struct llm_run rate = {.kind = "openai"}, credit = {.kind = "openai"};
    size_t of_credit = 0;
    while (!strstr(refusals[of_credit].answer, "afford"))
        of_credit++;
    llm_run(&rate, &(struct fake_reply){.text = refusals[0].answer}, 1);
    assert_int_equal(rate.window, 30000);
    assert_int_equal(rate.prompt_tokens, 37313);
    llm_run_release(&rate);
    llm_run(&credit, &(struct fake_reply){.text = refusals[of_credit].answer}, 1);
    assert_int_equal(credit.limit, 30104);
    llm_run_release(&credit);
}

/* Bedrock writes "too many tokens" of a rate, too; its gateways report it in a stream (jin-bo/agentao 88). */
TEST(llm_takes_a_rate_of_tokens_for_no_length)
{
    static const char busy[] = FAKE_OK(
        "text/event-stream") "data: {\"error\":{\"message\":\"An error occurred (ThrottlingException): "
                             "Too many tokens, please wait before trying again.\"}}\n\n";
    struct llm_run run = {.kind = "openai"};
    llm_run(&run, (struct fake_reply[]){{.text = busy}, {.text = GOOD}}, 2);
    assert_int_equal(run.tries, 2);
    assert_int_equal(run.err.rc, RC_OK);
    llm_run_release(&run);
}

/* OpenRouter tells the time in milliseconds, and no header (hydropix/TranslateBooksWithLLMs 125). */
TEST(llm_waits_until_the_time_that_openrouter_tells)
{
    static const struct {
        int in_s, wait_s;
    } cases[] = {{90, 90}, {8 * 24 * 60 * 60, 0}, {-5, 0}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char answer[512];
        snprintf(answer, sizeof answer,
            ANSWER("429 Too",
                "{\"error\":{\"message\":\"Rate limit exceeded: free-models-per-min. \",\"code\":429,"
                "\"metadata\":{\"headers\":{\"X-RateLimit-Limit\":\"20\",\"X-RateLimit-Reset\":\"%lld\""
                "}}}}"),
            (long long)(clock_wall_ms() + (int64_t)cases[i].in_s * 1000));
        struct llm_run run = {.kind = "openai"};
        llm_run(&run, (struct fake_reply[]){{.text = answer}, {.text = GOOD}}, 2);
        assert_in_range(run.err.retry_after_s, cases[i].wait_s ? cases[i].wait_s - 60 : 0, cases[i].wait_s);
        assert_int_equal(run.tries, cases[i].wait_s ? 1 : 2);
        llm_run_release(&run);
    }
}

/* In the sentence, as OpenAI, Azure, Kimi and GitHub write it, and in a member, as Gemini does. */
TEST(llm_waits_as_a_busy_provider_says)
{
    static const char *const forms[][2] = {
        {ANSWER("429 Too", "{\"error\":{\"message\":\"Rate limit reached. Please try again in "), "\"}}"},
        {ANSWER("429 Too", "{\"error\":{\"message\":\"Rate limit is exceeded. Try again in "), " (x)\"}}"},
        {ANSWER("429 Too", "{\"error\":{\"message\":\"Over max RPM: 3, please try again after "), ".\"}}"},
        {ANSWER("429 Too", "{\"error\":{\"message\":\"Over the call rate. Please retry after "),
            ". See x\"}}"},
        {ANSWER("429 Too", "{\"error\":{\"message\":\"Quota exceeded, limit: 20. Please retry in "), ".\"}}"},
        {ANSWER("429 Too", "{\"error\":{\"message\":\"10 per 60s exceeded. Please wait "),
            " before retrying.\"}}"},
        {ANSWER("429 Too", "{\"error\":{\"message\":\"Busy\",\"details\":[{\"retryDelay\":\""), "\"}]}}"}};
    static const struct {
        const char *said;
        int s;
    } cases[] = {{"61s", 61}, {"1m2.5s", 63}, {"2h", 7200}, {"1m1s.", 61}, {"60500ms", 61},
        {"86400 seconds", 86400}, {"8 hours 24 minutes", 30240}, {"1 day", 86400}, {"1x", 0},
        {"1 seconder", 0}, {"", 0}, {"99999999999h", 7 * 24 * 60 * 60}, {"111111111111111111111s", 0}};
    for (size_t i = 0; i < ARRAY_LEN(forms) * ARRAY_LEN(cases); i++) {
        const char *const *form = forms[i % ARRAY_LEN(forms)];
        char answer[256];
        snprintf(answer, sizeof answer, "%s%s%s", form[0], cases[i / ARRAY_LEN(forms)].said, form[1]);
        struct llm_run run = {.kind = "openai"};
        /* The waits that are known are longer than any retry. */
        struct fake_reply script[] = {{.text = answer}, {.text = GOOD}};
        llm_run(&run, script, 2);
        assert_int_equal(run.err.retry_after_s, cases[i / ARRAY_LEN(forms)].s);
        assert_int_equal(run.tries, cases[i / ARRAY_LEN(forms)].s ? 1 : 2);
        llm_run_release(&run);
    }
}

TEST(llm_asks_again_after_a_call_that_nobody_can_read)
{
    static const char *const bad[] = {
        ANSWER("400 Bad",
            "{\"error\":{\"message\":\"Failed to call a function.\",\"code\":\"tool_use_failed\"}}"),
        FAKE_OK("text/event-stream") "data: {\"error\":{\"message\":\"Failed to call a function.\",\"type\":"
                                     "\"invalid_request_error\",\"code\":\"tool_use_failed\"}}\n\n",
        FAKE_OK(
            "text/event-stream") "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"},\"finish_reason\":"
                                 "\"function_call_filter: MALFORMED_FUNCTION_CALL\"}]}\n\ndata: [DONE]\n\n",
        FAKE_OK("text/event-stream") "data: {\"choices\":[{\"delta\":{},\"finish_reason\":"
                                     "\"MALFORMED_FUNCTION_CALL\"}]}\n\ndata: [DONE]\n\n"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct llm_run run = {.kind = "openai"};
        struct fake_reply script[] = {{.text = bad[i]}, {.text = GOOD}};
        llm_run(&run, script, 2);
        assert_int_equal(run.tries, 2);
        assert_int_equal(run.err.rc, RC_OK);
        llm_run_release(&run);
    }
}
