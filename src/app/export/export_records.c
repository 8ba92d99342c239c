/* The records of our export format (docs/export.md), each written as one line to x->put. */
#include "app/export/export_private.h"

#include <limits.h>

#include "app/context/context.h"
#include "base/clock.h"
#include "codec/base64.h"
#include "codec/view.h"
#include "store/account/library.h"
#include "store/account/setting.h"
#include "store/account/user.h"
#include "store/channel/identity.h"
#include "store/memory/compaction.h"
#include "store/memory/memory.h"
#include "store/memory/summary.h"
#include "store/reminder.h"
#include "store/session/tag.h"
#include "store/session/workspace.h"
#include "store/session/workspace_file.h"
#include "store/task.h"
#include "store/transfer.h"

/* ---- records ---- */

static void begin(struct export *x, const char *type)
{
    strbuf_clear(&x->line);
    strbuf_addf(&x->line, "{\"type\":\"%s\"", type);
}

static void put_str(struct export *x, const char *key, struct str s)
{
    strbuf_addf(&x->line, ",\"%s\":", key);
    json_add_string(&x->line, s);
}

/* NULL and 0 are left out. */
static void put_text(struct export *x, const char *key, const char *s)
{
    if (s)
        put_str(x, key, str_of(s));
}

static void put_int(struct export *x, const char *key, int64_t n)
{
    if (n)
        strbuf_addf(&x->line, ",\"%s\":%lld", key, (long long)n);
}

static void put_id(struct export *x, const char *key, int64_t id)
{
    if (id)
        strbuf_addf(&x->line, ",\"%s\":\"%lld\"", key, (long long)id);
}

static void put_true(struct export *x, const char *key, bool b)
{
    if (b)
        strbuf_addf(&x->line, ",\"%s\":true", key);
}

/* Stored JSON. Older rows contain the line breaks of the model. */
static void put_json(struct export *x, const char *key, const char *json)
{
    if (!json || !*json)
        return;
    strbuf_addf(&x->line, ",\"%s\":", key);
    json_add_compact(&x->line, str_of(json), CONTEXT_CALLS_LIMITS);
}

static enum rc end(struct export *x, struct err *e)
{
    strbuf_adds(&x->line, x->bare ? "}" : "}\n");
    if (x->line.failed)
        return err_set(e, RC_TOO_BIG, "a record over %zu bytes", EXPORT_LINE_MAX);
    return x->put(x->put_arg, strbuf_str(&x->line), e);
}

/* ---- contents ---- */

static enum rc header(struct export *x, const struct user *u, int64_t sessions, struct err *e)
{
    char at[CLOCK_RFC3339_SIZE];
    clock_rfc3339(x->now, at);
    begin(x, "header");
    put_text(x, "format", EXPORT_FORMAT);
    put_int(x, "version", EXPORT_VERSION);
    if (u)
        put_text(x, "user", u->name);
    if (u && strcmp(u->shown, u->name) != 0)
        put_text(x, "display_name", u->shown);
    put_text(x, "exported_at", at);
    strbuf_addf(&x->line, ",\"sessions\":%lld", (long long)sessions);
    return end(x, e);
}

enum rc export_header(struct export *x, struct err *e)
{
    struct user u;
    enum rc rc = store_user_by_id(x->db, x->a, x->owner, &u, e);
    if (rc == RC_OK)
        rc = store_export_count(x->db, x->owner, x->transfer_id, &x->total, e);
    return rc == RC_OK ? header(x, &u, x->total, e) : rc;
}

enum rc export_header_one(struct export *x, struct err *e)
{
    return header(x, NULL, 1, e);
}

/* ---- what the user has set ---- */

/* Accounts of channels that are linked to the user. An import ignores them: they are linked by a code. */
static enum rc linked_accounts(struct export *x, struct err *e)
{
    struct channel_identity *list;
    size_t n;
    enum rc rc = store_channel_identity_list(x->db, x->a, x->owner, &list, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        begin(x, "linked_account");
        put_text(x, "channel", list[i].channel);
        put_text(x, "external_id", list[i].external_id);
        put_text(x, "name", list[i].name);
        put_int(x, "linked_at", list[i].linked_at);
        rc = end(x, e);
    }
    return rc;
}

