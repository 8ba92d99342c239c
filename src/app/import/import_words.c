/* The result of an import in words. */
#include "app/import/import.h"

#include "base/strbuf.h"

#define WORDS_MAX 1024 /* bytes */

const char *import_result_words(struct arena *a, const struct lang *l, const struct transfer *t)
{
    const struct {
        const char *key;
        int64_t n;
    } reasons[] = {{"import.known", t->known}, {"import.changed", t->changed},
        {"import.lost", t->skipped - t->known - t->changed}};
    const char *between = "";
    AUTO_STRBUF out;
    strbuf_init(&out, WORDS_MAX);
    lang_add_count(&out, l, "count.conversations", t->done - t->grown, NULL);
    if (t->grown) {
        strbuf_adds(&out, ", ");
        lang_add_count(&out, l, "import.grown", t->grown, NULL);
    }
    if (t->facts) {
        strbuf_adds(&out, ", ");
        lang_add_count(&out, l, "import.facts", t->facts, NULL);
    }
    if (t->paused) {
        strbuf_adds(&out, ", ");
        lang_add_count(&out, l, "import.paused", t->paused, NULL);
    }
    if (t->skipped) {
        strbuf_adds(&out, ", ");
        lang_add_count(&out, l, "import.skipped", t->skipped, NULL);
    }
    for (size_t i = 0; i < ARRAY_LEN(reasons); i++) {
        if (!reasons[i].n)
            continue;
        strbuf_adds(&out, between);
        lang_add_count(&out, l, reasons[i].key, reasons[i].n, NULL);
        between = ", ";
    }
    return arena_strndup(a, out.s, out.len);
}
