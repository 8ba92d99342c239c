/* Reading the trash. */
#include "store/row.h"
#include "store/trash/trash.h"

/* `f` is the session that messages were in. It belongs to USER_NOBODY while it is in the trash itself. */
#define SELECT_ENTRY                                                                                        \
    "SELECT t.session_id, s.pub, coalesce(f.title, s.title), s.message_count, t.trashed_at, "               \
    "coalesce(t.message_id, 0), f.pub, f.owner IS NOT t.owner, m.role = 'user', substr(m.text, 1, ?) FROM " \
    "trash t JOIN session s ON s.id = t.session_id LEFT JOIN session f ON f.id = t.from_id "                \
    "LEFT JOIN message m ON m.id = t.message_id WHERE t.owner = ? AND t.erased = 0 "

static struct trash_entry read_entry(const struct rows *q, struct arena *a)
{
    return (struct trash_entry){.session_id = rows_int(q, 0),
        .pub = row_text(q, 1, a),
        .title = row_text(q, 2, a),
        .messages = rows_int(q, 3),
        .trashed_at = rows_int(q, 4),
        .message_id = rows_int(q, 5),
        .from_pub = row_text(q, 6, a),
        .from_trashed = !rows_is_null(q, 6) && rows_int(q, 7) != 0,
        .asked = rows_int(q, 8) != 0,
        .words = row_text(q, 9, a)};
}

DEFINE_ROWS(entry, struct trash_entry, read_entry, "entry of the trash")

#define HAS_WORD                                                                                       \
    "AND (coalesce(f.title, s.title, '') LIKE ? ESCAPE '\\' OR EXISTS (SELECT 1 FROM message x WHERE " \
    "x.session_id = t.session_id AND x.role IN ('user', 'assistant') AND x.text LIKE ? ESCAPE '\\')) "
#define OLDER_ENTRIES \
    "AND (t.trashed_at, t.session_id) < (?, ?) ORDER BY t.trashed_at DESC, t.session_id DESC LIMIT ?"
#define LIST_ARGS 5 /* beside those of the words */

enum rc store_trash_list(struct db *db, struct arena *a, int64_t owner, const struct trash_query *q,
    struct trash_entry **out, size_t *n, struct err *e)
{
    struct trash_key after = q->after;
    struct str words = q->words;
    struct db_value v[LIST_ARGS + 2 * TRASH_QUERY_WORDS] = {v_int(TRASH_WORDS_CHARS), v_int(owner)};
    const char *sql = SELECT_ENTRY;
    int used = 2;
    if (!after.trashed_at && !after.session_id)
        after = (struct trash_key){INT64_MAX, INT64_MAX};
    for (int i = 0; words.s && i < TRASH_QUERY_WORDS;) {
        struct str word = str_cut(&words, ' ');
        if (!word.len)
            continue;
        v[used] = v[used + 1] = v_str(row_like_inside(a, word));
        sql = arena_printf(a, "%s" HAS_WORD, sql);
        used += 2;
        i++;
    }
    v[used++] = v_int(after.trashed_at);
    v[used++] = v_int(after.session_id);
    v[used++] = v_int(q->limit < TRASH_PAGE_MAX ? q->limit : TRASH_PAGE_MAX);
    return list_entry(db, a, arena_printf(a, "%s" OLDER_ENTRIES, sql),
        (struct db_args){.v = v, .n = used, .built = true}, out, n, e);
}

enum rc store_trash_count(struct db *db, int64_t owner, int64_t *n, struct err *e)
{
    return db_one_int(
        db, "SELECT count(*) FROM trash WHERE owner = ? AND erased = 0", ARGS(v_int(owner)), n, e);
}

enum rc store_trash_get(
    struct db *db, struct arena *a, int64_t owner, const char *pub, struct trash_entry *out, struct err *e)
{
    return get_entry(db, a, SELECT_ENTRY "AND s.pub = ?",
        ARGS(v_int(TRASH_WORDS_CHARS), v_int(owner), v_text(pub)), out, e);
}

enum rc store_trash_of_message(
    struct db *db, struct arena *a, int64_t owner, int64_t message_id, struct trash_entry *out, struct err *e)
{
    return get_entry(db, a, SELECT_ENTRY "AND t.session_id = (SELECT session_id FROM message WHERE id = ?)",
        ARGS(v_int(TRASH_WORDS_CHARS), v_int(owner), v_int(message_id)), out, e);
}
