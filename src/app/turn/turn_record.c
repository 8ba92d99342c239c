/* The records of a turn. Its log and its readers get the same ones. The text is released once the user's
 * message is on disk, and small pieces of it are merged. */
#include "app/turn/turn_private.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/log.h"

void turn_record(struct turn *t, enum turnlog_kind kind, struct str content)
{
    struct turnlog_record r = {.kind = kind, .content = content};
    struct err e = ERR_INIT;
    if (turnlog_append(t->out.log, kind, content, &e) != RC_OK) {
        log_error("turn %s: %s", t->ids.turn, e.text);
        err_say(&e, RC_IO, "answer.not_stored");
        turn_fail(t, &e);
        return;
    }
    if (kind != TURNLOG_MESSAGE)
        t->en->set.observer.on_record(t->en->set.observer.arg, t->ids.turn, &r);
}

void turn_record_message(struct turn *t)
{
    char id[24];
    int n = snprintf(id, sizeof id, "%lld", (long long)t->reply_id);
    turn_record(t, TURNLOG_MESSAGE, (struct str){id, (size_t)n});
}

static void release(struct turn *t, int64_t now_us)
{
    if (t->committed && t->out.released < t->answer.text.len) {
        struct str piece = {t->answer.text.s + t->out.released, t->answer.text.len - t->out.released};
        t->out.released = t->answer.text.len;
        t->out.released_us = now_us;
        turn_record(t, TURNLOG_TEXT, piece);
    }
}

void turn_release_text(struct turn *t)
{
    release(t, clock_mono_us());
}

static void on_merge(void *arg)
{
    struct turn *t = arg;
    t->out.merge_set = false;
    turn_release_text(t);
    if (t->over) /* the log cannot be written */
        turn_advance(t);
}

/* Merges pieces: each record costs a write to the log, a rendering and a write to every reader. */
void turn_merge_text(struct turn *t)
{
    if (t->out.merge_set || !t->committed)
        return;
    int64_t now_us = clock_mono_us();
    if (now_us - t->out.released_us >= TURN_MERGE_MS * US_PER_MS) {
        release(t, now_us);
        return;
    }
    if (!t->out.merge)
        t->out.merge = loop_timer_new(t->en->set.loop, on_merge, t);
    loop_timer_set(t->out.merge, TURN_MERGE_MS);
    t->out.merge_set = true;
}
