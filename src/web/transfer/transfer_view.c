#include "web/transfer/transfer_view.h"

#include "app/import/import.h"
#include "base/humanize.h"
#include "web/page/views.h"
#include "web/transfer/transfer_resource.h"

static const struct {
    const char *word, *name;
} formats[] = {
    {"chatgpt", "ChatGPT"},
    {"librechat", "LibreChat"},
    {"openwebui", "Open WebUI"},
    {"claude", "Claude"},
    {"alfred", "Alfred"},
};

static const char *label_of(struct arena *a, const struct lang *l, const struct transfer *t)
{
    if (t->kind == TRANSFER_EXPORT)
        return lang_text(l, "import.export");
    for (size_t i = 0; i < ARRAY_LEN(formats); i++)
        if (strcmp(formats[i].word, t->format) == 0)
            return lang_fill(a, l, "import.from", LANG_ARGS({"product", formats[i].name}));
    return lang_text(l, "import.import");
}

static const char *progress_words(struct arena *a, const struct lang *l, const struct transfer *t)
{
    const char *at = humanize_number(a, l, t->done + t->skipped);
    return t->total ? lang_count(a, l, "import.progress", t->total, LANG_ARGS({"done", at}))
                    : lang_text(l, "import.reading");
}

static const char *status_words(
    struct arena *a, const struct lang *l, const struct transfer *t, enum transfer_phase p)
{
    switch (p) {
    case TRANSFER_PHASE_WAITS: return lang_text(l, "import.waiting");
    case TRANSFER_PHASE_RUNS: return progress_words(a, l, t);
    case TRANSFER_PHASE_DONE:
        return t->kind == TRANSFER_IMPORT ? import_result_words(a, l, t)
                                          : lang_count(a, l, "count.conversations", t->done, NULL);
    case TRANSFER_PHASE_FAILED: break;
    }
    const char *why = transfer_error(a, l, t, p);
    bool some = t->kind == TRANSFER_IMPORT && (t->done || t->skipped);
    return some ? lang_fill(a, l, "import.until_then",
                      LANG_ARGS({"why", why}, {"result", import_result_words(a, l, t)}))
                : why;
}

bool transfer_is_going(enum transfer_phase p)
{
    return p == TRANSFER_PHASE_WAITS || p == TRANSFER_PHASE_RUNS;
}

void transfer_view(const struct req *r, struct view *v, const struct transfer *t, enum transfer_phase p)
{
    struct arena *a = r->arena;
    const struct lang *l = r->lang;
    const struct locale locale = req_locale(r);
    transfer_resource(a, l, v, t, p);
    view_text(v, "label", label_of(a, l, t));
    view_text(v, "status_words", status_words(a, l, t, p));
    view_bool(v, "going", transfer_is_going(p));
    view_bool(v, "failed", p == TRANSFER_PHASE_FAILED);
    view_text(v, "size_words", t->bytes ? humanize_bytes(a, l, t->bytes, LANG_ROUND_UP) : NULL);
    view_text(v, "until_exact",
        transfer_has_file(t, p) ? humanize_exact(a, &locale, t->ended_at + TRANSFER_KEEP_MS) : NULL);
    view_bool(v, "brought", t->kind == TRANSFER_IMPORT && t->done > 0);
    view_created_words(a, v, &locale, t->created_at);
}
