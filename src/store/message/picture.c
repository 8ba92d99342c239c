#include "store/message/picture.h"

#include "codec/json/json.h"
#include "codec/picture.h"
#include "codec/view.h"
#include "store/row.h"

#define LIST_BYTES_MAX ((size_t)16 * 1024) /* of the column message.pictures */

#define COLUMNS "pub, media_type, width, height, length(data)"

static struct picture read_picture(const struct rows *q, struct arena *a)
{
    return (struct picture){.pub = row_text(q, 0, a),
        .media_type = picture_media_type(rows_str(q, 1)),
        .width = (int)rows_int(q, 2),
        .height = (int)rows_int(q, 3),
        .bytes = rows_int(q, 4)};
}

DEFINE_ROWS(picture, struct picture, read_picture, "picture")

struct with_data {
    struct picture picture;
    struct str data;
};

static struct with_data read_with_data(const struct rows *q, struct arena *a)
{
    return (struct with_data){read_picture(q, a), arena_str(a, rows_blob(q, 5))};
}

DEFINE_ROWS(with_data, struct with_data, read_with_data, "picture")

static const char *new_pub(struct arena *a)
{
    char pub[ID_SIZE];
    id_new(ID_PICTURE, pub);
    return arena_strdup(a, pub);
}

/* No message and no waiting order has the picture `p`. */
#define IS_FREE                                                                                \
    "p.message_id IS NULL AND NOT EXISTS (SELECT 1 FROM turn_order o WHERE o.owner = p.owner " \
    "AND o.error IS NULL AND instr(o.pictures, p.pub))"

/* A picture that the user has taken out of a message again is unsent, too, so the oldest one goes. */
static enum rc make_room(struct db *db, int64_t owner, struct err *e)
{
    int64_t n;
    enum rc rc = db_one_int(
        db, "SELECT count(*) FROM picture WHERE owner = ? AND message_id IS NULL", ARGS(v_int(owner)), &n, e);
    if (rc != RC_OK || n < PICTURES_UNSENT_MAX)
        return rc;
    return db_exec(db,
        "DELETE FROM picture WHERE id = (SELECT p.id FROM picture p WHERE p.owner = ? AND " IS_FREE
        " ORDER BY p.created_at, p.id LIMIT 1)",
        ARGS(v_int(owner)), NULL, e);
}

enum rc store_picture_add(struct db *db, struct arena *a, int64_t owner, struct picture *p, struct str data,
    int64_t now, struct err *e)
{
    enum rc rc = make_room(db, owner, e);
    return rc == RC_OK ? store_picture_insert(db, a, owner, p, data, now, e) : rc;
}

enum rc store_picture_insert(struct db *db, struct arena *a, int64_t owner, struct picture *p,
    struct str data, int64_t now, struct err *e)
{
    p->pub = new_pub(a);
    return db_exec(db,
        "INSERT INTO picture (pub, owner, created_at, media_type, width, height, data) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        ARGS(v_text(p->pub), v_int(owner), v_int(now), v_text(p->media_type), v_int(p->width),
            v_int(p->height), v_blob(data.s, data.len)),
        NULL, e);
}

enum rc store_pictures_bytes(struct db *db, int64_t owner, int64_t *bytes, struct err *e)
{
    return db_one_int(db, "SELECT coalesce(sum(length(data)), 0) FROM picture WHERE owner = ?",
        ARGS(v_int(owner)), bytes, e);
}

enum rc store_picture_get(struct db *db, struct arena *a, int64_t owner, const char *pub, struct picture *out,
    struct str *data, struct err *e)
{
    struct with_data one;
    if (!data)
        return get_picture(db, a, "SELECT " COLUMNS " FROM picture WHERE pub = ? AND owner = ?",
            ARGS(v_text(pub), v_int(owner)), out, e);
    enum rc rc = get_with_data(db, a, "SELECT " COLUMNS ", data FROM picture WHERE pub = ? AND owner = ?",
        ARGS(v_text(pub), v_int(owner)), &one, e);
    if (rc != RC_OK)
        return rc;
    *out = one.picture;
    *data = one.data;
    return RC_OK;
}

static bool is_among(const struct picture *list, size_t n, struct str pub)
{
    for (size_t i = 0; i < n; i++)
        if (str_is(pub, list[i].pub))
            return true;
    return false;
}

enum rc store_pictures_find(struct db *db, struct arena *a, int64_t owner, struct str pubs,
    struct picture **out, size_t *n, struct err *e)
{
    *out = NULL;
    *n = 0;
    if (str_trim(pubs).len == 0) /* most messages */
        return RC_OK;
    *out = ARENA_ARRAY(a, struct picture, PICTURES_PER_MESSAGE);
    for (struct str rest = pubs; rest.s;) {
        struct str pub = str_trim(str_cut(&rest, ' '));
        if (pub.len == 0 || is_among(*out, *n, pub))
            continue;
        if (*n == PICTURES_PER_MESSAGE)
            return err_say(e, RC_TOO_BIG, "picture.many", arg_int("max", PICTURES_PER_MESSAGE));
        enum rc rc = store_picture_get(db, a, owner, arena_strndup(a, pub.s, pub.len), &(*out)[*n], NULL, e);
        if (rc == RC_NOT_FOUND)
            return err_say(e, RC_BAD_INPUT, "picture.gone");
        if (rc != RC_OK)
            return rc;
        ++*n;
    }
    return RC_OK;
}

