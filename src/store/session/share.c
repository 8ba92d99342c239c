#include "store/session/share.h"

#include "codec/picture.h"
#include "store/message/message_row.h"
#include "store/row.h"

#define SHARE_COLUMNS                                                                                 \
    "h.id, h.owner, h.session_id, s.pub, h.token, h.title, h.name, h.password, h.tools, h.messages, " \
    "h.created_at, h.copied_at, coalesce(h.expires_at, 0), u.role, "                                  \
    "(SELECT count(*) FROM share_picture p WHERE p.share_id = h.id)"
/* A session in the trash belongs to USER_NOBODY, so its links are not found. */
#define SHARE_FROM                                                                                     \
    " FROM share h JOIN session s ON s.id = h.session_id AND s.owner = h.owner JOIN user u ON u.id = " \
    "h.owner "

/* The messages of the shown branch that a copy has. ?1 is the head, ?2 the session, ?3 whether tools are in
 * it. */
#define BRANCH                                                                                              \
    "WITH RECURSIVE path (id, parent_id, depth) AS (SELECT id, parent_id, 0 FROM message WHERE id = ? AND " \
    "session_id = ? UNION ALL SELECT m.id, m.parent_id, path.depth + 1 FROM path JOIN message m "           \
    "ON m.id = path.parent_id) "
#define IN_COPY                                                                                            \
    " FROM path JOIN message m ON m.id = path.id WHERE m.status <> 'running' AND "                         \
    "((m.role IN ('user', 'assistant') AND (m.text <> '' OR m.pictures IS NOT NULL)) OR (m.role = 'tool' " \
    "AND ? <> 0))"

static struct share read_share(const struct rows *q, struct arena *a)
{
    return (struct share){
        .id = rows_int(q, 0),
        .owner = rows_int(q, 1),
        .session_id = rows_int(q, 2),
        .session = row_text(q, 3, a),
        .token = row_text(q, 4, a),
        .title = row_text(q, 5, a),
        .name = row_text(q, 6, a),
        .password = row_text(q, 7, a),
        .tools = rows_int(q, 8) != 0,
        .messages = rows_int(q, 9),
        .created_at = rows_int(q, 10),
        .copied_at = rows_int(q, 11),
        .expires_at = rows_int(q, 12),
        .owner_role = str_is(rows_str(q, 13), user_role_name(USER_ADMIN)) ? USER_ADMIN : USER_MEMBER,
        .pictures = rows_int(q, 14),
    };
}

static struct message read_copied(const struct rows *q, struct arena *a)
{
    struct message m = {
        .id = rows_int(q, 0),
        .role = message_role_of(rows_str(q, 1)),
        .status = message_status_of(rows_str(q, 2)),
        .text = row_str(q, 3, a),
        .tool = row_text(q, 4, a),
        .calls = row_text(q, 5, a),
        .created_at = rows_int(q, 6),
    };
    picture_list_read(a, rows_text(q, 7), &m.pictures, &m.pictures_n);
    return m;
}

static struct share_picture read_picture(const struct rows *q, struct arena *a)
{
    return (struct share_picture){
        .media_type = picture_media_type(rows_str(q, 0)), .data = arena_str(a, rows_blob(q, 1))};
}

DEFINE_ROWS(share, struct share, read_share, "share")
DEFINE_ROWS(copied, struct message, read_copied, "message")
DEFINE_ROWS(picture, struct share_picture, read_picture, "picture")

enum rc store_share_add(
    struct db *db, struct share *s, const unsigned char hash[TOKEN_HASH_SIZE], struct err *e)
{
    int64_t n = 0;
    enum rc rc = db_one_int(db, "SELECT count(*) FROM share WHERE owner = ?", ARGS(v_int(s->owner)), &n, e);
    if (rc == RC_OK && n >= SHARES_MAX)
        return err_say(e, RC_CONFLICT, "share.too_many", arg_int("max", SHARES_MAX));
    return rc == RC_OK
               ? db_insert(db,
                     "INSERT INTO share (owner, session_id, token, token_hash, name, password, tools, "
                     "messages, created_at, copied_at, expires_at) "
                     "SELECT owner, id, ?, ?, ?, ?, ?, 0, ?, 0, ? FROM session WHERE id = ? AND owner = ? "
                     "AND id NOT IN (SELECT session_id FROM temporary)",
                     ARGS(v_text(s->token), v_blob(hash, TOKEN_HASH_SIZE), v_text(s->name),
                         v_text(s->password), v_int(s->tools), v_int(s->created_at), v_id(s->expires_at),
                         v_int(s->session_id), v_int(s->owner)),
                     &s->id, e)
               : rc;
}

