/* Commands about reminders. */
#include "app/command/command_private.h"

#include "app/reminder/reminder.h"
#include "codec/when/when.h"

static const char *moment(const struct command_call *c, int64_t at)
{
    const struct locale l = {c->x->lang, c->x->zone, c->x->now, NULL};
    return humanize_exact(c->x->a, &l, at);
}

static enum rc list_reminders(struct command_call *c, struct err *e)
{
    struct reminder *rows;
    size_t n, shown = 0;
    struct db *db = store_read(c->x->store);
    enum rc rc = store_reminder_list(db, c->x->a, c->x->owner, NULL, COMMAND_PAGE, &rows, &n, e);
    store_read_done(c->x->store, db);
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        if (!rows[i].fires_at)
            continue;
        shown++;
        command_item(c, "%s · %s", command_text(c, rows[i].text), moment(c, rows[i].fires_at));
        const char *label = lang_fill(c->x->a, c->x->lang, "command.reminder_cancel_one",
            LANG_ARGS({"text", command_str(c, rows[i].text)}));
        command_button(c, command_label(c, str_of(label)),
            arena_printf(c->x->a, "/reminder %lld cancel", (long long)rows[i].id));
    }
    if (rc == RC_OK && !shown)
        command_say(c, "command.no_reminders", NULL);
    return rc;
}

static bool skip(struct str *s, struct str word)
{
    bool starts = str_starts_nocase(*s, word);
    if (starts)
        *s = str_trim(str_from(*s, word.len));
    return starts;
}

/* Without words: the list. The words may go on as a sentence does: "/remind me at five to call". */
enum rc command_remind(struct command_call *c, struct err *e)
{
    const struct command_context *x = c->x;
    struct when when;
    struct str rest;
    struct reminder r;
    struct str words = c->args;
    if (words.len == 0)
        return list_reminders(c, e);
    const struct str joint = skip(&words, STR("me "))     ? STR("to ")
                             : skip(&words, STR("mich ")) ? STR("an ")
                                                          : STR("");
    if (!when_find(x->a, words, time_zone_wall(x->zone, x->now), &when, &rest))
        return err_say(e, RC_BAD_INPUT, "command.remind_when");
    when_set_moment(&when, x->zone, x->now);
    skip(&rest, joint);
    if (str_trim(rest).len == 0)
        return err_say(e, RC_BAD_INPUT, "command.remind_what");
    struct reminder_input in = {.owner = x->owner,
        .text = rest,
        .start = str_of(when.start),
        .rule = str_of(when.rule),
        .zone = x->zone_name,
        .session = x->session,
        .now = x->now};
    enum rc rc = reminders_add(x->store, &in, x->a, &r, e);
    if (rc != RC_OK)
        return rc;
    helper_notify(x->config->server.data_dir);
    command_say(c, r.rule ? "command.reminder_repeats" : "command.reminder_set",
        LANG_ARGS({"text", command_text(c, r.text)}, {"when", moment(c, r.next_at)}));
    command_button(c, lang_text(x->lang, "command.reminder_cancel"),
        arena_printf(x->a, "/reminder %lld cancel", (long long)r.id));
    return RC_OK;
}

static enum rc snooze(struct command_call *c, int64_t id, struct str word, struct err *e)
{
    const struct command_context *x = c->x;
    struct reminder r;
    int64_t until;
    if (!reminders_snooze_until(word, x->zone, x->now, &until))
        return err_say(e, RC_BAD_INPUT, "command.bad_snooze");
    enum rc rc = reminders_snooze(x->store, x->owner, id, until, x->now, x->a, &r, e);
    if (rc == RC_OK)
        command_say(
            c, "command.snoozed", LANG_ARGS({"text", command_text(c, r.text)}, {"when", moment(c, until)}));
    return rc;
}

static enum rc cancel(struct command_call *c, int64_t id, struct err *e)
{
    enum rc rc = reminders_delete(c->x->store, c->x->owner, id, c->x->now, e);
    if (rc == RC_OK)
        command_say(c, "command.reminder_cancelled", NULL);
    return rc;
}

static enum rc done(struct command_call *c, int64_t id, struct err *e)
{
    struct reminder r;
    enum rc rc = reminders_done(c->x->store, c->x->owner, id, c->x->now, c->x->a, &r, e);
    if (rc == RC_OK)
        command_say(c, "command.reminder_answered", LANG_ARGS({"text", command_text(c, r.text)}));
    return rc;
}

/* Hidden: "/reminder 17 done", "/reminder 17 snooze 10m", "/reminder 17 cancel". */
enum rc command_reminder(struct command_call *c, struct err *e)
{
    struct str rest = c->args;
    int64_t id;
    enum rc rc = command_id(command_next(&rest), &id, e);
    struct str verb = command_next(&rest);
    if (rc != RC_OK)
        return rc;
    if (str_is(verb, "snooze"))
        rc = snooze(c, id, rest, e);
    else if (str_is(verb, "cancel"))
        rc = cancel(c, id, e);
    else if (str_is(verb, "done"))
        rc = done(c, id, e);
    else
        return err_say(e, RC_BAD_INPUT, "command.bad_id");
    if (rc == RC_NOT_FOUND)
        return err_say(e, rc, "command.no_such_reminder");
    if (rc == RC_OK)
        helper_notify(c->x->config->server.data_dir);
    return rc;
}
