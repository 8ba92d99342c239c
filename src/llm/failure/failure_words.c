/* The words by which the reason of a refusal is known. */
#include "llm/failure/failure_private.h"

/* LM Studio: "Cannot truncate prompt with n_keep (14169) >= n_ctx (4096)"; Together and TGI: "`inputs` tokens
 * + `max_new_tokens` must be <= 8192"; DashScope: "Range of input length should be [1, 129024]"; SiliconFlow:
 * "length of prompt_tokens (48322) must be less than max_seq_len (32768)"; Vertex: "the input token count is
 * 1251952 but model only supports up to 1048576". Bedrock's "ThrottlingException: Too many tokens, please
 * wait" is about a rate. */
bool told_is_too_long(const struct told *t)
{
    if (MENTIONS(t, "throttling"))
        return false;
    return MENTIONS(t, "context_length", "context length", "context window", "context size", ">= n_ctx",
        "prompt is too long", "maximum context", "too many tokens", "request_too_large", "input is too long",
        "too large to process", "must have less than", "maximum number of tokens", "exceed context limit",
        "model token limit", "maximum prompt length", "prompt exceeds max length", "maximum model length",
        "`max_new_tokens` must be", "range of input length", "max_seq_len", "prompt token count",
        "input tokens exceed", "input token count", "max input token", "maximum allowed input length",
        "more than max tokens allowed");
}

/* OpenAI: "Request too large for gpt-4.1 in organization org-x on tokens per min (TPM): Limit 30000,
 * Requested 37313. The input or output tokens must be reduced in order to run successfully." */
bool told_is_over_rate(const struct told *t)
{
    return MENTIONS(t, "request too large", "tokens must be reduced");
}

/* Phrases of Ollama, OpenRouter, vLLM, llama.cpp, LM Studio and gateways. LiteLLM: "nvidia_nim does not
 * support parameters: ['tools'], for model=x". */
bool told_is_without_tools(const struct told *t)
{
    if (MENTIONS(t, "does not support parameters") && MENTIONS(t, "'tools'"))
        return true;
    return MENTIONS(t, "support tools", "support tool", "supports tool", "tools is not supported",
        "tools are not supported", "tool use is not supported", "tool calling is not", "tool calls are not",
        "tool choice requires", "support function", "function calling is not", "functions are not supported",
        "tools param requires", "unsupported param: tools", "unsupported parameter: 'tools'",
        "tools not supported", "unknown parameter: 'tools'", "failed to parse grammar");
}

/* OpenAI: "Invalid schema for function 'x': In context=('properties', 'a'), array schema missing items.",
 * "Invalid 'tools': array too long. Expected an array with maximum length 128"; Anthropic:
 * "tools.0.custom.input_schema: JSON schema is invalid"; Gemini:
 * "GenerateContentRequest.tools[0].function_declarations[3].parameters.properties[a].items: missing field.";
 * llama.cpp: "JSON schema conversion failed". */
bool told_is_about_tool_schema(const struct told *t)
{
    return MENTIONS(t, "invalid schema for function", "invalid_function_parameters", "input_schema",
               "function_declarations[", "schema conversion failed") ||
           (MENTIONS(t, "array too long") && MENTIONS(t, "'tools'"));
}

/* DeepSeek: "messages[1]: unknown variant `image_url`, expected `text`"; Groq: "messages[0].content must be a
 * string"; vLLM: "MODEL is not a multimodal model", "At most 0 image(s) may be provided in one prompt.";
 * OpenAI: "image_url is only supported by certain models."; OpenRouter: "No endpoints found that support
 * image input"; llama.cpp: "image input is not supported - hint: ... the mmproj"; Ollama: "this model does
 * not support image input", "this model is missing data required for image input". */
bool told_is_without_pictures(const struct told *t)
{
    return MENTIONS(t, "unknown variant `image_url`", "content must be a string", "not a multimodal model",
        "at most 0 image", "only supported by certain models", "endpoints found that support image",
        "image input is not supported", "image inputs are not supported", "images are not supported",
        "not support image", "image_url is not supported", "content part type", "required for image input",
        "does not support vision", "image content is not supported");
}

/* vLLM: "At most 1 image(s) may be provided in one prompt."; Groq: "Too many images provided. This model
 * supports up to 5 images." Anthropic: "too many total images". */
bool told_is_many_pictures(const struct told *t)
{
    return told_number_after(t->message, "at most ", 1) > 0
               ? MENTIONS(t, "image(s)")
               : MENTIONS(t, "too many images", "too many total images", "maximum number of images");
}

/* OpenAI: "Hosted tool 'web_search' is not supported with gpt-4.1-nano.", "The following tools cannot be used
 * with reasoning.effort 'minimal': web_search."; Anthropic, of older models: "'claude-3-haiku-20240307' does
 * not support tool types: web_search_20250305", and that the organisation has not enabled web search. */
