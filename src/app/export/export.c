#include "app/export/export.h"

#include <stdio.h>
#include <stdlib.h>

#include "app/export/export_private.h"
#include "app/export/zip_write.h"
#include "base/clock.h"
#include "store/memory/compaction.h"
#include "store/transfer.h"

#define SESSIONS_AT_ONCE 50
#define MESSAGES_AT_ONCE 50
#define NAME_SIZE        64 /* of an entry: "ses_.../current.jsonl" */

typedef enum rc part_fn(struct export *x, const struct session *s, struct err *e);

/* A part is an entry of the zip. In JSON Lines the parts follow each other. */
struct part {
    const char *name;
    bool list; /* one JSON list; otherwise a record per line */
    part_fn *fn;
};

/* ---- the containers ---- */

/* The entry of a part, which is begun with its first record. */
struct entry {
    struct zip_write *zip;
    char name[NAME_SIZE];
    bool list, begun;
};

static enum rc put_in_entry(void *arg, struct str part, struct err *e)
{
    struct entry *n = arg;
    enum rc rc = n->begun ? RC_OK : zip_write_begin(n->zip, n->name, e);
    if (rc == RC_OK && n->list)
        rc = zip_write_put(n->zip, n->begun ? STR(",\n") : STR("[\n"), e);
    n->begun = true;
    return rc == RC_OK ? zip_write_put(n->zip, part, e) : rc;
}

static enum rc write_part(struct export *x, const struct session *s, const struct part *p, struct err *e)
{
    struct entry *n = x->put == put_in_entry ? x->put_arg : NULL;
    if (!n)
        return p->fn(x, s, e);
    snprintf(n->name, sizeof n->name, "%s%s%s", s ? s->pub : "", s ? "/" : "", p->name);
    n->list = x->bare = p->list;
    n->begun = false;
    enum rc rc = p->fn(x, s, e);
    if (rc == RC_OK && n->begun && n->list)
        rc = zip_write_put(n->zip, STR("\n]\n"), e);
    return rc == RC_OK && n->begun ? zip_write_end(n->zip, e) : rc;
}

static enum rc write_parts(
    struct export *x, const struct session *s, const struct part *parts, size_t n, struct err *e)
{
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < n; i++)
        rc = write_part(x, s, &parts[i], e);
    return rc;
}

/* ---- a session ---- */

static int by_id(const void *x, const void *y)
{
    int64_t i = *(const int64_t *)x, j = *(const int64_t *)y;
    return (i > j) - (i < j);
}

/* The messages that the compaction of the shown branch replaces in the context. */
static enum rc find_archived(struct export *x, const struct session *s, struct err *e)
{
    struct compaction c;
    struct export_node *nodes;
    size_t n;
    x->archived_n = 0;
    enum rc rc = store_compaction_on_path(x->db, x->a, x->owner, s->id, s->head_id, &c, e);
    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    rc = store_export_tree(x->db, x->a, x->owner, s->id, &nodes, &n, e);
    if (rc != RC_OK)
        return rc;
    int64_t *ids = ARENA_ARRAY(x->a, int64_t, n + 1), at = c.last_id;
    while (n > 0 && at) /* a parent has a smaller id */
        if (nodes[--n].id == at) {
            ids[x->archived_n++] = at;
            at = nodes[n].parent_id;
        }
    qsort(ids, x->archived_n, sizeof *ids, by_id);
    x->archived = ids;
    return RC_OK;
}

/* The messages of a session that are in x->archived, or those that are not. */
enum place { IN_ARCHIVED, NOT_IN_ARCHIVED };
static enum rc messages(struct export *x, const struct session *s, enum place place, struct err *e)
{
    int64_t after = 0;
    size_t n = MESSAGES_AT_ONCE;
    enum rc rc = RC_OK;
    while (rc == RC_OK && n == MESSAGES_AT_ONCE) {
        AUTO(arena) batch = arena_new();
        struct message *m;
        rc = store_export_messages(x->db, batch, x->owner, s->id, after, MESSAGES_AT_ONCE, &m, &n, e);
        for (size_t i = 0; rc == RC_OK && i < n; i++) {
            bool in = x->archived_n && bsearch(&m[i].id, x->archived, x->archived_n, sizeof m[i].id, by_id);
            if (in != (place == IN_ARCHIVED))
                continue;
            rc = export_message(x, s, &m[i], e);
            if (rc == RC_OK)
                rc = export_pictures(x, s, &m[i], e);
        }
        if (rc == RC_OK && n)
            after = m[n - 1].id;
    }
    return rc;
}

static enum rc archive(struct export *x, const struct session *s, struct err *e)
{
    enum rc rc = find_archived(x, s, e);
    return rc == RC_OK && x->archived_n ? messages(x, s, IN_ARCHIVED, e) : rc;
}

static enum rc current(struct export *x, const struct session *s, struct err *e)
{
    return messages(x, s, NOT_IN_ARCHIVED, e);
}

static enum rc summary(struct export *x, const struct session *s, struct err *e)
{
    enum rc rc = export_summaries(x, s, e);
    return rc == RC_OK ? export_compactions(x, s, e) : rc;
}

static enum rc facts(struct export *x, const struct session *s, struct err *e)
{
    enum rc rc = export_memories(x, s, e);
    if (rc == RC_OK)
        rc = export_tasks(x, s, e);
    return rc == RC_OK ? export_reminders(x, s, e) : rc;
}

static const struct part session_parts[] = {
    {"meta.json", false, export_session},
    {"archive.jsonl", false, archive},
    {"current.jsonl", false, current},
    {"summary.json", true, summary},
    {"facts.jsonl", false, facts},
};

