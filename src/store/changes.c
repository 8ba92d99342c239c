#include "store/changes.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/fs.h"
#include "base/local_socket.h"
#include "base/rand.h"

struct changes {
    char dir[FS_PATH_MAX]; /* of the database */
    struct local_sender to;
    bool owed;
    struct changes_datagram now;
};

/* `kind`: the number of an enum change_kind. */
#define NOTE(kind, owner, id, pub, value) \
    "BEGIN SELECT note(" kind ", " owner ", " id ", " pub ", " value "); END"
#define SESSION        "1"
#define TASK           "2"
#define SUGGESTION     "3"
#define TRANSFER       "4"
#define MEMORY         "5"
#define INDEX          "6"
#define REMINDER       "7"
#define LOGIN          "8"
#define CHOICE         "9"
#define PERSONA        "10"
#define WORKSPACE_FILE "11"
static_assert(CHANGE_SESSION == 1 && CHANGE_TASK == 2 && CHANGE_SUGGESTION == 3 && CHANGE_TRANSFER == 4 &&
                  CHANGE_MEMORY == 5 && CHANGE_INDEX == 6 && CHANGE_REMINDER == 7 && CHANGE_LOGIN == 8 &&
                  CHANGE_CHOICE == 9 && CHANGE_PERSONA == 10 && CHANGE_FILE == 11,
    "the numbers in the triggers");
#define GONE "-1"

/* A table with owners: its insertions, deletions, and updates of the columns `of`. `pub`: "pub" or "id". */
#define NOTED(table, kind, of, pub)                                                       \
    "CREATE TEMP TRIGGER note_" table "_insert AFTER INSERT ON main." table               \
    " " NOTE(kind, "new.owner", "new.id", "new." pub, "0"),                               \
        "CREATE TEMP TRIGGER note_" table "_update AFTER UPDATE OF " of " ON main." table \
        " " NOTE(kind, "new.owner", "new.id", "new." pub, "0"),                           \
        "CREATE TEMP TRIGGER note_" table "_delete AFTER DELETE ON main." table           \
        " " NOTE(kind, "old.owner", "old.id", "old." pub, GONE)

/* Only for an embedding model that is being built. With the model in use, each new message moves the
 * position, and no page shows that. */
#define NOTED_INDEX(name, event)                                                                \
    "CREATE TEMP TRIGGER note_index_" name " AFTER " event " ON main.embedding_progress "       \
    "WHEN (SELECT state FROM main.embedding_model WHERE id = new.model_id) = 'building' " NOTE( \
        INDEX, "new.owner", "0", "NULL", "0")

/* A persona, for all users if it is shared. */
#define NOTED_PERSONA(name, event, row, shared, value)                                    \
    "CREATE TEMP TRIGGER note_persona_" name " AFTER " event " ON main.library WHEN " row \
    ".kind = 'persona' " NOTE(PERSONA, "iif(" shared ", 0, " row ".owner)", row ".id", row ".id", value)

/* The session of a row of another table. The deletion of a session is a change of its own. */
#define NOTE_OF_SESSION(row)                                                                    \
    "BEGIN SELECT note(" SESSION ", owner, id, pub, head_id) FROM main.session WHERE id = " row \
    ".session_id; END"

/* The columns of a session that lists and pages show. */
#define SESSION_SHOWN(row)                                                                           \
    "(" row ".owner, " row ".title, " row ".head_id, " row ".running_turns, " row ".active_at, " row \
    ".seen_at, " row ".pinned, " row ".archived_by_user, " row ".workspace)"

/* Those that the message box of an open page shows. */
#define SESSION_CHOICE(row) "(" row ".provider, " row ".model, " row ".effort, " row ".persona_id)"