enum rc store_pictures_free(
    struct db *db, struct arena *a, int64_t owner, struct picture *list, size_t n, int64_t now, struct err *e)
{
    for (size_t i = 0; i < n; i++) {
        const char *pub = new_pub(a);
        int64_t copied = 0;
        enum rc rc = db_exec(db,
            "INSERT INTO picture (pub, owner, created_at, media_type, width, height, data) "
            "SELECT ?, owner, ?, media_type, width, height, data FROM picture "
            "WHERE pub = ? AND owner = ? AND message_id IS NOT NULL",
            ARGS(v_text(pub), v_int(now), v_text(list[i].pub), v_int(owner)), &copied, e);
        if (rc != RC_OK)
            return rc;
        if (copied)
            list[i].pub = pub;
    }
    return RC_OK;
}

enum rc store_pictures_take(
    struct db *db, int64_t owner, int64_t id, const struct picture *list, size_t n, struct err *e)
{
    for (size_t i = 0; i < n; i++) {
        int64_t changed = 0;
        enum rc rc = db_exec(db,
            "UPDATE picture SET message_id = ? WHERE pub = ? AND owner = ? AND message_id IS NULL",
            ARGS(v_int(id), v_text(list[i].pub), v_int(owner)), &changed, e);
        if (rc == RC_OK && !changed)
            return err_say(e, RC_CONFLICT, "picture.gone");
        if (rc != RC_OK)
            return rc;
    }
    return RC_OK;
}

enum rc store_picture_sweep(struct db *db, int64_t before, int limit, int64_t *removed, struct err *e)
{
    return db_exec(db,
        "DELETE FROM picture WHERE id IN (SELECT p.id FROM picture p WHERE p.created_at < ? AND " IS_FREE
        " LIMIT ?)",
        ARGS(v_int(before), v_int(limit)), removed, e);
}

enum rc store_picture_erase_one(struct db *db, int64_t owner, bool *more, struct err *e)
{
    int64_t removed = 0;
    enum rc rc =
        db_exec(db, "DELETE FROM picture WHERE id = (SELECT id FROM picture WHERE owner = ? LIMIT 1)",
            ARGS(v_int(owner)), &removed, e);
    *more = removed > 0;
    return rc;
}

/* ---- the column of the message ---- */

static bool read_one(struct arena *a, const json_t *from, struct picture *out)
{
    struct str id, type, alt;
    int64_t width, height, bytes;
    if (!json_get_str(from, "id", &id) || !json_get_str(from, "type", &type) ||
        !json_get_int(from, "width", &width) || !json_get_int(from, "height", &height) ||
        !json_get_int(from, "bytes", &bytes))
        return false;
    *out = (struct picture){.pub = arena_strndup(a, id.s, id.len),
        .media_type = picture_media_type(type),
        .width = (int)width,
        .height = (int)height,
        .bytes = bytes,
        .alt = json_get_str(from, "alt", &alt) ? arena_strndup(a, alt.s, alt.len) : NULL};
    return out->media_type != NULL;
}

void picture_list_read(struct arena *a, const char *json, const struct picture **out, size_t *n)
{
    AUTO(json_t) list = NULL;
    size_t i;
    json_t *one;
    *out = NULL;
    *n = 0;
    if (!json || json_parse(str_of(json), LIST_BYTES_MAX, &list, NULL) != RC_OK || !json_is_array(list))
        return;
    struct picture *all = ARENA_ARRAY(a, struct picture, json_array_size(list));
    json_array_foreach(list, i, one)
    {
        *n += read_one(a, one, &all[*n]);
    }
    *out = all;
}

struct picture *picture_list_copy(struct arena *a, const struct picture *list, size_t n)
{
    struct picture *copy = n ? ARENA_ARRAY(a, struct picture, n) : NULL;
    for (size_t i = 0; i < n; i++) {
        copy[i] = list[i];
        copy[i].pub = arena_strdup(a, list[i].pub);
        copy[i].media_type = picture_media_type(str_of(list[i].media_type));
        copy[i].alt = list[i].alt ? arena_strdup(a, list[i].alt) : NULL;
    }
    return copy;
}

const char *picture_list_json(struct arena *a, const struct picture *list, size_t n)
{
    if (n == 0)
        return NULL;
    AUTO_STRBUF out;
    strbuf_init(&out, LIST_BYTES_MAX);
    for (size_t i = 0; i < n; i++) {
        strbuf_addf(&out, "%c{\"id\":\"%s\",\"type\":\"%s\",\"width\":%d,\"height\":%d,\"bytes\":%lld",
            i ? ',' : '[', list[i].pub, list[i].media_type, list[i].width, list[i].height,
            (long long)list[i].bytes);
        if (list[i].alt) {
            strbuf_adds(&out, ",\"alt\":");
            json_add_string(&out, str_of(list[i].alt));
        }
        strbuf_addc(&out, '}');
    }
    strbuf_addc(&out, ']');
    return arena_strndup(a, out.s, out.len);
}
