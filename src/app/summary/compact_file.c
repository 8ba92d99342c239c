/* Transcripts: the messages that a compaction replaced, in their original form, one JSON object per line. */
#include "app/summary/compact.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/context/context.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/id.h"
#include "codec/view.h"

#define FOLDER "transcripts"

/* ---- writing ---- */

static const char *id_text(struct arena *a, int64_t id)
{
    return id ? arena_printf(a, "%lld", (long long)id) : NULL;
}

static void view_created(struct view *v, int64_t at)
{
    char when[CLOCK_RFC3339_SIZE];
    clock_rfc3339(at, when);
    view_text(v, "created", when);
}

/* A view cannot contain stored JSON (calls, facts), so this appends it. Older rows contain the line breaks
 * of the model. */
static void put_line(const struct view *v, const char *key, struct str json, struct strbuf *out)
{
    size_t begin = out->len;
    view_json(v, out);
    if (out->len > begin) {
        strbuf_truncate(out, out->len - 1); /* the closing brace */
        strbuf_addf(out, ",\"%s\":", key);
        if (json.len)
            json_add_compact(out, json, CONTEXT_CALLS_LIMITS);
        else
            strbuf_adds(out, "null");
        strbuf_addc(out, '}');
    }
    strbuf_addc(out, '\n');
}

static void add_message(const struct message *m, struct strbuf *out)
{
    AUTO(arena) a = arena_new();
    struct view *v = view_new(a);
    view_text(v, "id", id_text(a, m->id));
    view_text(v, "parent", id_text(a, m->parent_id));
    view_text(v, "role", message_role_name(m->role));
    view_text(v, "status", message_status_name(m->status));
    view_str(v, "text", context_text(a, m));
    view_text(v, "tool", m->tool);
    view_text(v, "call_id", m->call_id);
    view_text(v, "error", said_words(a, lang_english(), m->error));
    view_text(v, "provider", m->provider);
    view_text(v, "model", m->model);
    view_created(v, m->created_at);
    put_line(v, "calls", m->calls ? str_of(m->calls) : STR(""), out);
}

static void add_before(const struct compaction *c, struct strbuf *out)
{
    AUTO(arena) a = arena_new();
    struct view *v = view_new(a);
    view_null(v, "id");
    view_text(v, "parent", id_text(a, c->last_id));
    view_text(v, "role", "compaction");
    view_text(v, "compaction", id_text(a, c->id));
    view_str(v, "text", c->text);
    view_text(v, "provider", c->provider);
    view_text(v, "model", c->model);
    view_created(v, c->created_at);
    put_line(v, "facts", c->facts, out);
}

/* Creates data_dir/transcripts/SESSION and syncs its name to disk. */
static enum rc make_folder(const char *data_dir, const char *session, char out[FS_PATH_MAX], struct err *e)
{
    char all[FS_PATH_MAX];
    enum rc rc = fs_join(all, data_dir, FOLDER, e);
    if (rc == RC_OK)
        rc = fs_join(out, all, session, e);
    if (rc != RC_OK || fs_exists(out))
        return rc;
    if ((rc = fs_mkdirs(out, e)) == RC_OK && (rc = fs_sync_name(out, e)) == RC_OK)
        rc = fs_sync_name(all, e);
    return rc;
}

enum rc compact_transcript_write(const char *data_dir, struct arena *a, const struct session *s,
    const struct compact_part *part, const char **name, struct err *e)
{
    char folder[FS_PATH_MAX], file[FS_PATH_MAX];
    AUTO_STRBUF lines;
    strbuf_init(&lines, COMPACT_TRANSCRIPT_MAX);
    if (part->before)
        add_before(part->before, &lines);
    for (size_t i = 0; i < part->n; i++)
        add_message(&part->path[i], &lines);
    if (lines.failed)
        return err_say(e, RC_TOO_BIG, "chat.too_much_to_compact", arg_limit("max", COMPACT_TRANSCRIPT_MAX));
    enum rc rc = make_folder(data_dir, s->pub, folder, e);
    const char *leaf = arena_printf(a, "%lld.jsonl", (long long)part->path[part->n - 1].id);
    if (rc == RC_OK)
        rc = fs_join(file, folder, leaf, e);
    if (rc == RC_OK)
        rc = fs_write_atomic(file, strbuf_str(&lines), e);
    *name = arena_printf(a, "%s/%s", s->pub, leaf);
    return rc;
}

enum rc compact_transcript_read(const char *data_dir, const char *name, struct strbuf *out, struct err *e)
{
    char all[FS_PATH_MAX], file[FS_PATH_MAX];
    enum rc rc = fs_join(all, data_dir, FOLDER, e);
    if (rc == RC_OK)
        rc = fs_join(file, all, name, e);
    return rc == RC_OK ? fs_read(file, out, e) : rc;
}

/* ---- removal ---- */

