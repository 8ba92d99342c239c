/*
 * Reads the numbers in a refusal of a prompt that is too long. The sentences are those of OpenAI, Anthropic,
 * Gemini, Mistral, OpenRouter, Kimi, xAI, vLLM, SGLang, LM Studio, llama-cpp-python, Together, DashScope,
 * SiliconFlow, Cerebras, Fireworks, Cohere, GitHub Models and Copilot. llama.cpp has members for both
 * numbers.
 */
#include <string.h>
#include <strings.h>

#include "llm/failure/failure_private.h"

#define WORDS_BETWEEN 24 /* bytes between a phrase and its number */
#define TOKENS_LEAST  64 /* smaller numbers are status codes or counts of messages */
#define TOKENS_MOST   INT64_C(1000000000)

/* "4096", "4,096" or "4_096". */
static int64_t number_at(struct str s)
{
    int64_t n = 0;
    for (size_t i = 0; i < s.len && n < TOKENS_MOST; i++) {
        bool digit = s.s[i] >= '0' && s.s[i] <= '9';
        bool parts =
            (s.s[i] == ',' || s.s[i] == '_') && i + 1 < s.len && s.s[i + 1] >= '0' && s.s[i + 1] <= '9';
        if (!digit && !parts)
            break;
        if (digit)
            n = 10 * n + (s.s[i] - '0');
    }
    return n < TOKENS_MOST ? n : 0;
}

struct str told_after(struct str text, const char *phrase)
{
    size_t n = strlen(phrase);
    for (size_t i = 0; i + n <= text.len; i++)
        if (strncasecmp(text.s + i, phrase, n) == 0)
            return str_from(text, i + n);
    return STR("");
}

int64_t told_number_after(struct str text, const char *phrase, int64_t least)
{
    for (struct str rest = told_after(text, phrase); rest.len; rest = told_after(rest, phrase)) {
        for (size_t k = 0; k < rest.len && k < WORDS_BETWEEN; k++) {
            if (rest.s[k] >= '0' && rest.s[k] <= '9') {
                int64_t number = number_at(str_from(rest, k));
                return number >= least ? number : 0;
            }
            if (rest.s[k] == '.')
                break;
        }
    }
    return 0;
}

static int64_t first_of(struct str text, const char *const *phrases, size_t n)
{
    int64_t found = 0;
    for (size_t i = 0; i < n && !found; i++)
        found = told_number_after(text, phrases[i], TOKENS_LEAST);
    return found;
}

void llm_read_window(struct str message, int64_t *window, int64_t *prompt_tokens)
{
    static const char *const limits[] = {"tokens >", " > ", "context length is", "context length of",
        "context window of", "context window is", "context size of", "context size is", "tokens allowed",
        "model with", "maximum of", "limit of", "context limit", "model token limit:", "prompt length is",
        "(TPM): Limit", "n_ctx", "only supports", "maximum model length of",
        "`max_new_tokens` must be <=", "input length should be [1,", "max_seq_len", "while limit is",
        "max size:", "context length (", "context length:", "cannot exceed", "allowed input length of"};
    static const char *const sent[] = {"prompt contains", "you requested", "requested tokens", "resulted in",
        "prompt is too long:", "input token count", "you passed", "keep the first", "your request has",
        "your prompt has", "exceed context limit:", "(requested:", "request contains", ", Requested",
        "n_keep", "input has", "prompt (length", "Given:", "prompt_tokens (", "max_total_tokens (",
        "Current length is", "The input (", "- received", "token count of", "input length "};
    if (!*window)
        *window = first_of(message, limits, ARRAY_LEN(limits));
    if (!*prompt_tokens)
        *prompt_tokens = first_of(message, sent, ARRAY_LEN(sent));
    if (*window && *prompt_tokens && *prompt_tokens < *window / 2) /* one of them is another number */
        *prompt_tokens = 0;
}
