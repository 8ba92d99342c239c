#include "web/transfer/transfer_view.h"

#include "app/transfer/import.h"
#include "web/page/humanize.h"
#include "web/page/views.h"
#include "web/transfer/transfer_resource.h"

#define KIB 1024
#define MIB (1024 * KIB)

static const struct {
    const char *word, *label;
} formats[] = {
    {"chatgpt", "Import from ChatGPT"},
    {"openwebui", "Import from Open WebUI"},
    {"alfred", "Import from Alfred"},
};

static const char *label_of(const struct transfer *t)
{
    if (t->kind == TRANSFER_EXPORT)
        return "Export";
    for (size_t i = 0; i < ARRAY_LEN(formats); i++)
        if (strcmp(formats[i].word, t->format) == 0)
            return formats[i].label;
    return "Import";
}

static const char *progress_words(struct arena *a, const struct transfer *t)
{
    const char *at = humanize_number(a, t->done + t->skipped), *all = humanize_number(a, t->total);
    return t->total ? arena_printf(a, "%s of %s conversations", at, all) : "Reading the file";
}

static const char *status_words(
    struct arena *a, const struct lang *l, const struct transfer *t, enum transfer_phase p)
{
    switch (p) {
    case TRANSFER_PHASE_WAITS: return "Waiting";
    case TRANSFER_PHASE_RUNS: return progress_words(a, t);
    case TRANSFER_PHASE_DONE:
        return t->kind == TRANSFER_IMPORT ? import_result_words(a, t)
                                          : humanize_count(a, t->done, "conversation", "conversations");
    case TRANSFER_PHASE_FAILED: break;
    }
    const char *why = transfer_error(a, l, t, p);
    bool some = t->kind == TRANSFER_IMPORT && (t->done || t->skipped);
    return some ? arena_printf(a, "%s Until then: %s.", why, import_result_words(a, t)) : why;
}

/* "377 bytes", "24 KB", "1.5 MB" */
static const char *bytes_words(struct arena *a, int64_t n)
{
    if (n < KIB)
        return humanize_count(a, n, "byte", "bytes");
    if (n < MIB)
        return arena_printf(a, "%lld KB", (long long)(n / KIB));
    int64_t tenths = n * 10 / MIB;
    return tenths < 100 ? arena_printf(a, "%lld.%lld MB", (long long)(tenths / 10), (long long)(tenths % 10))
                        : arena_printf(a, "%s MB", humanize_number(a, n / MIB));
}

bool transfer_is_going(enum transfer_phase p)
{
    return p == TRANSFER_PHASE_WAITS || p == TRANSFER_PHASE_RUNS;
}

void transfer_view(const struct req *r, struct view *v, const struct transfer *t, enum transfer_phase p)
{
    struct arena *a = r->arena;
    const struct locale l = req_locale(r);
    transfer_resource(a, r->lang, v, t, p);
    view_text(v, "label", label_of(t));
    view_text(v, "status_words", status_words(a, r->lang, t, p));
    view_bool(v, "going", transfer_is_going(p));
    view_bool(v, "failed", p == TRANSFER_PHASE_FAILED);
    view_text(v, "size_words", t->bytes ? bytes_words(a, t->bytes) : NULL);
    view_text(v, "until_exact",
        transfer_has_file(t, p) ? humanize_exact(a, &l, t->ended_at + TRANSFER_KEEP_MS) : NULL);
    view_bool(v, "brought", t->kind == TRANSFER_IMPORT && t->done > 0);
    view_created_words(a, v, &l, t->created_at);
}