bool told_is_without_search(const struct told *t)
{
    return MENTIONS(t, "web_search", "web search");
}

/* OpenAI and Anthropic; OpenAI's newer models refuse it together with tools. Ollama: "think value "medium" is
 * not supported for this model", "MODEL does not support thinking"; xAI: "Model MODEL does not support
 * parameter reasoningEffort." */
bool told_is_without_effort(const struct told *t)
{
    if (MENTIONS(t, "reasoning_effort", "reasoning effort", "reasoning.effort", "reasoningeffort",
            "effort parameter", "think value", "does not support thinking"))
        return true;
    return MENTIONS(t, "output_config") && !MENTIONS(t, "output_config.format");
}

bool told_is_about_temperature(const struct told *t)
{
    return MENTIONS(t, "temperature");
}

/* OpenAI: "Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value
 * is supported."; Anthropic: "`temperature` may only be set to 1 when thinking is enabled", "`temperature` is
 * deprecated for this model". Other refusals are about the number: "must be less than or equal to 1". */
bool told_is_without_temperature(const struct told *t)
{
    return told_is_about_temperature(t) && MENTIONS(t, "support", "only be set", "deprecated", "not allowed");
}

/* OpenAI: "Unsupported parameter: 'top_p' is not supported with this model."; Anthropic: "`top_p` must be
 * greater than or equal to 0.95 or unset". */
bool told_is_about_top_p(const struct told *t)
{
    return MENTIONS(t, "top_p");
}

/* DeepSeek: "The `reasoning_content` in the thinking mode must be passed back to the API."; Kimi: "thinking
 * is enabled but reasoning_content is missing in assistant tool call message at index 2". */
bool told_is_without_reasoning(const struct told *t)
{
    return MENTIONS(t, "reasoning_content") && MENTIONS(t, "passed back", "missing", "requires");
}

/* Anthropic: "Invalid `signature` in `thinking` block. The block is bound to a different conversation."
 * Gateways give the reasoning a name that the server behind them does not take back. Mistral:
 * "body.messages.2.assistant.reasoning_content: Extra inputs are not permitted"; Groq: "property
 * 'reasoning_content' is unsupported". */
bool told_is_foreign_thinking(const struct told *t)
{
    if (MENTIONS(t, "thinking") && MENTIONS(t, "signature", "bound to a different"))
        return true;
    return MENTIONS(t, "reasoning_content", "reasoning_details", "thinking_blocks", "'reasoning'",
               "assistant.reasoning:") &&
           MENTIONS(t, "extra inputs", "extra_forbidden", "is unsupported", "unknown parameter");
}

/* OpenAI, for some models: "Your organization must be verified to stream this model." */
bool told_is_without_stream(const struct told *t)
{
    return MENTIONS(t, "verified to stream", "does not support streaming", "streaming is not supported");
}

/* OpenAI: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'
 * instead."; older servers: "Extra inputs are not permitted", "unknown field "max_completion_tokens"". */
bool told_is_about_limit_name(const struct told *t)
{
    return MENTIONS(t, "use 'max_completion_tokens' instead") ||
           (MENTIONS(t, "max_completion_tokens") &&
               MENTIONS(t, "extra inputs", "extra_forbidden", "unknown", "unrecognized", "unsupported"));
}

/* Databricks: "json: unknown field "stream_options""; older servers: "Extra inputs are not permitted, field:
 * 'stream_options'". */
bool told_is_without_usage(const struct told *t)
{
    return MENTIONS(t, "stream_options", "include_usage");
}

/* MiMo: "`text` is not set", "`text` is not present"; LM Studio: "'content' field must be a string or an
 * array of objects"; GLM at Ollama's cloud: "invalid message content type: <nil>". */
bool told_is_without_null(const struct told *t)
{
    return MENTIONS(t, "`text` is not", "'content' field must be a string or", "content type: <nil>");
}

/* Gemini, of Gemma: "Developer instruction is not enabled for models/MODEL"; templates: "System role not
 * supported", "Only user and assistant roles are supported!", "Only user, assistant and tool roles are
 * supported, got system"; MiniMax: "invalid message role: system". Others count the system message as the
 * first turn: "Conversation roles must alternate user/assistant/user/assistant/...". */
bool told_is_without_system(const struct told *t)
{
    return MENTIONS(t, "developer instruction is not enabled", "system role not supported",
        "system role is not supported", "does not support 'system'", "support system messages",
        "only user and assistant roles", "supported, got system", "message role: system",
        "conversation roles must alternate");
}

/* Gemini and xAI answer it with 400. */
bool told_is_wrong_key(const struct told *t)
{
    return MENTIONS(t, "api key not valid", "api_key_invalid", "api key expired", "incorrect api key");
}

