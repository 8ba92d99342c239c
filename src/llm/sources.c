/* The sources of a text that a web search found, as links behind the text: " ([example.org](<https://...>))".
 * So they are in the stored answer, and every page, chat and program shows them. */
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

static bool is_repeated(const json_t *citations, size_t at, struct str url)
{
    for (size_t i = 0; i < at; i++)
        if (str_eq(llm_json_str(json_array_get(citations, i), "url"), url))
            return true;
    return false;
}

void llm_add_sources(struct strbuf *out, const json_t *citations, struct str text)
{
    size_t n = 0, i;
    json_t *citation;
    json_array_foreach(citations, i, citation)
    {
        struct str url = llm_json_str(citation, "url"), label = label_of(url);
        if (n == LLM_SOURCES_MAX || label.len == 0 || is_repeated(citations, i, url) ||
            memmem(text.s, text.len, url.s, url.len))
            continue;
        strbuf_addf(out, "%s[%.*s](<%.*s>)", n++ ? ", " : " (", STR_FMT(label), STR_FMT(url));
    }
    strbuf_adds(out, n ? ")" : "");
}
