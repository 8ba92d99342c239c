/* Answers of a search server: whatever is read is within the caps, on one line, and links that a page may
 * show. */
#include <stdlib.h>

#include "app/searxng/searxng.h"
#include "base/utf8.h"
#include "codec/url.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(struct str s, size_t max)
{
    if (!s.s || s.s[s.len] || s.len > max || !utf8_valid_text(s))
        abort();
    for (struct str rest = s; rest.len;)
        if (utf8_is_control(utf8_next(&rest, NULL)))
            abort();
}

static void check_entry(const struct searxng_entry *one)
{
    check_text(one->title, SEARXNG_TITLE_MAX);
    check_text(one->text, SEARXNG_TEXT_MAX);
    check_text(one->published, sizeof "2026-03-01" - 1);
    if (!one->url.s ||
        (one->url.len && (!url_link_allowed(one->url) || !str_starts_nocase(one->url, STR("https://")))))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) a = arena_new();
    struct searxng_found found;
    if (searxng_read(a, (struct str){(const char *)data, size}, &found, NULL) != RC_OK)
        return 0;
    if (found.results_n > SEARXNG_RESULTS_MAX || found.answers_n > SEARXNG_ANSWERS_MAX)
        abort();
    for (size_t i = 0; i < found.results_n; i++) {
        check_entry(&found.results[i]);
        if (!found.results[i].url.len)
            abort();
    }
    for (size_t i = 0; i < found.answers_n; i++) {
        check_entry(&found.answers[i]);
        if (!found.answers[i].text.len)
            abort();
    }
    return 0;
}
