#include "app/import/format/import_format_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/import/file/import_zip.h"
#include "app/picture/picture.h"
#include "base/fs.h"
#include "codec/base64.h"

#define DATA_FIRST 16
#define DATA_MAX   ((size_t)65536) /* embedded files of one conversation */

void import_pictures_clear(struct import_pictures *p)
{
    fs_close(&p->fd);
    free(p->data);
    *p = (struct import_pictures){.config = p->config, .zip = p->zip, .fd = -1};
}

/* ---- the file ---- */

/* Writes behind what is used. */
static enum rc put(struct import_pictures *p, int64_t behind, struct str data, struct err *e)
{
    if (p->fd < 0)
        p->fd = fs_open_unnamed(p->config->server.data_dir);
    if (p->fd < 0 || lseek(p->fd, p->size + behind, SEEK_SET) < 0) {
        p->failed = RC_IO;
        return err_set(e, RC_IO, "a file for pictures: %s", strerror(errno));
    }
    enum rc rc = fs_write_all(p->fd, data.s, data.len, e);
    p->failed = rc == RC_OK ? p->failed : rc;
    return rc;
}

static bool is_full(const struct import_pictures *p, int64_t more)
{
    return p->size + more > IMPORT_PICTURES_MAX;
}

static char *get(const struct import_pictures *p, int64_t at, size_t n, struct err *e)
{
    char *data = xmalloc(n + 1);
    if (import_zip_read_at(p->fd, data, n, at))
        return data;
    err_set(e, RC_IO, "reading the file for pictures: %s", strerror(errno));
    free(data);
    return NULL;
}

/* ---- reading ---- */

void import_pictures_take(void *arg, struct str piece, bool cut)
{
    struct import_pictures *p = arg;
    if (piece.len) {
        int64_t before = p->data_len;
        p->data_len += (int64_t)piece.len;
        if (p->data_len <= BASE64_SIZE(p->config->limits.picture_bytes) && !is_full(p, p->data_len))
            (void)put(p, before, piece, NULL); /* p->failed has the reason */
        return;
    }
    int64_t len = p->data_len;
    p->data_len = 0;
    if (!cut || p->data_n == DATA_MAX)
        return;
    if (len > BASE64_SIZE(p->config->limits.picture_bytes) || is_full(p, len))
        len = 0;
    if (p->data_n == p->data_room) {
        p->data_room = p->data_room ? 2 * p->data_room : DATA_FIRST;
        p->data = xrealloc(p->data, p->data_room * sizeof *p->data);
    }
    p->data[p->data_n++] = (struct import_data){p->size, len};
    p->size += len;
}

static enum rc add(struct import_conversation *c, struct import_message *m, struct str data, struct err *e)
{
    if (!c->pictures || m->role == ROLE_TOOL)
        return err_set(e, RC_UNSUPPORTED, "results of tools have no pictures");
    if (m->pictures_n == PICTURES_PER_MESSAGE || is_full(c->pictures, (int64_t)data.len))
        return err_set(e, RC_TOO_BIG, "too many pictures");
    struct import_picture one = {.at = c->pictures->size};
    enum rc rc = picture_check(c->pictures->config, data, &one.picture, e);
    if (rc == RC_OK)
        rc = put(c->pictures, 0, data, e);
    if (rc != RC_OK)
        return rc;
    c->pictures->size += (int64_t)data.len;
    if (!m->pictures)
        m->pictures = ARENA_ARRAY(c->a, struct import_picture, PICTURES_PER_MESSAGE);
    m->pictures[m->pictures_n++] = one;
    return RC_OK;
}

static enum rc add_decoded(
    struct import_conversation *c, struct import_message *m, struct str base64, struct err *e)
{
    size_t n = 0;
    AUTO_FREE char *data = base64_decode(base64, &n);
    if (!data)
        return err_set(e, RC_UNSUPPORTED, "a picture that is no base64");
    return add(c, m, (struct str){data, n}, e);
}

enum rc import_picture_add_base64(
    struct import_conversation *c, struct import_message *m, struct str base64, struct err *e)
{
    int64_t number;
    bool is_url = base64_of_data_url(base64, &base64);
    const char *cut = is_url ? memchr(base64.s, '#', base64.len) : NULL;
    if (!cut || !c->pictures)
        return add_decoded(c, m, base64, e);
    if (!str_to_int(str_from(base64, (size_t)(cut + 1 - base64.s)), 0, (int64_t)DATA_MAX, &number) ||
        (size_t)number >= c->pictures->data_n || !c->pictures->data[number].len)
        return err_set(e, RC_TOO_BIG, "an embedded file is too large");
    const struct import_data *from = &c->pictures->data[number];
    AUTO_FREE char *whole = get(c->pictures, from->at, (size_t)from->len, e);
    return whole ? add_decoded(c, m, (struct str){whole, (size_t)from->len}, e) : RC_IO;
}

enum rc import_picture_add_file(
    struct import_conversation *c, struct import_message *m, struct str pointer, struct err *e)
{
    const char *id = memmem(pointer.s, pointer.len, "://", 3);
    char *found = NULL;
    size_t n = 0;
    if (!id || !c->pictures || !c->pictures->zip || m->role == ROLE_TOOL ||
        !zip_picture_read(c->pictures->zip, str_from(pointer, (size_t)(id - pointer.s) + 3),
            (size_t)c->pictures->config->limits.picture_bytes, &found, &n))
        return err_set(e, RC_UNSUPPORTED, "the zip has no such picture");
    AUTO_FREE char *data = found;
    return add(c, m, (struct str){data, n}, e);
}

/* ---- storing ---- */

static enum rc store_one(struct db *db, struct arena *a, int64_t owner, const struct import_pictures *from,
    const struct import_picture *one, int64_t now, struct picture *out, struct err *e)
{
    size_t n = (size_t)one->picture.bytes;
    AUTO_FREE char *data = get(from, one->at, n, e);
    if (!data)
        return RC_IO;
    *out = one->picture;
    return store_picture_insert(db, a, owner, out, (struct str){data, n}, now, e);
}

enum rc import_pictures_store(struct db *db, struct arena *a, int64_t owner,
    const struct import_conversation *c, const struct import_message *m, int64_t now, struct picture **out,
    size_t *n, struct err *e)
{
    int64_t bytes = 0;
    *n = 0;
    *out = NULL;
    if (!m->pictures_n)
        return RC_OK;
    *out = ARENA_ARRAY(a, struct picture, m->pictures_n);
    enum rc rc = store_pictures_bytes(db, owner, &bytes, e);
    while (rc == RC_OK && *n < m->pictures_n) {
        const struct import_picture *one = &m->pictures[*n];
        bytes += one->picture.bytes;
        if (bytes > c->pictures->config->limits.user_pictures_bytes)
            return RC_OK;
        rc = store_one(db, a, owner, c->pictures, one, now, &(*out)[*n], e);
        ++*n;
    }
    return rc;
}

struct str import_text_with_pictures(struct import_conversation *c, const struct import_message *m, size_t n)
{
    struct str text = m->text;
    for (size_t i = n; i < m->pictures_n; i++)
        text = import_with_note(c, text, IMPORT_IMAGE_NOTE);
    return text;
}
