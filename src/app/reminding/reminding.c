#include "app/reminding/reminding.h"

#include <stdio.h>
#include <string.h>

#include "app/account/settings.h"
#include "app/command/command.h"
#include "app/delivery/outbox.h"
#include "app/reminding/reminding_private.h"
#include "base/humanize.h"
#include "base/id.h"
#include "base/log.h"
#include "base/utf8.h"
#include "store/channel/outbox.h"
#include "store/message/comparison.h"
#include "store/message/message.h"

#define AT_ONCE 100 /* deliveries in one transaction */

/* ---- words ---- */

const char *reminding_late_words(
    struct arena *a, const struct locale *l, int64_t due_at, int64_t told_at, int64_t missed)
{
    struct locale then = {l->lang, l->zone, told_at, NULL};
    if (told_at - due_at < REMINDER_LATE_MS && !missed)
        return NULL;
    const struct lang_arg *args = LANG_ARGS({"when", humanize_moment(a, &then, due_at)});
    return missed ? lang_count(a, l->lang, "reminding.missed", missed + 1, args)
                  : lang_fill(a, l->lang, "reminding.late", args);
}

/* The message of a reminder: "**Reminder:** Call the bank", with the due time when it is late. */
static struct str message_of(
    struct arena *a, const struct locale *l, struct str text, const struct reminder_due *d)
{
    const char *late = reminding_late_words(a, l, d->due_at, d->told_at, d->missed);
    return str_of(arena_printf(a, "**%s** %.*s%s%s", lang_text(l->lang, "reminding.message"), STR_FMT(text),
        late ? "\n\n" : "", late ? late : ""));
}

/* ---- sessions ---- */

enum rc reminding_new_session(struct db *db, struct arena *a, int64_t owner, struct str title, int64_t now,
    struct session *out, struct err *e)
{
    char pub[ID_SIZE];
    int64_t id;
    struct str line = str_trim(str_cut(&title, '\n'));
    line.len = utf8_cut_chars(line, SESSION_TITLE_CHARS_MAX);
    id_new(ID_SESSION, pub);
    enum rc rc = store_session_add(db, owner, pub, NULL, NULL, now, &id, e);
    if (rc == RC_OK)
        rc = store_session_rename(db, owner, pub, arena_strndup(a, line.s, line.len), e);
    return rc == RC_OK ? store_session_by_id(db, a, owner, id, out, e) : rc;
}

/* The session "Reminders". */
static enum rc find_home(
    struct db *db, struct arena *a, int64_t owner, const struct locale *l, struct session *out, struct err *e)
{
    int64_t id;
    enum rc rc = store_reminder_session(db, owner, &id, e);
    if (rc == RC_OK)
        return store_session_by_id(db, a, owner, id, out, e);
    if (rc != RC_NOT_FOUND)
        return rc;
    rc = reminding_new_session(db, a, owner, str_of(lang_text(l->lang, "reminding.session")), l->now, out, e);
    return rc == RC_OK ? store_reminder_session_set(db, owner, out->id, e) : rc;
}

/* ---- the message ---- */

enum rc reminding_write(struct db *db, const struct session *s, struct str markdown, const char *client_id,
    int64_t now, struct err *e)
{
    struct message m = {.session_id = s->id,
        .parent_id = s->head_id,
        .role = ROLE_ASSISTANT,
        .status = MESSAGE_DONE,
        .channel = REMINDING_CHANNEL,
        .text = markdown,
        .client_id = client_id,
        .created_at = now,
        .ended_at = now};
    enum rc rc = store_message_add(db, s->owner, &m, e);
    return rc == RC_CONFLICT ? RC_OK : rc; /* it is there */
}

enum rc reminding_post(struct db *db, struct arena *a, int64_t owner, const struct locale *l,
    struct str markdown, int64_t reminder_id, struct err *e)
{
    static const struct {
        const char *label, *line;
    } answers[] = {{"reminding.done", "done"}, {"reminding.snooze_10m", "snooze 10m"},
        {"reminding.snooze_1h", "snooze 1h"}, {"reminding.snooze_tomorrow", "snooze tomorrow"}};
    struct command_button buttons[ARRAY_LEN(answers)];
    for (size_t i = 0; i < ARRAY_LEN(answers); i++)
        buttons[i] = (struct command_button){lang_text(l->lang, answers[i].label),
            arena_printf(a, "/reminder %lld %s", (long long)reminder_id, answers[i].line)};
    struct outbox_post post = {
        .markdown = markdown, .buttons = buttons, .buttons_n = reminder_id ? ARRAY_LEN(buttons) : 0};
    bool any;
    enum rc rc = reminder_id ? store_outbox_replace(db, owner, buttons[0].line, e) : RC_OK;
    return rc == RC_OK ? outbox_post_user(db, owner, &post, l->now, &any, e) : rc;
}

static enum rc write_due(struct db *db, struct arena *a, const struct session *s, const struct locale *l,
    struct str text, const struct reminder_due *due, struct err *e)
{
    char client_id[REMINDING_CLIENT_ID_SIZE];
    snprintf(client_id, sizeof client_id, "reminder:%lld", (long long)due->id);
    return reminding_write(db, s, message_of(a, l, text, due), client_id, l->now, e);
}

/* The session takes no message now: an answer is written, or the user chooses between two and would lose what
 * is below the other one. */
static enum rc is_busy(struct db *db, const struct session *s, bool *out, struct err *e)
{
    *out = true;
    return s->running_turns ? RC_OK : store_comparison_is_open(db, s->id, out, e);
}

