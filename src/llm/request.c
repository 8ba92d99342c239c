/* Shared by all requests to a provider. */
#include <string.h>

#include "llm/internal.h"

#define ANTHROPIC_VERSION "2023-06-01"

const char *llm_url(struct arena *a, const char *base_url, const char *path)
{
    const char *query = strchr(base_url, '?');
    size_t n = query ? (size_t)(query - base_url) : strlen(base_url);
    while (n && base_url[n - 1] == '/')
        n--;
    return arena_printf(a, "%.*s%s%s", (int)n, base_url, path, query ? query : "");
}

bool llm_form_adapt(struct llm_form *f, const struct llm_form *known, enum llm_problem problem)
{
    bool *differs = problem == LLM_PROBLEM_NO_STREAM   ? &f->whole
                    : problem == LLM_PROBLEM_NO_SYSTEM ? &f->no_system
                    : problem == LLM_PROBLEM_NO_USAGE  ? &f->no_usage
                    : problem == LLM_PROBLEM_NO_NULL   ? &f->no_null
                    : problem == LLM_PROBLEM_NO_SEARCH ? &f->no_search
                                                       : NULL;
    if (problem == LLM_PROBLEM_LIMIT_NAME && f->other_limit == known->other_limit) {
        f->other_limit = !known->other_limit;
        return true;
    }
    if (!differs || *differs)
        return false;
    *differs = true;
    return true;
}

size_t llm_headers(const char *kind, const char *type, const struct llm_settings *s, struct arena *a,
    struct http_header *out)
{
    bool anthropic = strcmp(kind, "anthropic") == 0;
    size_t n = 0;
    out[n++] = (struct http_header){"Content-Type", type};
    if (anthropic)
        out[n++] = (struct http_header){"anthropic-version", ANTHROPIC_VERSION};
    if (s->key && s->key_header)
        out[n++] = (struct http_header){s->key_header, s->key};
    else if (s->key)
        out[n++] = anthropic ? (struct http_header){"x-api-key", s->key}
                             : (struct http_header){"Authorization", arena_printf(a, "Bearer %s", s->key)};
    for (size_t i = 0; i < s->headers_n && i < LLM_HEADERS_MORE; i++)
        out[n++] = s->headers[i];
    return n;
}