enum rc export_settings(struct export *x, struct err *e)
{
    const char *values[SETTING_COUNT];
    enum rc rc = store_setting_all(x->db, x->a, x->owner, values, e);
    for (int s = 0; rc == RC_OK && s < SETTING_COUNT; s++) {
        if (!values[s])
            continue;
        begin(x, "setting");
        put_text(x, "name", setting_name((enum setting)s));
        put_text(x, "value", values[s]);
        rc = end(x, e);
    }
    return rc == RC_OK ? linked_accounts(x, e) : rc;
}

static enum rc workspace_files(struct export *x, struct err *e)
{
    int64_t *ids;
    size_t n;
    enum rc rc = store_workspace_file_ids(x->db, x->a, x->owner, &ids, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        AUTO(arena) a = arena_new(); /* of the text */
        struct workspace_file file;
        rc = store_workspace_file_get(x->db, a, x->owner, ids[i], &file, e);
        if (rc != RC_OK)
            return rc;
        begin(x, "workspace_file");
        put_text(x, "workspace", file.workspace);
        put_text(x, "name", file.name);
        put_int(x, "changed_at", file.changed_at);
        put_str(x, "text", file.text);
        rc = end(x, e);
    }
    return rc;
}

enum rc export_workspaces(struct export *x, struct err *e)
{
    struct workspace_instruction *list;
    size_t n;
    enum rc rc = store_workspace_instructions(x->db, x->a, x->owner, &list, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        begin(x, "workspace_instruction");
        put_text(x, "workspace", list[i].workspace);
        put_str(x, "text", list[i].text);
        rc = end(x, e);
    }
    return rc == RC_OK ? workspace_files(x, e) : rc;
}

static enum rc library(struct export *x, enum library_kind kind, struct err *e)
{
    struct library_entry *list;
    size_t n;
    enum rc rc = store_library_own(x->db, x->a, x->owner, kind, &list, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        begin(x, library_kind_name(kind));
        put_text(x, "name", list[i].name);
        put_true(x, "shared", list[i].shared);
        put_text(x, "choice", list[i].choice);
        if (list[i].temperature != TEMPERATURE_NONE)
            strbuf_addf(&x->line, ",\"temperature\":%d", list[i].temperature);
        put_text(x, "tools", list[i].tools);
        put_str(x, "text", list[i].text);
        rc = end(x, e);
    }
    return rc;
}

enum rc export_personas(struct export *x, struct err *e)
{
    return library(x, LIBRARY_PERSONA, e);
}

enum rc export_prompts(struct export *x, struct err *e)
{
    return library(x, LIBRARY_PROMPT, e);
}

enum rc export_tags(struct export *x, struct err *e)
{
    struct tag *list;
    size_t n;
    enum rc rc = store_tag_list(x->db, x->a, x->owner, &list, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        begin(x, "tag");
        put_text(x, "name", list[i].name);
        strbuf_addf(&x->line, ",\"colour\":%d", list[i].colour);
        rc = end(x, e);
    }
    return rc;
}

/* ---- a session ---- */

static enum rc put_tags(struct export *x, int64_t session_id, struct err *e)
{
    struct tag *list;
    size_t n;
    enum rc rc = store_session_tags(x->db, x->a, x->owner, session_id, &list, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        strbuf_adds(&x->line, i ? "," : ",\"tags\":[");
        json_add_string(&x->line, str_of(list[i].name));
    }
    if (rc == RC_OK && n)
        strbuf_addc(&x->line, ']');
    return rc;
}

enum rc export_session(struct export *x, const struct session *s, struct err *e)
{
    struct export_session_more more;
    enum rc rc = store_export_session_more(x->db, x->a, x->owner, s->id, &more, e);
    if (rc != RC_OK)
        return rc;
    begin(x, "session");
    put_text(x, "id", s->pub);
    put_text(x, "title", s->title);
    put_text(x, "titled_by", s->title ? more.titled_by : NULL);
    put_text(x, "topic", s->topic);
    put_text(x, "keywords", s->keywords);
    put_text(x, "workspace", s->workspace);
    put_text(x, "provider", s->provider);
    put_text(x, "model", s->model);
    put_text(x, "effort", s->effort);
    put_text(x, "persona", more.persona);
    if (s->temperature >= 0)
        strbuf_addf(&x->line, ",\"temperature\":%d", s->temperature);
    put_int(x, "answer_tokens", s->answer_tokens);
    put_true(x, "pinned", s->pinned);
    put_int(x, "created_at", s->created_at);
    put_int(x, "active_at", s->active_at);
    put_int(x, "archived_at", s->archived_at);
    put_true(x, "archived_by_user", s->archived_by_user);
    put_id(x, "head", s->head_id);
    put_id(x, "topic_knows", more.topic_id);
    put_id(x, "summary_knows", more.summarised_id);
    rc = put_tags(x, s->id, e);
    return rc == RC_OK ? end(x, e) : rc;
}