static enum rc tell(struct db *db, struct arena *a, const struct reminder_fired *f, const struct locale *l,
    struct reminding_step *out, struct err *e)
{
    const struct reminder *r = &f->r;
    struct session s;
    bool busy = false;
    enum rc rc = r->session ? store_session_get(db, a, r->owner, r->session, &s, e) : RC_NOT_FOUND;
    if (rc == RC_NOT_FOUND)
        rc = find_home(db, a, r->owner, l, &s, e);
    if (rc == RC_OK)
        rc = is_busy(db, &s, &busy, e);
    if (rc == RC_OK && busy)
        rc = store_reminder_delivery_add(db,
            &(struct reminder_delivery){
                .due_id = f->due.id, .owner = r->owner, .step = DELIVERY_MESSAGE, .session_id = s.id},
            e);
    else if (rc == RC_OK)
        rc = write_due(db, a, &s, l, r->text, &f->due, e);
    if (rc == RC_OK)
        rc = reminding_post(db, a, r->owner, l, message_of(a, l, r->text, &f->due), r->id, e);
    out->posted = true;
    return rc;
}

/* ---- steps ---- */

/* The turn of its session may have ended. */
static enum rc write_waiting(
    struct db *db, struct arena *a, const struct reminder_delivery *d, int64_t now, struct err *e)
{
    struct session s;
    struct reminder r;
    struct locale l;
    const struct reminder_due due = {
        .id = d->due_id, .due_at = d->due_at, .told_at = d->told_at, .missed = d->missed};
    enum rc rc = store_session_by_id(db, a, d->owner, d->session_id, &s, e);
    if (rc == RC_OK && s.running_turns)
        return RC_OK;
    if (rc == RC_OK)
        rc = store_reminder_get(db, a, d->owner, d->reminder_id, &r, e);
    if (rc == RC_OK)
        rc = settings_locale_in(db, a, d->owner, now, &l, e);
    if (rc == RC_OK)
        rc = write_due(db, a, &s, &l, r.text, &due, e);
    if (rc == RC_OK || rc == RC_NOT_FOUND) /* session or reminder was deleted meanwhile */
        rc = store_reminder_delivery_delete(db, d->due_id, e);
    return rc;
}

struct tx {
    int64_t now;
    struct reminding_step *out;
    bool more;
};

/* A reminder that cannot be delivered, of a user who has used all numbers for example, stops no other. */
static enum rc deliver(
    struct db *db, struct arena *a, const struct reminder_fired *f, const struct tx *t, struct err *e)
{
    struct locale l;
    struct err why = ERR_INIT;
    enum rc rc = settings_locale_in(db, a, f->r.owner, t->now, &l, &why);
    if (rc == RC_OK)
        rc = strcmp(f->r.kind, REMINDER_PROMPT) == 0 ? reminding_order(db, a, f, &l, t->out, &why)
                                                     : tell(db, a, f, &l, t->out, &why);
    if (rc == RC_NOT_FOUND || rc == RC_TOO_BIG || rc == RC_BAD_INPUT || rc == RC_CONFLICT) {
        log_warn("reminder %lld: %s: %s", (long long)f->r.id, rc_name(rc), why.text);
        return RC_OK;
    }
    *e = why;
    return rc;
}

static enum rc fire_tx(struct db *db, void *arg, struct err *e)
{
    struct tx *t = arg;
    AUTO(arena) a = arena_new();
    struct reminder_fired *fired;
    size_t n;
    enum rc rc = reminders_fire_in(db, a, t->now, &fired, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++)
        rc = deliver(db, a, &fired[i], t, e);
    t->more = n == REMINDER_FIRE_MAX;
    return rc;
}

static enum rc follow_tx(struct db *db, void *arg, struct err *e)
{
    struct tx *t = arg;
    AUTO(arena) a = arena_new();
    struct reminder_delivery *list;
    size_t n;
    enum rc rc = store_reminder_deliveries(db, a, t->now, AT_ONCE, &list, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++)
        rc = list[i].step == DELIVERY_MESSAGE ? write_waiting(db, a, &list[i], t->now, e)
                                              : reminding_follow(db, a, &list[i], t->now, t->out, e);
    return rc;
}

static enum rc look(struct store *s, int64_t now, struct reminding_step *out, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct reminder_delivery *list;
    size_t n = 0;
    int64_t retry_at = INT64_MAX;
    struct db *db = store_read(s);
    enum rc rc = store_reminder_next_at(db, &out->next_at, e);
    if (rc == RC_OK)
        rc = store_reminder_delivery_next_at(db, &retry_at, e);
    if (rc == RC_OK)
        rc = store_reminder_deliveries(db, a, now, 1, &list, &n, e);
    store_read_done(s, db);
    if (retry_at < out->next_at)
        out->next_at = retry_at;
    out->waits = n > 0;
    return rc;
}

enum rc reminding_step(struct store *s, int64_t now, struct reminding_step *out, struct err *e)
{
    *out = (struct reminding_step){.next_at = INT64_MAX};
    struct tx t = {.now = now, .out = out, .more = true};
    enum rc rc = look(s, now, out, e);
    while (rc == RC_OK && t.more && out->next_at <= now) {
        t.more = false;
        rc = store_write(s, fire_tx, &t, e);
    }
    if (rc == RC_OK && out->waits)
        rc = store_write(s, follow_tx, &t, e);
    return rc == RC_OK ? look(s, now, out, e) : rc;
}