/* A session is written as it is at one moment: its row names its last message. */
static enum rc all_of(struct export *x, int64_t id, struct err *e)
{
    struct session s;
    x->db = store_read_state(x->store);
    enum rc rc = store_session_by_id(x->db, x->a, x->owner, id, &s, e);
    if (rc == RC_OK)
        rc = write_parts(x, &s, session_parts, ARRAY_LEN(session_parts), e);
    else if (rc == RC_NOT_FOUND) /* deleted meanwhile */
        rc = RC_OK;
    store_read_done(x->store, x->db);
    return rc;
}

/* Releases the connection between batches, so that a long export does not keep an old snapshot of the
 * database alive. */
static enum rc sessions(struct export *x, export_progress_fn *progress, void *arg, struct err *e)
{
    int64_t after = 0;
    size_t n = SESSIONS_AT_ONCE;
    enum rc rc = RC_OK;
    while (rc == RC_OK && n == SESSIONS_AT_ONCE) {
        AUTO(arena) batch = arena_new();
        int64_t *ids;
        x->a = batch;
        x->db = store_read(x->store);
        rc = store_export_sessions(
            x->db, batch, x->owner, x->transfer_id, after, SESSIONS_AT_ONCE, &ids, &n, e);
        store_read_done(x->store, x->db);
        for (size_t i = 0; rc == RC_OK && i < n; i++, x->done++)
            rc = all_of(x, after = ids[i], e);
        if (rc == RC_OK && progress)
            rc = progress(arg, x->done, x->total > x->done ? x->total : x->done, e);
    }
    return rc;
}

/* ---- all ---- */

static enum rc header(struct export *x, const struct session *s, struct err *e)
{
    (void)s;
    return export_header(x, e);
}

static enum rc settings(struct export *x, const struct session *s, struct err *e)
{
    (void)s;
    return export_settings(x, e);
}

static enum rc workspaces(struct export *x, const struct session *s, struct err *e)
{
    (void)s;
    return export_workspaces(x, e);
}

static enum rc personas(struct export *x, const struct session *s, struct err *e)
{
    (void)s;
    return export_personas(x, e);
}

static enum rc prompts(struct export *x, const struct session *s, struct err *e)
{
    (void)s;
    return export_prompts(x, e);
}

static enum rc tags(struct export *x, const struct session *s, struct err *e)
{
    (void)s;
    return export_tags(x, e);
}

static const struct part first_parts[] = {
    {"alfred.json", false, header},
    {"settings.jsonl", false, settings},
    {"workspaces.jsonl", false, workspaces},
    {"personas.jsonl", false, personas},
    {"prompts.jsonl", false, prompts},
    {"tags.jsonl", false, tags},
};
static const struct part last_parts[] = {
    {"memory.jsonl", false, export_memories},
    {"tasks.jsonl", false, export_tasks},
    {"reminders.jsonl", false, export_reminders},
};

static enum rc write_all(struct export *x, export_progress_fn *progress, void *arg, struct err *e)
{
    AUTO(arena) own = arena_new();
    bool all = !x->transfer_id;
    x->a = own;
    x->db = store_read(x->store);
    enum rc rc = write_parts(x, NULL, first_parts, all ? ARRAY_LEN(first_parts) : 1, e);
    store_read_done(x->store, x->db);
    if (rc == RC_OK)
        rc = sessions(x, progress, arg, e);
    x->a = own;
    x->db = store_read(x->store);
    if (rc == RC_OK && all)
        rc = write_parts(x, NULL, last_parts, ARRAY_LEN(last_parts), e);
    store_read_done(x->store, x->db);
    return rc;
}

static enum rc write_zip(struct export *x, int fd, const struct export_options *options,
    export_progress_fn *progress, void *arg, struct err *e)
{
    AUTO(zip_write) zip = NULL;
    enum rc rc = zip_write_new(fd, options->folder, x->now, &zip, e);
    struct entry entry = {.zip = zip};
    x->put = put_in_entry;
    x->put_arg = &entry;
    if (rc == RC_OK)
        rc = write_all(x, progress, arg, e);
    x->put_arg = NULL;
    return rc == RC_OK ? zip_write_close(zip, e) : rc;
}

static enum rc write_lines(struct export *x, int fd, const struct export_options *options,
    export_progress_fn *progress, void *arg, struct err *e)
{
    struct export_file out;
    enum export_file_kind kind = options->container == EXPORT_GZIP ? EXPORT_FILE_GZIP : EXPORT_FILE_PLAIN;
    enum rc rc = export_file_open(&out, fd, kind, e);
    if (rc != RC_OK)
        return rc;
    x->put = export_file_put;
    x->put_arg = &out;
    rc = write_all(x, progress, arg, e);
    x->put_arg = NULL;
    return export_file_close(&out, rc, e);
}

enum rc export_write(struct store *s, int64_t owner, int fd, const struct export_options *options,
    export_progress_fn *progress, void *arg, struct err *e)
{
    struct export x = {.store = s,
        .owner = owner,
        .now = clock_wall_ms(),
        .transfer_id = options->transfer_id,
        .reasoning = options->reasoning};
    strbuf_init(&x.line, EXPORT_LINE_MAX);
    enum rc rc = options->container == EXPORT_ZIP ? write_zip(&x, fd, options, progress, arg, e)
                                                  : write_lines(&x, fd, options, progress, arg, e);
    strbuf_release(&x.line);
    return rc;
}