/* clang-format off */
static const char *const triggers[] = {
    "CREATE TEMP TRIGGER note_session_insert AFTER INSERT ON main.session "
    NOTE(SESSION, "new.owner", "new.id", "new.pub", "new.head_id"),
    "CREATE TEMP TRIGGER note_session_update AFTER UPDATE ON main.session "
    "WHEN " SESSION_SHOWN("old") " IS NOT " SESSION_SHOWN("new") " "
    NOTE(SESSION, "new.owner", "new.id", "new.pub", "new.head_id"),
    "CREATE TEMP TRIGGER note_session_choice AFTER UPDATE OF provider, model, effort, persona_id ON main.session "
    "WHEN " SESSION_CHOICE("old") " IS NOT " SESSION_CHOICE("new") " "
    NOTE(CHOICE, "new.owner", "new.id", "new.pub", "0"),
    "CREATE TEMP TRIGGER note_session_leave AFTER UPDATE OF owner ON main.session "
    "WHEN old.owner IS NOT new.owner "
    NOTE(SESSION, "old.owner", "old.id", "old.pub", GONE),
    "CREATE TEMP TRIGGER note_session_delete AFTER DELETE ON main.session "
    NOTE(SESSION, "old.owner", "old.id", "old.pub", GONE),
    "CREATE TEMP TRIGGER note_session_tag_insert AFTER INSERT ON main.session_tag "
    NOTE_OF_SESSION("new"),
    "CREATE TEMP TRIGGER note_session_tag_delete AFTER DELETE ON main.session_tag "
    NOTE_OF_SESSION("old"),
    "CREATE TEMP TRIGGER note_temporary_update AFTER UPDATE OF ends_at ON main.temporary "
    NOTE_OF_SESSION("new"),
    "CREATE TEMP TRIGGER note_temporary_delete AFTER DELETE ON main.temporary "
    NOTE_OF_SESSION("old"),
    "CREATE TEMP TRIGGER note_compacting_insert AFTER INSERT ON main.compaction_request "
    NOTE_OF_SESSION("new"),
    "CREATE TEMP TRIGGER note_compacting_update AFTER UPDATE OF error ON main.compaction_request "
    NOTE_OF_SESSION("new"),
    "CREATE TEMP TRIGGER note_compacting_delete AFTER DELETE ON main.compaction_request "
    NOTE_OF_SESSION("old"),
    NOTED("task", TASK, "text, due, done_at, deleted_at", "id"),
    NOTED("suggestion", SUGGESTION, "state", "id"),
    NOTED("transfer", TRANSFER, "state, done, skipped, total, ended_at", "pub"),
    NOTED("workspace_file", WORKSPACE_FILE, "text", "id"),
    NOTED("memory", MEMORY, "text, tags, deleted_at, expires_at", "id"),
    NOTED("reminder", REMINDER, "text, start, rule, next_at, snooze_at, paused_at, deleted_at", "id"),
    "CREATE TEMP TRIGGER note_due_insert AFTER INSERT ON main.reminder_due "
    NOTE(REMINDER, "new.owner", "new.reminder_id", "new.reminder_id", "0"),
    "CREATE TEMP TRIGGER note_due_update AFTER UPDATE OF state ON main.reminder_due "
    NOTE(REMINDER, "new.owner", "new.reminder_id", "new.reminder_id", "0"),
    "CREATE TEMP TRIGGER note_delivery_delete AFTER DELETE ON main.reminder_delivery "
    NOTE(REMINDER, "old.owner", "0", "NULL", "0"),
    NOTED_PERSONA("insert", "INSERT", "new", "new.shared", "0"),
    NOTED_PERSONA("update", "UPDATE OF shared, name, choice", "new", "old.shared OR new.shared", "0"),
    NOTED_PERSONA("delete", "DELETE", "old", "old.shared", GONE),
    NOTED_INDEX("insert", "INSERT"),
    NOTED_INDEX("update", "UPDATE OF done_to"),
    "CREATE TEMP TRIGGER note_index_model AFTER UPDATE OF state ON main.embedding_model "
    NOTE(INDEX, "0", "0", "NULL", "0"),
    "CREATE TEMP TRIGGER note_index_job AFTER UPDATE OF state ON main.job "
    "WHEN new.kind = 'embed' AND 'dead' IN (old.state, new.state) "
    NOTE(INDEX, "new.owner", "0", "NULL", "0"),
    "CREATE TEMP TRIGGER note_login_update AFTER UPDATE OF revoked_at ON main.login "
    NOTE(LOGIN, "new.user_id", "new.id", "NULL", "0"),
    "CREATE TEMP TRIGGER note_login_delete AFTER DELETE ON main.login "
    NOTE(LOGIN, "old.user_id", "old.id", "NULL", "0"),
    "CREATE TEMP TRIGGER note_token_delete AFTER DELETE ON main.api_token "
    NOTE(LOGIN, "old.user_id", "old.id", "NULL", "0"),
    "CREATE TEMP TRIGGER note_user_update AFTER UPDATE OF disabled_at ON main.user "
    NOTE(LOGIN, "new.id", "0", "NULL", "0"),
};
/* clang-format on */

