#include "web/memory/memory_list.h"

#include "base/humanize.h"
#include "web/memory/memory_resource.h"
#include "web/page/views.h"

static enum rc read_all(const struct req *r, struct db *db, struct memories *out, struct err *e)
{
    int64_t owner = r->who.user_id;
    int limit = req_has(r, F_LIMIT) ? (int)req_int(r, F_LIMIT) : MEMORIES_ROWS;
    bool searches = req_str(r, F_Q).len > 0;
    struct memory_filter f = {.before = req_int(r, F_AFTER),
        .match = searches ? memory_match(r->arena, req_str(r, F_Q)) : NULL,
        .parts = searches ? memory_parts(r->arena, req_str(r, F_Q)) : NULL,
        .tag = req_str(r, F_TAG).len ? req_text(r, F_TAG) : NULL,
        .limit = limit + 1};
    enum rc rc = store_memory_paused(db, owner, &out->paused, e);
    if (rc == RC_OK)
        rc = store_memory_tags(db, r->arena, owner, r->now, &out->tag_lines, &out->tag_lines_n, e);
    if (rc == RC_OK && (!searches || f.match || f.parts)) /* a query without a word finds nothing */
        rc = store_memory_list(db, r->arena, owner, r->now, &f, &out->rows, &out->n, e);
    if (rc != RC_OK || out->n <= (size_t)limit)
        return rc;
    out->n = (size_t)limit; /* the extra row only shows that there are more */
    out->next = out->rows[out->n - 1].id;
    return RC_OK;
}

enum rc memories_read(const struct req *r, struct memories *out, struct err *e)
{
    *out = (struct memories){0};
    struct db *db = store_read(r->web->store);
    enum rc rc = read_all(r, db, out, e);
    store_read_done(r->web->store, db);
    return rc;
}

void memory_view(const struct req *r, struct view *v, const struct memory *m)
{
    struct arena *a = r->arena;
    const struct locale l = req_locale(r);
    memory_resource(a, v, m);
    view_bool(v, "has_tags", *m->tags != '\0');
    view_text(v, "expires_exact", m->expires_at ? humanize_exact(a, &l, m->expires_at) : NULL);
    view_created_words(a, v, &l, m->created_at);
    if (m->used_at)
        view_time_words(a, v, &l, "used_words", "used_exact", m->used_at);
}

struct memory_input memory_input_of(const struct req *r, int64_t id)
{
    return (struct memory_input){.owner = r->who.user_id,
        .id = id,
        .text = req_str(r, F_TEXT),
        .tags = req_str(r, F_TAGS),
        .permanent = req_int(r, F_PERMANENT) != 0,
        .sets_permanent = req_has(r, F_PERMANENT),
        .now = r->now};
}