struct sweep {
    const char *folder; /* folder of one session */
    const char *session;
    const char **named;
    size_t named_n;
    size_t left;
    int64_t *removed;
};

static bool is_named(const struct sweep *s, const char *leaf)
{
    size_t n = strlen(s->session);
    for (size_t i = 0; i < s->named_n; i++)
        if (strncmp(s->named[i], s->session, n) == 0 && strcmp(s->named[i] + n + 1, leaf) == 0)
            return true;
    return false;
}

static enum rc sweep_file(void *arg, const char *leaf, struct err *e)
{
    struct sweep *s = arg;
    char file[FS_PATH_MAX];
    if (is_named(s, leaf)) {
        s->left++;
        return RC_OK;
    }
    enum rc rc = fs_join(file, s->folder, leaf, e);
    if (rc != RC_OK)
        return rc;
    if (unlink(file) < 0 && errno != ENOENT)
        return err_set(e, RC_IO, "remove %s: %s", file, strerror(errno));
    (*s->removed)++;
    return RC_OK;
}

/* Calls `fn` with each name in a folder. A missing folder counts as empty. */
static enum rc each_entry(
    const char *folder, enum rc (*fn)(void *arg, const char *name, struct err *e), void *arg, struct err *e)
{
    DIR *d = opendir(folder);
    if (!d)
        return errno == ENOENT ? RC_OK : err_set(e, RC_IO, "open %s: %s", folder, strerror(errno));
    enum rc rc = RC_OK;
    for (struct dirent *entry; rc == RC_OK && (entry = readdir(d));)
        if (entry->d_name[0] != '.')
            rc = fn(arg, entry->d_name, e);
    closedir(d);
    return rc;
}

struct sweep_all {
    struct store *store;
    const char *folder;
    int64_t *removed;
};

/* Removes the files of one session that no compaction names, and the folder when it is empty. */
static enum rc sweep_folder(struct sweep *s, struct err *e)
{
    enum rc rc = each_entry(s->folder, sweep_file, s, e);
    if (rc == RC_OK && s->left == 0 && rmdir(s->folder) < 0 && errno != ENOENT && errno != ENOTEMPTY)
        rc = err_set(e, RC_IO, "remove %s: %s", s->folder, strerror(errno));
    return rc;
}

enum rc compact_transcripts_remove(const char *data_dir, const char *session, struct err *e)
{
    char all[FS_PATH_MAX], folder[FS_PATH_MAX];
    int64_t removed = 0;
    struct sweep s = {.folder = folder, .session = session, .removed = &removed};
    enum rc rc = fs_join(all, data_dir, FOLDER, e);
    if (rc == RC_OK)
        rc = fs_join(folder, all, session, e);
    return rc == RC_OK ? sweep_folder(&s, e) : rc;
}

struct sizing {
    const char *folder;
    int64_t *bytes;
};

static enum rc size_file(void *arg, const char *leaf, struct err *e)
{
    const struct sizing *s = arg;
    char file[FS_PATH_MAX];
    struct stat st;
    enum rc rc = fs_join(file, s->folder, leaf, e);
    if (rc == RC_OK && stat(file, &st) == 0)
        *s->bytes += st.st_size;
    return rc;
}

enum rc compact_transcripts_bytes(const char *data_dir, const char *session, int64_t *bytes, struct err *e)
{
    char all[FS_PATH_MAX], folder[FS_PATH_MAX];
    struct sizing s = {folder, bytes};
    *bytes = 0;
    enum rc rc = fs_join(all, data_dir, FOLDER, e);
    if (rc == RC_OK)
        rc = fs_join(folder, all, session, e);
    return rc == RC_OK ? each_entry(folder, size_file, &s, e) : rc;
}

static enum rc sweep_session(void *arg, const char *session, struct err *e)
{
    struct sweep_all *all = arg;
    AUTO(arena) a = arena_new();
    char folder[FS_PATH_MAX];
    struct sweep s = {.folder = folder, .session = session, .removed = all->removed};
    if (!id_valid(ID_SESSION, session))
        return RC_OK; /* not a file of ours */
    enum rc rc = fs_join(folder, all->folder, session, e);
    if (rc != RC_OK)
        return rc;
    struct db *db = store_read(all->store);
    rc = store_compaction_transcripts(db, a, session, &s.named, &s.named_n, e);
    store_read_done(all->store, db);
    return rc == RC_OK ? sweep_folder(&s, e) : rc;
}

enum rc compact_transcripts_sweep(struct store *s, const char *data_dir, int64_t *removed, struct err *e)
{
    char folder[FS_PATH_MAX];
    struct sweep_all all = {.store = s, .folder = folder, .removed = removed};
    *removed = 0;
    enum rc rc = fs_join(folder, data_dir, FOLDER, e);
    return rc == RC_OK ? each_entry(folder, sweep_session, &all, e) : rc;
}
