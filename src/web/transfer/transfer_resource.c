#include "web/transfer/transfer_resource.h"

#include "web/http/resource.h"

static int percent_of(const struct transfer *t)
{
    int64_t at = t->done + t->skipped;
    return t->total <= 0 ? 0 : at >= t->total ? 100 : (int)(at * 100 / t->total);
}

const char *transfer_error(
    struct arena *a, const struct lang *l, const struct transfer *t, enum transfer_phase p)
{
    if (p != TRANSFER_PHASE_FAILED)
        return NULL;
    if (t->error)
        return said_words(a, l, t->error);
    return lang_text(l, t->kind == TRANSFER_EXPORT ? "import.export_failed" : "import.failed");
}

void transfer_resource(
    struct arena *a, const struct lang *l, struct view *v, const struct transfer *t, enum transfer_phase p)
{
    bool has_file = transfer_has_file(t, p);
    view_text(v, "id", t->pub);
    view_text(v, "kind", transfer_kind_name(t->kind));
    view_text(v, "format", *t->format ? t->format : NULL);
    view_text(v, "state", transfer_phase_name(p));
    view_int(v, "total", t->total);
    view_int(v, "done", t->done);
    view_int(v, "grown", t->grown);
    view_int(v, "skipped", t->skipped);
    view_int(v, "known", t->known);
    view_int(v, "changed", t->changed);
    view_int(v, "facts", t->facts);
    view_int(v, "pictures_left_out", t->pictures_left_out);
    view_int(v, "paused", t->paused);
    view_int(v, "percent", percent_of(t));
    view_int(v, "bytes", t->bytes);
    view_text(v, "error", transfer_error(a, l, t, p));
    view_text(v, "file_url", has_file ? arena_printf(a, "/api/transfers/%s/file", t->pub) : NULL);
    view_at(v, "created_at", t->created_at);
    view_at(v, "expires_at", has_file ? t->ended_at + TRANSFER_KEEP_MS : 0);
}
