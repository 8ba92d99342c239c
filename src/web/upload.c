#include "web/upload.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "app/transfer.h"
#include "base/fs.h"
#include "codec/multipart.h"
#include "web/fcgi.h"
#include "web/web.h"

#define PIECE ((size_t)64 * 1024)

/* ---- places ---- */

enum rc upload_enter(struct req *r, struct err *e)
{
    if (r->slow)
        return RC_OK;
    if (atomic_fetch_add(&r->web->files, 1) >= UPLOAD_AT_ONCE) {
        atomic_fetch_sub(&r->web->files, 1);
        if (e)
            e->retry_after_s = UPLOAD_RETRY_S;
        return err_say(
            e, RC_UNAVAILABLE, "Other files are on their way at the moment. Please try again in a moment.");
    }
    r->slow = true;
    return RC_OK;
}

void upload_leave(struct req *r)
{
    char path[FS_PATH_MAX];
    if (*r->upload.id && transfer_path(r->web->config, r->upload.id, path, NULL) == RC_OK)
        unlink(path);
    if (r->slow)
        atomic_fetch_sub(&r->web->files, 1);
    r->slow = false;
    *r->upload.id = '\0';
}

void upload_taken(struct req *r)
{
    *r->upload.id = '\0';
}

/* ---- the file ---- */

struct saving {
    struct req *r;
    upload_field_fn *field;
    upload_check_fn *check;
    int fd;
    bool in_file, ended; /* ended: one was received */
    struct str name;     /* of the field that is being read */
    struct strbuf value;
};

static enum rc open_file(struct saving *s, struct err *e)
{
    char path[FS_PATH_MAX];
    struct upload *u = &s->r->upload;
    enum rc rc = upload_enter(s->r, e);
    if (rc != RC_OK)
        return rc;
    id_new(ID_TRANSFER, u->id);
    rc = transfer_path(s->r->web->config, u->id, path, e);
    if (rc != RC_OK)
        return rc;
    s->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return s->fd >= 0 ? RC_OK : err_set(e, RC_IO, "%.150s: %s", path, strerror(errno));
}

static enum rc write_piece(struct saving *s, struct str piece, struct err *e)
{
    int64_t most = s->r->web->config->limits.import_bytes;
    s->r->upload.bytes += (int64_t)piece.len;
    if (s->r->upload.bytes > most)
        return err_say(e, RC_TOO_BIG, "The file is larger than the %lld MB that are taken here.",
            (long long)(most / (1024 * 1024)));
    errno = 0;
    enum rc rc = fs_write_all(s->fd, piece.s, piece.len, e);
    if (rc != RC_OK && (errno == ENOSPC || errno == EDQUOT))
        return err_say(e, RC_UNAVAILABLE, "The disk of this server is full; nothing was saved.");
    return rc;
}

static enum rc close_file(struct saving *s, struct err *e)
{
    bool synced = fsync(s->fd) == 0;
    int error = errno;
    fs_close(&s->fd);
    s->fd = -1;
    s->in_file = false;
    s->ended = true;
    return synced ? RC_OK : err_set(e, RC_IO, "an upload: %s", strerror(error));
}

/* ---- the form around it ---- */

static enum rc on_part(void *arg, struct str name, struct str filename, struct err *e)
{
    struct saving *s = arg;
    if (!filename.s) {
        s->name = (struct str){arena_strndup(s->r->arena, name.s, name.len), name.len};
        strbuf_clear(&s->value);
        return RC_OK;
    }
    if (s->ended)
        return err_say(e, RC_BAD_INPUT, "One file at a time, please.");
    enum rc rc = s->check(s->r, e);
    if (rc == RC_OK)
        rc = open_file(s, e);
    s->in_file = rc == RC_OK;
    return rc;
}

static enum rc on_data(void *arg, struct str piece, struct err *e)
{
    struct saving *s = arg;
    if (s->in_file)
        return write_piece(s, piece, e);
    strbuf_addstr(&s->value, piece);
    return s->value.failed ? err_say(e, RC_TOO_BIG, "A field of the form is too long.") : RC_OK;
}

static enum rc on_end(void *arg, struct err *e)
{
    struct saving *s = arg;
    if (s->in_file)
        return close_file(s, e);
    struct str value = {arena_strndup(s->r->arena, s->value.s, s->value.len), s->value.len};
    return s->field(s->r, s->name, value, e);
}

