#include "web/transfer/transfer_view.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "app/transfer/import.h"
#include "web/http/upload.h"
#include "web/chat/message_view.h"
#include "web/http/web.h"
#include "web/page/humanize.h"

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

static const char *dead_words(const struct transfer *t)
{
    return t->kind == TRANSFER_EXPORT
               ? "The export could not be written. Please tell whoever runs this server."
               : "The import broke off. Please tell whoever runs this server.";
}

static const char *progress_words(struct arena *a, const struct transfer *t)
{
    const char *at = words_number(a, t->done + t->skipped), *all = words_number(a, t->total);
    return t->total ? arena_printf(a, "%s of %s conversations", at, all) : "Looking at it";
}

static const char *status_words(struct arena *a, const struct transfer *t, enum transfer_phase p)
{
    switch (p) {
    case TRANSFER_PHASE_WAITS: return "Waits for its turn";
    case TRANSFER_PHASE_RUNS: return progress_words(a, t);
    case TRANSFER_PHASE_DONE:
        return t->kind == TRANSFER_IMPORT ? import_result_words(a, t)
                                          : words_count(a, t->done, "conversation", "conversations");
    case TRANSFER_PHASE_FAILED: break;
    }
    const char *why = t->error ? t->error : dead_words(t);
    bool some = t->kind == TRANSFER_IMPORT && (t->done || t->skipped);
    return some ? arena_printf(a, "%s Until then: %s.", why, import_result_words(a, t)) : why;
}

/* "377 bytes", "24 KB", "1.5 MB" */
static const char *bytes_words(struct arena *a, int64_t n)
{
    if (n < KIB)
        return words_count(a, n, "byte", "bytes");
    if (n < MIB)
        return arena_printf(a, "%lld KB", (long long)(n / KIB));
    int64_t tenths = n * 10 / MIB;
    return tenths < 100 ? arena_printf(a, "%lld.%lld MB", (long long)(tenths / 10), (long long)(tenths % 10))
                        : arena_printf(a, "%s MB", words_number(a, n / MIB));
}

static int percent_of(const struct transfer *t)
{
    int64_t at = t->done + t->skipped;
    return t->total <= 0 ? 0 : at >= t->total ? 100 : (int)(at * 100 / t->total);
}

static void view_one(struct req *r, struct view *v, const struct transfer *t, enum transfer_phase p)
{
    struct arena *a = r->arena;
    bool going = p == TRANSFER_PHASE_WAITS || p == TRANSFER_PHASE_RUNS;
    bool there = t->kind == TRANSFER_EXPORT && p == TRANSFER_PHASE_DONE;
    view_text(v, "id", t->pub);
    view_text(v, "kind", transfer_kind_name(t->kind));
    view_text(v, "format", *t->format ? t->format : NULL);
    view_text(v, "state", transfer_phase_name(p));
    view_text(v, "label", label_of(t));
    view_text(v, "status_words", status_words(a, t, p));
    view_bool(v, "going", going);
    view_bool(v, "failed", p == TRANSFER_PHASE_FAILED);
    view_int(v, "total", t->total);
    view_int(v, "done", t->done);
    view_int(v, "skipped", t->skipped);
    view_int(v, "known", t->known);
    view_int(v, "facts", t->facts);
    view_int(v, "percent", percent_of(t));
    view_int(v, "bytes", t->bytes);
    view_text(v, "size_words", t->bytes ? bytes_words(a, t->bytes) : NULL);
    view_text(v, "error", p == TRANSFER_PHASE_FAILED ? t->error ? t->error : dead_words(t) : NULL);
    view_text(v, "file_url", there ? arena_printf(a, "/data/%s/file", t->pub) : NULL);
    view_text(v, "until_exact", there ? words_exact(a, t->ended_at + TRANSFER_KEEP_MS) : NULL);
    view_bool(v, "brought", t->kind == TRANSFER_IMPORT && t->done > 0);
    view_created(a, v, t->created_at, r->now);
}

enum rc transfers_view(struct req *r, struct view *list, bool *going, struct err *e)
{
    struct transfer *rows;
    size_t n;
    bool any = false;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_transfer_list(db, r->arena, r->who.user_id, TRANSFER_LIST_MAX, &rows, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        enum transfer_phase p;
        rc = transfer_phase(db, r->arena, &rows[i], &p, e);
        if (rc == RC_OK)
            view_one(r, view_item(list), &rows[i], p);
        any = any || p == TRANSFER_PHASE_WAITS || p == TRANSFER_PHASE_RUNS;
    }
    store_read_done(r->web->store, db);
    if (going)
        *going = any;
    return rc;
}

enum rc transfer_view_one(struct req *r, struct view *v, const char *pub, struct err *e)
{
    struct transfer t;
    enum transfer_phase p;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_transfer_get(db, r->arena, r->who.user_id, pub, &t, e);
    if (rc == RC_OK)
        rc = transfer_phase(db, r->arena, &t, &p, e);
    store_read_done(r->web->store, db);
    if (rc == RC_OK)
        view_one(r, v, &t, p);
    return rc;
}

enum rc transfer_take_upload(struct req *r, struct transfer *out, struct err *e)
{
    struct auth_client from = req_client(r);
    if (!*r->upload.id || r->upload.bytes == 0)
        return err_say(e, RC_BAD_INPUT, "Choose a file first.");
    enum rc rc = transfer_import(r->web->store, r->web->config, r->who.user_id, r->upload.id, r->upload.bytes,
        &from, r->arena, out, e);
    if (rc == RC_OK)
        upload_taken(r);
    return rc;
}

/* The file may go any moment (the sweep, another tab): then there is none. */
static enum rc open_file(struct req *r, struct resp *out, const struct transfer *t, struct err *e)
{
    char path[FS_PATH_MAX];
    struct stat st;
    enum rc rc = transfer_path(r->web->config, t->pub, path, e);
    if (rc != RC_OK)
        return rc;
    out->file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (out->file < 0 || fstat(out->file, &st) != 0 || st.st_size == 0)
        return err_set(e, errno == ENOENT ? RC_NOT_FOUND : RC_IO, "%.150s: %s", path, strerror(errno));
    out->file_size = st.st_size;
    return RC_OK;
}

enum rc transfer_send_file(struct req *r, struct resp *out, struct err *e)
{
    struct transfer t;
    struct auth_client from = req_client(r);
    char day[CLOCK_RFC3339_SIZE];
    struct db *db = store_read(r->web->store);
    enum rc rc = store_transfer_get(db, r->arena, r->who.user_id, req_text(r, F_TRANSFER), &t, e);
    store_read_done(r->web->store, db);
    if (rc == RC_OK && (t.kind != TRANSFER_EXPORT || t.state != TRANSFER_DONE))
        return err_set(e, RC_NOT_FOUND, "there is no file of %s", t.pub);
    if (rc == RC_OK)
        rc = upload_enter(r, &r->web->sending, e);
    if (rc == RC_OK)
        rc = open_file(r, out, &t, e);
    if (rc == RC_OK && !r->head_only)
        rc = transfer_note_download(r->web->store, &t, &from, e);
    if (rc != RC_OK)
        return rc;
    clock_rfc3339(t.created_at, day);
    out->status = 200;
    out->type = "application/gzip";
    resp_header(out, "Content-Disposition", "attachment; filename=\"alfred-%.10s.jsonl.gz\"", day);
    return RC_OK;
}
