/* The result of an import in words. */
#include "app/import/import.h"

#include "base/strbuf.h"

#define WORDS_MAX 1024 /* bytes */

struct part {
    const char *key;
    int64_t n;
};

/* Those that are not 0, with commas between them. */
static void add_parts(
    struct strbuf *b, const struct lang *l, const struct part *parts, size_t n, const char *between)
{
    for (size_t i = 0; i < n; i++) {
        if (!parts[i].n)
            continue;
        strbuf_adds(b, between);
        lang_add_count(b, l, parts[i].key, parts[i].n, NULL);
        between = ", ";
    }
}

const char *import_result_words(struct arena *a, const struct lang *l, const struct transfer *t)
{
    const struct part results[] = {{"import.grown", t->grown}, {"import.facts", t->facts},
        {"import.paused", t->paused}, {"import.pictures_left_out", t->pictures_left_out},
        {"import.skipped", t->skipped}};
    const struct part reasons[] = {{"import.known", t->known}, {"import.changed", t->changed},
        {"import.lost", t->skipped - t->known - t->changed}};
    AUTO_STRBUF out;
    strbuf_init(&out, WORDS_MAX);
    lang_add_count(&out, l, "count.conversations", t->done - t->grown, NULL);
    add_parts(&out, l, results, ARRAY_LEN(results), ", ");
    add_parts(&out, l, reasons, ARRAY_LEN(reasons), ""); /* "skipped: " ends with a space */
    return arena_strndup(a, out.s, out.len);
}