/* ---- the body ---- */

static enum rc body_length(struct req *r, struct err *e)
{
    const char *length = req_param(r, "CONTENT_LENGTH");
    int64_t n = 0, most = r->web->config->limits.import_bytes;
    if (!length || !str_to_int(str_of(length), 1, INT64_MAX, &n))
        return err_say(e, RC_BAD_INPUT, "Nothing was sent, or not said how much.");
    r->upload.unread = n;
    if (n > most + (int64_t)UPLOAD_FIELD_MAX * 4)
        return err_say(e, RC_TOO_BIG, "The file is larger than the %lld MB that are taken here.",
            (long long)(most / (1024 * 1024)));
    return RC_OK;
}

/* Empty when the client broke off. */
static struct str next_piece(struct req *r, char *to)
{
    size_t want = r->upload.unread < (int64_t)PIECE ? (size_t)r->upload.unread : PIECE;
    size_t n = want ? fcgi_read_piece(r->fcgi, to, want) : 0;
    r->upload.unread = n ? r->upload.unread - (int64_t)n : 0;
    return (struct str){to, n};
}

static enum rc broke_off(struct err *e)
{
    return err_say(e, RC_BAD_INPUT, "The file did not arrive whole. Please send it again.");
}

static void saving_end(struct saving *s)
{
    fs_close(&s->fd);
    strbuf_release(&s->value);
}

enum rc upload_form(struct req *r, upload_field_fn *field, upload_check_fn *check, struct err *e)
{
    static const struct multipart_ops ops = {on_part, on_data, on_end};
    struct saving s = {.r = r, .field = field, .check = check, .fd = -1};
    const char *type = req_param(r, "CONTENT_TYPE");
    enum rc rc = body_length(r, e);
    if (rc != RC_OK)
        return rc;
    AUTO(multipart) form = multipart_new(str_of(type ? type : ""), &ops, &s);
    if (!form)
        return err_say(e, RC_UNSUPPORTED, "The body must be a form with a file.");
    AUTO_FREE char *piece = xmalloc(PIECE);
    strbuf_init(&s.value, UPLOAD_FIELD_MAX);
    while (rc == RC_OK && r->upload.unread > 0) {
        struct str got = next_piece(r, piece);
        rc = got.len ? multipart_feed(form, got, e) : broke_off(e);
    }
    if (rc == RC_OK)
        rc = multipart_end(form, e);
    if (rc == RC_OK) /* asked already where there was a file */
        rc = check(r, e);
    saving_end(&s);
    return rc;
}

static bool type_is_taken(const char *type)
{
    static const char *const taken[] = {"application/json", "application/octet-stream", "application/gzip",
        "application/x-gzip", "application/zip", "application/x-ndjson"};
    struct str rest = str_of(type ? type : ""), have = str_trim(str_cut(&rest, ';'));
    for (size_t i = 0; i < ARRAY_LEN(taken); i++)
        if (str_eq_nocase(have, str_of(taken[i])))
            return true;
    return false;
}

enum rc upload_raw(struct req *r, struct err *e)
{
    struct saving s = {.r = r, .fd = -1};
    enum rc rc = body_length(r, e);
    if (rc == RC_OK && !type_is_taken(req_param(r, "CONTENT_TYPE")))
        rc = err_say(e, RC_UNSUPPORTED, "The body must be application/json or application/octet-stream.");
    if (rc == RC_OK)
        rc = open_file(&s, e);
    if (rc != RC_OK)
        return rc;
    AUTO_FREE char *piece = xmalloc(PIECE);
    while (rc == RC_OK && r->upload.unread > 0) {
        struct str got = next_piece(r, piece);
        rc = got.len ? write_piece(&s, got, e) : broke_off(e);
    }
    if (rc == RC_OK)
        rc = close_file(&s, e);
    saving_end(&s);
    return rc;
}

void upload_drain(struct req *r)
{
    AUTO_FREE char *piece = xmalloc(PIECE);
    struct err ignored;
    if (r->upload.unread == 0)
        body_length(r, &ignored); /* it was refused before anything was read */
    for (size_t n = 0; n < UPLOAD_DRAIN_MAX && r->upload.unread > 0; n += PIECE)
        next_piece(r, piece);
}