enum rc export_message(struct export *x, const struct session *s, const struct message *m, struct err *e)
{
    begin(x, "message");
    put_text(x, "session", s->pub);
    put_id(x, "id", m->id);
    put_id(x, "parent", m->parent_id);
    put_text(x, "role", message_role_name(m->role));
    put_text(x, "status", message_status_name(m->status));
    put_text(x, "channel", m->channel);
    put_int(x, "created_at", m->created_at);
    put_int(x, "ended_at", m->ended_at);
    put_text(x, "provider", m->provider);
    put_text(x, "model", m->model);
    put_int(x, "tokens_in", m->tokens_in);
    put_int(x, "tokens_out", m->tokens_out);
    put_text(x, "tool", m->tool);
    put_text(x, "call_id", m->call_id);
    put_int(x, "edited", m->edited);
    put_json(x, "calls", m->calls);
    AUTO(arena) a = arena_new();
    put_text(x, "error", said_words(a, lang_english(), m->error));
    put_int(x, "tokens_cached", m->tokens_cached);
    put_int(x, "tokens_reasoning", m->tokens_reasoning);
    put_text(x, "stop", message_stop_name(m->stop));
    if (x->reasoning && m->reasoning.len) {
        put_int(x, "reasoning_ms", m->reasoning_ms);
        put_str(x, "reasoning", m->reasoning);
    }
    put_str(x, "text", m->text);
    return end(x, e);
}

static void put_base64(struct export *x, const char *key, struct str data)
{
    strbuf_addf(&x->line, ",\"%s\":\"", key);
    base64_add(&x->line, data);
    strbuf_addc(&x->line, '"');
}

/* Only one picture is in memory. */
enum rc export_pictures(struct export *x, const struct session *s, const struct message *m, struct err *e)
{
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < m->pictures_n; i++) {
        AUTO(arena) own = arena_new();
        struct picture p;
        struct str data;
        rc = store_picture_get(x->db, own, x->owner, m->pictures[i].pub, &p, &data, e);
        if (rc == RC_NOT_FOUND) { /* deleted meanwhile */
            rc = RC_OK;
            continue;
        }
        if (rc != RC_OK)
            return rc;
        begin(x, "picture");
        put_text(x, "session", s->pub);
        put_id(x, "message", m->id);
        put_text(x, "media_type", p.media_type);
        put_int(x, "width", p.width);
        put_int(x, "height", p.height);
        if (m->pictures[i].alt)
            put_text(x, "alt", m->pictures[i].alt);
        put_base64(x, "data", data);
        rc = end(x, e);
    }
    return rc;
}

static enum rc summary(struct export *x, const struct session *s, const struct summary *y, struct err *e)
{
    begin(x, "summary");
    put_text(x, "session", s->pub);
    put_int(x, "version", y->version);
    put_true(x, "whole", y->whole);
    put_id(x, "first", y->first_id);
    put_id(x, "last", y->last_id);
    put_int(x, "messages", y->messages);
    put_text(x, "provider", y->provider);
    put_text(x, "model", y->model);
    put_int(x, "created_at", y->created_at);
    put_str(x, "text", y->text);
    return end(x, e);
}

/* The store lists the newest first. An import needs the oldest first. */
enum rc export_summaries(struct export *x, const struct session *s, struct err *e)
{
    AUTO(arena) own = arena_new();
    struct summary *list;
    size_t n;
    enum rc rc = store_summary_list(x->db, own, x->owner, s->id, 0, INT_MAX, &list, &n, e);
    while (rc == RC_OK && n > 0)
        rc = summary(x, s, &list[--n], e);
    return rc;
}

