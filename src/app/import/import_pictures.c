#include "app/import/import_private.h"

#include <errno.h>
#include <sodium.h>
#include <unistd.h>

#include "app/import/import_zip.h"
#include "app/picture/picture.h"
#include "base/fs.h"

void import_pictures_clear(struct import_pictures *p)
{
    fs_close(&p->fd);
    p->fd = -1;
    p->size = 0;
}

static enum rc keep(struct import_pictures *p, struct str data, struct err *e)
{
    if (p->fd < 0)
        p->fd = fs_open_unnamed(p->config->server.data_dir);
    if (p->fd < 0)
        return err_set(e, RC_IO, "a file for pictures: %s", strerror(errno));
    enum rc rc = fs_write_all(p->fd, data.s, data.len, e);
    p->size += rc == RC_OK ? (int64_t)data.len : 0;
    return rc;
}

enum rc import_picture_add(
    struct import_conversation *c, struct import_message *m, struct str data, struct err *e)
{
    struct import_picture one = {.at = c->pictures->size};
    if (m->role != ROLE_USER)
        return err_set(e, RC_UNSUPPORTED, "only messages of users have pictures");
    if (m->pictures_n == PICTURES_PER_MESSAGE)
        return err_set(e, RC_TOO_BIG, "more than %d pictures", PICTURES_PER_MESSAGE);
    enum rc rc = picture_check(c->pictures->config, data, &one.picture, e);
    if (rc == RC_OK)
        rc = keep(c->pictures, data, e);
    if (rc != RC_OK)
        return rc;
    if (!m->pictures)
        m->pictures = ARENA_ARRAY(c->a, struct import_picture, PICTURES_PER_MESSAGE);
    m->pictures[m->pictures_n++] = one;
    return RC_OK;
}

enum rc import_picture_add_base64(
    struct import_conversation *c, struct import_message *m, struct str base64, struct err *e)
{
    static const char mark[] = ";base64,";
    const char *behind =
        str_starts(base64, STR("data:")) ? memmem(base64.s, base64.len, mark, sizeof mark - 1) : NULL;
    if (behind)
        base64 = str_from(base64, (size_t)(behind - base64.s) + sizeof mark - 1);
    size_t n = 0;
    AUTO_FREE unsigned char *data = xmalloc(base64.len / 4 * 3 + 3);
    if (sodium_base642bin(data, base64.len / 4 * 3 + 3, base64.s, base64.len, NULL, &n, NULL,
            sodium_base64_VARIANT_ORIGINAL) != 0)
        return err_set(e, RC_UNSUPPORTED, "a picture that is no base64");
    return import_picture_add(c, m, (struct str){(char *)data, n}, e);
}

static enum rc store_one(struct db *db, struct arena *a, int64_t owner, const struct import_pictures *from,
    const struct import_picture *one, int64_t now, struct picture *out, struct err *e)
{
    size_t n = (size_t)one->picture.bytes;
    AUTO_FREE char *data = xmalloc(n);
    if (!import_zip_read_at(from->fd, data, n, one->at))
        return err_set(e, RC_IO, "reading the file for pictures: %s", strerror(errno));
    *out = one->picture;
    return store_picture_insert(db, a, owner, out, (struct str){data, n}, now, e);
}

enum rc import_pictures_store(struct db *db, struct arena *a, int64_t owner,
    const struct import_conversation *c, const struct import_message *m, int64_t now, struct picture **out,
    struct err *e)
{
    enum rc rc = RC_OK;
    *out = m->pictures_n ? ARENA_ARRAY(a, struct picture, m->pictures_n) : NULL;
    for (size_t i = 0; rc == RC_OK && i < m->pictures_n; i++)
        rc = store_one(db, a, owner, c->pictures, &m->pictures[i], now, &(*out)[i], e);
    return rc;
}