/* Makes room: replaces all changes of an owner by one CHANGE_ALL. False: the datagram has none of this owner.
 */
static bool collapse(struct changes_datagram *d, int64_t owner)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < d->n; i++)
        if (d->list[i].owner != owner)
            d->list[kept++] = d->list[i];
    bool room = kept < d->n;
    d->n = kept;
    if (room)
        d->list[d->n++] = (struct change){.owner = owner, .kind = CHANGE_ALL};
    return room;
}

void changes_add(struct changes_datagram *d, const struct change *c)
{
    for (uint32_t i = 0; i < d->n; i++) {
        struct change *had = &d->list[i];
        if (had->kind == CHANGE_ALL && (had->owner == c->owner || !had->owner))
            return;
        if (had->owner == c->owner && had->kind == c->kind && had->id == c->id) {
            *had = *c;
            return;
        }
    }
    if (d->n < CHANGES_MAX) {
        d->list[d->n++] = *c;
    } else if (!collapse(d, c->owner)) {
        d->list[0] = (struct change){.kind = CHANGE_ALL};
        d->n = 1;
    }
}

static void on_note(void *arg, const struct db_note *n)
{
    struct changes *c = arg;
    if (!n->owner && n->kind != CHANGE_INDEX && n->kind != CHANGE_PERSONA)
        return; /* a draft of an import, the trash: nobody sees it */
    struct change one = {.owner = n->owner, .id = n->id, .value = n->value, .kind = (int)n->kind};
    snprintf(one.pub, sizeof one.pub, "%s", n->name ? n->name : "");
    changes_add(&c->now, &one);
}

enum rc changes_new(struct db *db, const char *database, struct changes **out, struct err *e)
{
    struct changes *c = xcalloc(1, sizeof *c);
    c->to = LOCAL_SENDER_INIT;
    const char *slash = strrchr(database, '/');
    snprintf(c->dir, sizeof c->dir, "%.*s", slash ? (int)(slash - database) : 1, slash ? database : ".");
    rand_bytes(&c->now.sender, sizeof c->now.sender);
    c->now.size = sizeof(struct change);
    enum rc rc = db_on_note(db, on_note, c, e);
    for (size_t i = 0; rc == RC_OK && i < ARRAY_LEN(triggers); i++)
        rc = db_exec(db, triggers[i], NO_ARGS, NULL, e);
    if (rc != RC_OK) {
        changes_free(c);
        return rc;
    }
    *out = c;
    return RC_OK;
}

void changes_free(struct changes *c)
{
    if (c)
        local_sender_close(&c->to);
    free_charp(&c);
}

void changes_publish(struct changes *c)
{
    struct changes_datagram *d = &c->now;
    if (!d->n && !c->owed)
        return;
    d->number++;
    struct str bytes = {(const char *)d, offsetof(struct changes_datagram, list) + d->n * sizeof d->list[0]};
    c->owed = local_sender_send(&c->to, c->dir, CHANGES_SOCKET, bytes) == LOCAL_FULL;
    d->n = 0;
}

void changes_drop(struct changes *c)
{
    c->now.n = 0;
}

bool changes_owed(const struct changes *c)
{
    return c->owed;
}

bool changes_parse(const void *bytes, size_t len, struct changes_datagram *out)
{
    const size_t head = offsetof(struct changes_datagram, list);
    if (len < head || len > sizeof *out)
        return false;
    memcpy(out, bytes, len);
    return out->size == sizeof(struct change) && len == head + out->n * sizeof out->list[0];
}
