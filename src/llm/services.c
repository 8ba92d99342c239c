/*
 * Services whose form of the chat completions API differs from the common one, recognised by their host. As
 * of 2026-11, from the services' pages and from reports of refused requests:
 *
 *     OpenAI, Azure      max_completion_tokens instead of max_tokens, which models that reason refuse; models
 *                        with OpenAI's names do so behind gateways, too (models_rules.c)
 *     Mistral            no stream_options; the usage comes always
 *     DeepSeek, Kimi     in thinking mode, every earlier answer needs its reasoning_content; it must not be
 *                        empty, also where another model wrote the answer
 *     Gemini             every call needs the thought signature that came with it. For calls of other models
 *                        there is a documented one that is not checked
 *                        (https://ai.google.dev/gemini-api/docs/thought-signatures).
 *     OpenAI, Anthropic, OpenRouter
 *                        have a web search of their own, OpenAI at /responses, OpenRouter as a server tool
 *                        (https://openrouter.ai/docs/guides/features/server-tools/web-search). Models of
 *                        Perplexity search without being asked to (sources.c).
 */
#include <string.h>
#include <strings.h>

#include "llm/internal.h"
#include "llm/models.h"

static const struct {
    const char *host; /* or a domain that ends in it */
    enum llm_service service;
} services[] = {
    {"api.openai.com", LLM_SERVICE_OPENAI},
    {"openai.azure.com", LLM_SERVICE_AZURE},
    {"services.ai.azure.com", LLM_SERVICE_AZURE},
    {"cognitiveservices.azure.com", LLM_SERVICE_AZURE},
    {"api.mistral.ai", LLM_SERVICE_MISTRAL},
    {"api.deepseek.com", LLM_SERVICE_DEEPSEEK},
    {"api.moonshot.ai", LLM_SERVICE_KIMI},
    {"api.moonshot.cn", LLM_SERVICE_KIMI},
    {"generativelanguage.googleapis.com", LLM_SERVICE_GEMINI},
    {"aiplatform.googleapis.com", LLM_SERVICE_GEMINI},
    {"api.anthropic.com", LLM_SERVICE_ANTHROPIC},
    {"openrouter.ai", LLM_SERVICE_OPENROUTER},
};

struct str llm_host_of(struct str url)
{
    const char *scheme = memmem(url.s, url.len, "://", 3);
    struct str host = scheme ? str_from(url, (size_t)(scheme - url.s) + 3) : url;
    size_t n = 0;
    while (n < host.len && !strchr(":/?#", host.s[n]))
        n++;
    return (struct str){host.s, n};
}

static bool is_in(struct str host, const char *domain)
{
    size_t n = strlen(domain);
    if (host.len < n || strncasecmp(host.s + host.len - n, domain, n) != 0)
        return false;
    /* regional hosts of Vertex AI are named like "europe-west4-aiplatform.googleapis.com" */
    return host.len == n || host.s[host.len - n - 1] == '.' || host.s[host.len - n - 1] == '-';
}

enum llm_service llm_service_of(const char *base_url)
{
    struct str host = llm_host_of(str_of(base_url ? base_url : ""));
    for (size_t i = 0; i < ARRAY_LEN(services); i++)
        if (is_in(host, services[i].host))
            return services[i].service;
    return LLM_SERVICE_OTHER;
}

bool llm_wants_reasoning_back(const char *base_url)
{
    enum llm_service s = llm_service_of(base_url);
    return s == LLM_SERVICE_DEEPSEEK || s == LLM_SERVICE_KIMI;
}

bool llm_is_openai(const char *base_url)
{
    return llm_service_of(base_url) == LLM_SERVICE_OPENAI;
}

bool llm_searches_web(const char *base_url)
{
    enum llm_service s = llm_service_of(base_url);
    return s == LLM_SERVICE_OPENAI || s == LLM_SERVICE_ANTHROPIC || s == LLM_SERVICE_OPENROUTER;
}

bool llm_searches_by_responses(const char *kind, const char *base_url)
{
    return strcmp(kind, "openai") == 0 && llm_service_of(base_url) != LLM_SERVICE_OPENROUTER;
}
