/* The sources of a text that a web search found, as links behind the text: " ([example.org](<https://...>))",
 * or numbered where the text names their numbers. So they are in the stored answer, and every page, chat and
 * program shows them. */
#include "codec/url.h"
#include "llm/internal.h"

#define HOST_CHARS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-."

/* "example.org" of "https://www.example.org/page"; empty for an address that no page may link to. The page's
 * title is not shown, because anybody may have written it. */
static struct str label_of(struct str url)
{
    struct str host = llm_host_of(url);
    if (!url_link_allowed(url) || memchr(url.s, '<', url.len) || memchr(url.s, '>', url.len))
        return STR("");
    for (size_t i = 0; i < host.len; i++)
        if (!strchr(HOST_CHARS, host.s[i]))
            return STR("");
    return str_starts(host, STR("www.")) ? str_from(host, strlen("www.")) : host;
}

static struct str url_of(const json_t *citation)
{
    struct str own = llm_json_str(citation, "url");
    return own.len ? own : llm_json_str(json_object_get(citation, "url_citation"), "url");
}

static bool is_repeated(const json_t *citations, size_t at, struct str url)
{
    for (size_t i = 0; i < at; i++)
        if (str_eq(url_of(json_array_get(citations, i)), url))
            return true;
    return false;
}

void llm_add_sources(struct strbuf *out, const json_t *citations, struct str text)
{
    size_t n = 0, i;
    json_t *citation;
    json_array_foreach(citations, i, citation)
    {
        struct str url = url_of(citation), label = label_of(url);
        if (n == LLM_SOURCES_MAX || label.len == 0 || is_repeated(citations, i, url) ||
            memmem(text.s, text.len, url.s, url.len))
            continue;
        strbuf_addf(out, "%s[%.*s](<%.*s>)", n++ ? ", " : " (", STR_FMT(label), STR_FMT(url));
    }
    strbuf_adds(out, n ? ")" : "");
}

static void note_search(struct llm_reading *in)
{
    if (!in->searched)
        llm_emit_search(in->call, STR(""));
    in->searched = true;
}

void llm_read_sources(struct llm_reading *in, const json_t *citations)
{
    if (!in->searches || json_array_size(citations) == 0)
        return;
    note_search(in);
    AUTO_STRBUF links;
    strbuf_init(&links, LLM_SOURCES_BYTES_MAX);
    llm_add_sources(&links, citations, strbuf_str(&in->said));
    strbuf_addstr(&in->said, strbuf_str(&links));
    llm_emit_text(in->call, LLM_TEXT, strbuf_str(&links));
}

void llm_read_searches(struct llm_reading *in, const json_t *usage)
{
    const json_t *used = json_object_get(usage, "server_tool_use");
    if (in->searches && llm_json_int(used, "web_search_requests", 0) > 0)
        note_search(in);
}

/* https://docs.perplexity.ai/api-reference: `search_results` has {title, url, date}, the older `citations`
 * only addresses; xAI's live search sent the latter, too. Both come in many events, complete in the last. */
void llm_read_results(struct llm_reading *in, const json_t *obj)
{
    json_t *results = json_object_get(obj, "search_results");
    if (json_array_size(results) == 0)
        results = json_object_get(obj, "citations");
    if (!in->lists_results || json_array_size(results) == 0)
        return;
    json_decref(in->results);
    in->results = json_incref(results);
}

void llm_emit_results(struct llm_reading *in)
{
    size_t i, n = 0;
    json_t *result;
    AUTO_STRBUF links;
    strbuf_init(&links, (size_t)LLM_RESULTS_MAX * 4096);
    json_array_foreach(in->results, i, result)
    {
        struct str url = {json_string_value(result), json_string_length(result)};
        url = json_is_string(result) ? url : url_of(result);
        struct str label = label_of(url);
        if (i == LLM_RESULTS_MAX)
            break;
        if (label.len)
            strbuf_addf(
                &links, "%s[%zu] [%.*s](<%.*s>)", n++ ? ", " : "\n\n", i + 1, STR_FMT(label), STR_FMT(url));
    }
    if (!n)
        return;
    note_search(in);
    llm_emit_text(in->call, LLM_TEXT, strbuf_str(&links));
}