static enum rc compaction(
    struct export *x, const struct session *s, const struct compaction *c, struct err *e)
{
    begin(x, "compaction");
    put_text(x, "session", s->pub);
    put_id(x, "first", c->first_id);
    put_id(x, "last", c->last_id);
    put_int(x, "messages", c->messages);
    put_int(x, "tokens_before", c->tokens_before);
    put_int(x, "tokens_after", c->tokens_after);
    put_text(x, "provider", c->provider);
    put_text(x, "model", c->model);
    put_int(x, "created_at", c->created_at);
    put_str(x, "keep", c->keep);
    put_json(x, "facts", c->facts.s);
    put_str(x, "text", c->text);
    return end(x, e);
}

enum rc export_compactions(struct export *x, const struct session *s, struct err *e)
{
    AUTO(arena) own = arena_new();
    struct compaction *list;
    size_t n;
    enum rc rc = store_compaction_list(x->db, own, x->owner, s->id, 0, INT_MAX, &list, &n, e);
    while (rc == RC_OK && n > 0)
        rc = compaction(x, s, &list[--n], e);
    return rc;
}

/* ---- facts ---- */

typedef enum rc fact_fn(
    struct export *x, struct arena *a, const struct session *s, int64_t id, struct err *e);

static enum rc each_fact(
    struct export *x, const struct session *s, enum export_facts which, fact_fn *fact, struct err *e)
{
    AUTO(arena) own = arena_new();
    int64_t *ids;
    size_t n;
    enum rc rc = store_export_facts(x->db, own, which, x->owner, s ? s->id : 0, &ids, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        rc = fact(x, own, s, ids[i], e);
        if (rc == RC_NOT_FOUND)
            rc = RC_OK;
    }
    return rc;
}

static void begin_fact(struct export *x, const char *kind, const struct session *s, int64_t source)
{
    begin(x, kind);
    put_text(x, "session", s ? s->pub : NULL);
    put_id(x, "source", source);
}

static enum rc memory(struct export *x, struct arena *a, const struct session *s, int64_t id, struct err *e)
{
    struct memory m;
    enum rc rc = store_memory_get(x->db, a, x->owner, id, x->now, &m, e);
    if (rc != RC_OK)
        return rc;
    begin_fact(x, "memory", s, m.source_id);
    put_text(x, "tags", m.tags);
    put_int(x, "created_at", m.created_at);
    put_int(x, "used_at", m.used_at);
    put_int(x, "expires_at", m.expires_at);
    put_str(x, "text", m.text);
    return end(x, e);
}

enum rc export_memories(struct export *x, const struct session *s, struct err *e)
{
    return each_fact(x, s, EXPORT_MEMORIES, memory, e);
}

static enum rc task(struct export *x, struct arena *a, const struct session *s, int64_t id, struct err *e)
{
    struct task t;
    struct reminder r = {0};
    enum rc rc = store_task_get(x->db, a, x->owner, id, &t, e);
    if (rc == RC_OK && t.reminder_id)
        rc = store_reminder_get(x->db, a, x->owner, t.reminder_id, &r, e);
    if (rc != RC_OK)
        return rc;
    begin_fact(x, "task", s, t.source_id);
    put_text(x, "due", t.due);
    put_text(x, "start", t.start);
    put_text(x, "rule", t.rule);
    put_text(x, "zone", t.zone);
    put_int(x, "paused_at", r.paused_at);
    put_int(x, "snooze_at", r.snooze_at);
    put_int(x, "created_at", t.created_at);
    put_int(x, "done_at", t.done_at);
    put_str(x, "text", t.text);
    return end(x, e);
}

enum rc export_tasks(struct export *x, const struct session *s, struct err *e)
{
    return each_fact(x, s, EXPORT_TASKS, task, e);
}

/* The reminder of a task is not written here: it is part of the task's record. */
static enum rc reminder(struct export *x, struct arena *a, const struct session *s, int64_t id, struct err *e)
{
    struct reminder r;
    enum rc rc = store_reminder_get(x->db, a, x->owner, id, &r, e);
    if (rc != RC_OK || r.task_id)
        return rc;
    begin_fact(x, "reminder", s, r.source_id);
    put_text(x, "kind", r.kind);
    put_text(x, "start", r.start);
    put_text(x, "rule", r.rule);
    put_text(x, "zone", r.zone);
    put_int(x, "paused_at", r.paused_at);
    put_int(x, "snooze_at", r.snooze_at);
    put_int(x, "created_at", r.created_at);
    put_str(x, "text", r.text);
    return end(x, e);
}

enum rc export_reminders(struct export *x, const struct session *s, struct err *e)
{
    return each_fact(x, s, EXPORT_REMINDERS, reminder, e);
}
