#include "web/http/upload.h"

#include <fcntl.h>
#include <unistd.h>

#include "app/transfer/transfer.h"
#include "base/clock.h"
#include "base/fs.h"
#include "codec/multipart.h"
#include "web/fcgi/fcgi.h"
#include "web/http/web.h"

#define PIECE ((size_t)64 * 1024)

/* ---- places ---- */

enum rc upload_enter(struct req *r, struct places *p, struct err *e)
{
    enum rc rc = places_enter(p, r->who.user_id, "upload.others", UPLOAD_RETRY_S, e);
    if (rc != RC_OK)
        return rc;
    r->place = p;
    return RC_OK;
}

void upload_leave(struct req *r)
{
    char path[FS_PATH_MAX];
    if (*r->upload.id && transfer_path(r->web->config, r->upload.id, path, NULL) == RC_OK)
        unlink(path);
    if (r->place)
        places_leave(r->place, r->who.user_id);
    r->place = NULL;
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
    struct str name;     /* name of the field that is read now */
    struct strbuf value;
    char *piece;
    int64_t since, got, left; /* when the body began (monotonic), received bytes, remaining bytes */
};

static enum rc open_file(struct saving *s, struct err *e)
{
    char path[FS_PATH_MAX];
    struct upload *u = &s->r->upload;
    id_new(ID_TRANSFER, u->id);
    enum rc rc = transfer_path(s->r->web->config, u->id, path, e);
    if (rc != RC_OK)
        return rc;
    s->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return s->fd >= 0 ? RC_OK : fs_write_failed(path, e);
}

static enum rc write_piece(struct saving *s, struct str piece, struct err *e)
{
    int64_t most = s->r->web->config->limits.import_bytes;
    s->r->upload.bytes += (int64_t)piece.len;
    if (s->r->upload.bytes > most)
        return err_say(e, RC_TOO_BIG, "upload.too_big", arg_limit("max", most));
    return fs_write_all(s->fd, piece.s, piece.len, e);
}

static enum rc close_file(struct saving *s, struct err *e)
{
    enum rc rc = fsync(s->fd) == 0 ? RC_OK : fs_write_failed("an upload", e);
    fs_close(&s->fd);
    s->in_file = false;
    s->ended = true;
    return rc;
}

/* ---- the form around it ---- */

static enum rc on_part(void *arg, struct str name, struct str filename, struct err *e)
{
    struct saving *s = arg;
    if (!filename.s) {
        s->name = arena_str(s->r->arena, name);
        strbuf_clear(&s->value);
        return RC_OK;
    }
    if (s->ended)
        return err_say(e, RC_BAD_INPUT, "upload.one_file");
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
    return s->value.failed ? err_say(e, RC_TOO_BIG, "upload.long_field") : RC_OK;
}

static enum rc on_end(void *arg, struct err *e)
{
    struct saving *s = arg;
    if (s->in_file)
        return close_file(s, e);
    struct str value = arena_str(s->r->arena, strbuf_str(&s->value));
    return s->field(s->r, s->name, value, e);
}

/* ---- the body ---- */

static enum rc body_length(struct saving *s, struct err *e)
{
    const char *length = req_param(s->r, "CONTENT_LENGTH");
    int64_t n = 0, most = s->r->web->config->limits.import_bytes;
    if (!length || !str_to_int(str_of(length), 1, INT64_MAX, &n))
        return err_say(e, RC_BAD_INPUT, "upload.no_length");
    s->left = n;
    if (n > most + (int64_t)UPLOAD_FIELD_MAX * 4)
        return err_say(e, RC_TOO_BIG, "upload.too_big", arg_limit("max", most));
    return RC_OK;
}

/* RC_BAD_INPUT: the client disconnected, or is too slow. */
static enum rc next_piece(struct saving *s, struct str *out, struct err *e)
{
    size_t n = fcgi_read_piece(s->r->fcgi, s->piece, s->left < (int64_t)PIECE ? (size_t)s->left : PIECE);
    s->left -= (int64_t)n;
    s->got += (int64_t)n;
    *out = (struct str){s->piece, n};
    if (n == 0)
        return err_say(e, RC_BAD_INPUT, "upload.incomplete");
    if (fcgi_rate_kept(s->since, s->got, FCGI_RATE_THREAD))
        return RC_OK;
    return err_say(e, RC_BAD_INPUT, "upload.slow");
}

static enum rc saving_begin(struct saving *s, struct err *e)
{
    enum rc rc = body_length(s, e);
    if (rc == RC_OK)
        rc = upload_enter(s->r, &s->r->web->receiving, e);
    s->fd = -1;
    s->since = clock_mono_ms();
    s->piece = xmalloc(PIECE);
    strbuf_init(&s->value, UPLOAD_FIELD_MAX);
    return rc;
}

static void saving_end(struct saving *s)
{
    fs_close(&s->fd);
    strbuf_release(&s->value);
    free_charp(&s->piece);
}

static enum rc read_form(struct saving *s, struct multipart *form, struct err *e)
{
    struct str got;
    enum rc rc = RC_OK;
    while (rc == RC_OK && s->left > 0)
        if ((rc = next_piece(s, &got, e)) == RC_OK)
            rc = multipart_feed(form, got, e);
    return rc == RC_OK ? multipart_end(form, e) : rc;
}

/* The place is taken before anything is read, because the fields before the file may be slow, too. */
enum rc upload_form(struct req *r, upload_field_fn *field, upload_check_fn *check, struct err *e)
{
    static const struct multipart_ops ops = {on_part, on_data, on_end};
    struct saving s = {.r = r, .field = field, .check = check};
    const char *type = req_param(r, "CONTENT_TYPE");
    enum rc rc = saving_begin(&s, e);
    AUTO(multipart) form = rc == RC_OK ? multipart_new(str_of(type ? type : ""), &ops, &s) : NULL;
    if (rc == RC_OK && !form)
        rc = err_say(e, RC_UNSUPPORTED, "upload.wants_form");
    if (rc == RC_OK)
        rc = read_form(&s, form, e);
    if (rc == RC_OK) /* a form without a file has not been checked yet */
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
    struct saving s = {.r = r};
    struct str got;
    enum rc rc = saving_begin(&s, e);
    if (rc == RC_OK && !type_is_taken(req_param(r, "CONTENT_TYPE")))
        rc = err_say(e, RC_UNSUPPORTED, "upload.wants_file");
    if (rc == RC_OK)
        rc = open_file(&s, e);
    while (rc == RC_OK && s.left > 0)
        if ((rc = next_piece(&s, &got, e)) == RC_OK)
            rc = write_piece(&s, got, e);
    if (rc == RC_OK)
        rc = close_file(&s, e);
    saving_end(&s);
    return rc;
}