struct source {
    int64_t session_id, head_id, tools;
};

static struct source read_source(const struct rows *q, struct arena *a)
{
    (void)a;
    return (struct source){rows_int(q, 0), rows_int(q, 1), rows_int(q, 2)};
}

DEFINE_ROWS(source, struct source, read_source, "share")

/* The sizes are checked before anything is written. */
static enum rc check_pictures(struct db *db, const struct source *from, int64_t bytes_max, struct err *e)
{
    int64_t bytes = 0;
    enum rc rc = db_one_int(db,
        BRANCH "SELECT coalesce(sum(length(p.data)), 0) FROM path JOIN picture p ON p.message_id = path.id",
        ARGS(v_int(from->head_id), v_int(from->session_id)), &bytes, e);
    if (rc == RC_OK && bytes > bytes_max)
        return err_say(e, RC_TOO_BIG, "share.many_pictures", arg_limit("max", bytes_max));
    return rc;
}

static enum rc check_size(struct db *db, const struct source *from, int64_t bytes_max, struct err *e)
{
    int64_t bytes = 0;
    enum rc rc = db_one_int(db, BRANCH "SELECT coalesce(sum(length(CAST(m.text AS BLOB))), -1)" IN_COPY,
        ARGS(v_int(from->head_id), v_int(from->session_id), v_int(from->tools)), &bytes, e);
    if (rc == RC_OK && bytes < 0)
        return err_say(e, RC_CONFLICT, "share.empty");
    if (rc == RC_OK && bytes > bytes_max)
        return err_say(e, RC_TOO_BIG, "share.too_long", arg_limit("max", bytes_max));
    return rc;
}

/* Replaces the messages and pictures of the copy. */
static enum rc replace(struct db *db, int64_t id, const struct source *from, struct err *e)
{
    enum rc rc = db_exec(db, "DELETE FROM share_message WHERE share_id = ?", ARGS(v_int(id)), NULL, e);
    if (rc == RC_OK)
        rc = db_exec(db, "DELETE FROM share_picture WHERE share_id = ?", ARGS(v_int(id)), NULL, e);
    if (rc == RC_OK)
        rc = db_exec(db,
            BRANCH "INSERT INTO share_message (share_id, place, role, status, text, tool, calls, created_at, "
                   "pictures) "
                   "SELECT ?, row_number() OVER (ORDER BY path.depth DESC), m.role, m.status, m.text, "
                   "m.tool, CASE m.role WHEN 'tool' THEN m.calls END, m.created_at, m.pictures" IN_COPY,
            ARGS(v_int(from->head_id), v_int(from->session_id), v_int(id), v_int(from->tools)), NULL, e);
    return rc == RC_OK ? db_exec(db,
                             BRANCH "INSERT INTO share_picture (share_id, pub, media_type, data) "
                                    "SELECT ?, p.pub, p.media_type, p.data FROM path JOIN picture p "
                                    "ON p.message_id = path.id",
                             ARGS(v_int(from->head_id), v_int(from->session_id), v_int(id)), NULL, e)
                       : rc;
}