/* OpenAI: "max_tokens is too large: 100000. This model supports at most 16384 completion tokens"; Anthropic:
 * "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens"; vLLM: "max_tokens=38000
 * cannot be greater than max_model_len"; DeepSeek: "the valid range of max_tokens is [1, 8192]"; Bedrock:
 * "The maximum tokens you requested exceeds the model limit of 32768". */
bool told_is_too_long_answer(const struct told *t)
{
    if (MENTIONS(t, "maximum tokens you requested exceeds"))
        return true;
    return MENTIONS(t, "max_tokens", "max_completion_tokens", "max_output_tokens") &&
           MENTIONS(t, "too large", "maximum allowed", "at most", "maximum value", "less than or equal",
               "cannot be greater", "range of max_tokens");
}

/* "Function tools with reasoning_effort are not supported for MODEL in /v1/chat/completions. Please use
 * /v1/responses instead", "This model is only supported in v1/responses and not in v1/chat/completions.",
 * "This is not a chat model and thus not supported in the v1/chat/completions endpoint."; GitHub Copilot has
 * the code unsupported_api_for_model. Bedrock: "The model 'x' does not support the '/v1/chat/completions'
 * API". */
bool told_is_for_responses(const struct told *t)
{
    return (MENTIONS(t, "v1/responses") && MENTIONS(t, "v1/chat/completions")) ||
           MENTIONS(t, "this is not a chat model", "unsupported_api_for_model",
               "does not support the '/v1/chat/completions'");
}

/* Anthropic, llama.cpp, and Mistral. */
bool told_is_without_prefill(const struct told *t)
{
    return MENTIONS(
        t, "message prefill", "response prefill", "must end with a user message", "Expected last role User");
}

bool told_is_loading(const struct told *t)
{
    return MENTIONS(t, "loading model", "model is loading", "currently loading", "still loading");
}

/* OpenRouter: "Your input was flagged for "violence"", "requires moderation". */
bool told_is_flagged(const struct told *t)
{
    return MENTIONS(t, "flagged", "moderation");
}

/* Groq; the next attempt often succeeds. */
bool told_is_bad_call(const struct told *t)
{
    return MENTIONS(t, "tool_use_failed", "failed to call a function");
}

/* OpenRouter: "No endpoints found matching your data policy", "No allowed providers are available for the
 * selected model"; Hugging Face: "not supported by any provider you have enabled". */
bool told_is_of_account(const struct told *t)
{
    return MENTIONS(t, "data policy", "no allowed providers", "provider you have enabled");
}

/* Cerebras: "Tokens per day limit exceeded"; Kimi: "organization TPD rate limit"; GitHub: "exceeded for
 * UserByModelByDay". */
bool told_is_of_day(const struct told *t)
{
    return MENTIONS(t, "per day", "TPD rate limit", "RPD rate limit", "ByDay");
}

bool told_is_no_model(const struct told *t, const char *model)
{
    if (MENTIONS(t, "model_not_found", "not_found_error", "deploymentnotfound"))
        return true;
    return contains_nocase(t->message, model) ||
           (MENTIONS(t, "model", "deployment") && MENTIONS(t, "not found", "does not exist"));
}

/* Servers that do not answer with 404. Mistral: "Invalid model: x", with a type; OpenRouter: "x is not a
 * valid model ID"; Groq: "The model `x` has been decommissioned"; DeepSeek: "Model Not Exist"; LiteLLM:
 * "Invalid model name passed in model=x"; llama.cpp: "model 'x' not found"; LM Studio: "Invalid model
 * identifier "x""; Bedrock: "The provided model identifier is invalid."; GitHub: "Unknown model: x"; NVIDIA:
 * "The model 'x' has reached its end of life". */
bool told_is_absent_model(const struct told *t)
{
    if (MENTIONS(t, "invalid_model", "not a valid model id", "model_decommissioned", "model not exist",
            "invalid model name", "model_not_found", "unknown model", "invalid model identifier",
            "model identifier is invalid", "reached its end of life"))
        return true;
    return str_starts_nocase(t->message, STR("model")) && MENTIONS(t, "not found");
}

/* OpenRouter, which takes the model's longest answer for the limit: "This request requires more credits, or
 * fewer max_tokens. You requested up to 65536 tokens, but can only afford 30104." */
int64_t told_affordable(const struct told *t)
{
    return told_number_after(t->message, "can only afford ", 1);
}

/* Gemini names the billing details in every refusal for a quota, also for one per minute. A limit of 0 is
 * that of a model which the account must pay for. */
bool told_is_out_of_credit(const struct told *t)
{
    if (MENTIONS(t, "insufficient_quota", "credit balance", "insufficient credits", "credits are depleted",
            "insufficient balance", "余额不足", "reached your specified api usage limits",
            "used all available credits", "run out of credits", "spending limit"))
        return true;
    bool quota = t->retry_after_s > 0 || MENTIONS(t, "resource_exhausted");
    return quota ? MENTIONS(t, "limit: 0,") : MENTIONS(t, "billing");
}
