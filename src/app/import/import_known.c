/* The facts that a user has already. They are read once per run of the import, outside of any transaction.
 * Another program may import the same file at once, so a slice looks again, but only at later rows. */
#include "app/import/import_private.h"

#include <search.h>
#include <stdlib.h>

#include "app/memory/memory.h"
#include "app/tasks/tasks.h"

struct import_known {
    struct arena *a;
    void *facts[EXPORT_FACTS_N];  /* by enum export_facts: trees (tsearch(3)) of hashes of text and time */
    int64_t last[EXPORT_FACTS_N]; /* the largest id that was read */
    const struct memory_words *memories[MEMORY_OWNER_MAX];
    size_t memories_n;
    int64_t open_tasks;
};

static int by_hash(const void *x, const void *y)
{
    uint64_t i = *(const uint64_t *)x, j = *(const uint64_t *)y;
    return (i > j) - (i < j);
}

static uint64_t *hash_of(struct arena *a, struct str text, int64_t created_at)
{
    uint64_t *h = ARENA_NEW(a, uint64_t);
    *h = str_hash_more(str_hash(text, 0), (struct str){(const char *)&created_at, sizeof created_at});
    return h;
}

/* False: it was known already. */
static bool add(struct import_known *k, enum export_facts which, struct str text, int64_t created_at)
{
    uint64_t *h = hash_of(k->a, text, created_at);
    uint64_t **at = tsearch(h, &k->facts[which], by_hash);
    return at && *at == h;
}

struct reader {
    struct import_known *k;
    enum export_facts which;
};

static void add_stored(void *arg, struct str text, int64_t created_at, int64_t id)
{
    const struct reader *r = arg;
    add(r->k, r->which, text, created_at);
    r->k->last[r->which] = id > r->k->last[r->which] ? id : r->k->last[r->which];
}

static enum rc load(struct import_known *k, struct db *db, int64_t owner, int64_t now, struct err *e)
{
    struct memory *all = NULL;
    size_t n = 0;
    enum rc rc = RC_OK;
    for (enum export_facts i = 0; rc == RC_OK && i < EXPORT_FACTS_N; i++)
        rc = store_import_each_fact(db, i, owner, add_stored, &(struct reader){k, i}, e);
    if (rc == RC_OK)
        rc = store_task_open_count(db, owner, &k->open_tasks, e);
    if (rc == RC_OK)
        rc = store_memory_all(db, k->a, owner, now, &all, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n && i < MEMORY_OWNER_MAX; i++)
        k->memories[k->memories_n++] = memory_words_of(k->a, all[i].text);
    return rc;
}

enum rc import_known_load(
    struct store *s, int64_t owner, int64_t now, struct import_known **out, struct err *e)
{
    struct import_known *k = xcalloc(1, sizeof *k);
    k->a = arena_new();
    struct db *db = store_read(s);
    enum rc rc = load(k, db, owner, now, e);
    store_read_done(s, db);
    if (rc == RC_OK)
        *out = k;
    else
        import_known_free(k);
    return rc;
}

static void keep(void *hash)
{
    (void)hash; /* the arena owns the hash */
}

void import_known_free(struct import_known *k)
{
    if (!k)
        return;
    for (size_t i = 0; i < ARRAY_LEN(k->facts); i++)
        tdestroy(k->facts[i], keep);
    arena_free(k->a);
    free(k);
}

static bool is_new_memory(struct import_known *k, struct arena *a, struct memory *m, int64_t now)
{
    if (m->expires_at && m->expires_at <= now)
        return false;
    if (!add(k, EXPORT_MEMORIES, m->text, m->created_at) || k->memories_n >= MEMORY_OWNER_MAX)
        return false;
    const struct memory_words *words = memory_words_of(k->a, arena_str(k->a, m->text));
    for (size_t i = 0; i < k->memories_n; i++)
        if (memory_words_same(k->memories[i], words))
            return false; /* the existing fact stays unchanged */
    k->memories[k->memories_n++] = words;
    memory_embed(a, m);
    return true;
}

static bool is_new_task(struct import_known *k, const struct task *t)
{
    if (!t->done_at && k->open_tasks >= TASKS_OPEN_MAX)
        return false;
    if (!add(k, EXPORT_TASKS, t->text, t->created_at))
        return false;
    k->open_tasks += !t->done_at;
    return true;
}

bool import_known_takes(struct import_known *k, struct arena *a, struct import_extra *x, int64_t now)
{
    switch (x->kind) {
    case EXTRA_SUMMARY:
    case EXTRA_COMPACTION: return true;
    case EXTRA_MEMORY:
        x->memory.created_at = x->memory.created_at ? x->memory.created_at : now;
        return is_new_memory(k, a, &x->memory, now);
    case EXTRA_TASK:
        x->task.created_at = x->task.created_at ? x->task.created_at : now;
        return is_new_task(k, &x->task);
    case EXTRA_REMINDER:
        x->reminder.created_at = x->reminder.created_at ? x->reminder.created_at : now;
        return add(k, EXPORT_REMINDERS, x->reminder.text, x->reminder.created_at);
    }
    return false;
}

enum rc import_known_since(struct db *db, const struct import_known *k, int64_t owner,
    const struct import_extra *x, bool *is, struct err *e)
{
    switch (x->kind) {
    case EXTRA_SUMMARY:
    case EXTRA_COMPACTION: *is = false; return RC_OK;
    case EXTRA_MEMORY:
        return store_import_fact_since(db, EXPORT_MEMORIES, owner, k->last[EXPORT_MEMORIES], x->memory.text,
            x->memory.created_at, is, e);
    case EXTRA_TASK:
        return store_import_fact_since(
            db, EXPORT_TASKS, owner, k->last[EXPORT_TASKS], x->task.text, x->task.created_at, is, e);
    case EXTRA_REMINDER:
        return store_import_fact_since(db, EXPORT_REMINDERS, owner, k->last[EXPORT_REMINDERS],
            x->reminder.text, x->reminder.created_at, is, e);
    }
    return RC_OK;
}