enum rc store_share_copy(struct db *db, int64_t owner, int64_t id, int64_t bytes_max,
    int64_t picture_bytes_max, int64_t now, struct err *e)
{
    struct source from;
    enum rc rc = get_source(db, NULL,
        "SELECT s.id, coalesce(s.head_id, 0), h.tools FROM share h JOIN session s ON s.id = h.session_id "
        "AND s.owner = h.owner WHERE h.id = ? AND h.owner = ?",
        ARGS(v_int(id), v_int(owner)), &from, e);
    if (rc == RC_OK)
        rc = check_size(db, &from, bytes_max, e);
    if (rc == RC_OK)
        rc = check_pictures(db, &from, picture_bytes_max, e);
    if (rc == RC_OK)
        rc = replace(db, id, &from, e);
    return rc == RC_OK ? row_change(db, "share",
                             "UPDATE share SET copied_at = ?, "
                             "title = (SELECT title FROM session WHERE id = share.session_id), "
                             "messages = (SELECT count(*) FROM share_message WHERE share_id = share.id) "
                             "WHERE id = ? AND owner = ?",
                             ARGS(v_int(now), v_int(id), v_int(owner)), e)
                       : rc;
}

enum rc store_share_get(
    struct db *db, struct arena *a, int64_t owner, int64_t id, struct share *out, struct err *e)
{
    return get_share(db, a, "SELECT " SHARE_COLUMNS SHARE_FROM "WHERE h.id = ? AND h.owner = ?",
        ARGS(v_int(id), v_int(owner)), out, e);
}

enum rc store_share_list(struct db *db, struct arena *a, int64_t owner, int64_t session_id,
    struct share **out, size_t *n, struct err *e)
{
    return list_share(db, a,
        "SELECT " SHARE_COLUMNS SHARE_FROM "WHERE h.owner = ? AND h.session_id = coalesce(?, h.session_id) "
        "ORDER BY h.id DESC LIMIT ?",
        ARGS(v_int(owner), v_id(session_id), v_int(SHARES_MAX)), out, n, e);
}

enum rc store_share_delete(struct db *db, int64_t owner, int64_t id, struct err *e)
{
    return row_change(
        db, "share", "DELETE FROM share WHERE id = ? AND owner = ?", ARGS(v_int(id), v_int(owner)), e);
}

enum rc store_share_find(struct db *db, struct arena *a, const unsigned char hash[TOKEN_HASH_SIZE],
    int64_t now, struct share *out, struct err *e)
{
    return get_share(db, a,
        "SELECT " SHARE_COLUMNS SHARE_FROM "WHERE h.token_hash = ? AND u.disabled_at IS NULL AND "
        "(h.expires_at IS NULL OR h.expires_at > ?)",
        ARGS(v_blob(hash, TOKEN_HASH_SIZE), v_int(now)), out, e);
}

/* Places are the numbers from 1 without gaps. octet_length() reads the size of a text without the text. */
enum rc store_share_messages(struct db *db, struct arena *a, int64_t share_id, int64_t after, int limit,
    int64_t bytes_max, struct message **out, size_t *n, struct err *e)
{
    return list_copied(db, a,
        "SELECT place, role, status, text, tool, calls, created_at, pictures FROM share_message "
        "WHERE share_id = ? AND place > ? AND place <= (SELECT coalesce(max(place), 0) FROM ("
        "SELECT place, row_number() OVER bytes_to AS number, "
        "sum(octet_length(text) + coalesce(octet_length(calls), 0)) OVER bytes_to AS bytes "
        "FROM share_message WHERE share_id = ? AND place > ? AND place <= ? "
        "WINDOW bytes_to AS (ORDER BY place)) WHERE number = 1 OR bytes <= ?) ORDER BY place",
        ARGS(v_int(share_id), v_int(after), v_int(share_id), v_int(after), v_int(after + limit),
            v_int(bytes_max)),
        out, n, e);
}

enum rc store_share_picture(struct db *db, struct arena *a, int64_t share_id, const char *pub,
    struct share_picture *out, struct err *e)
{
    return get_picture(db, a, "SELECT media_type, data FROM share_picture WHERE share_id = ? AND pub = ?",
        ARGS(v_int(share_id), v_text(pub)), out, e);
}

enum rc store_share_sweep(struct db *db, int64_t before, int limit, int64_t *removed, struct err *e)
{
    return db_exec(db, "DELETE FROM share WHERE id IN (SELECT id FROM share WHERE expires_at < ? LIMIT ?)",
        ARGS(v_int(before), v_int(limit)), removed, e);
}
