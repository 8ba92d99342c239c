/*
 * After a crash: turns that were running become interrupted, with the text of their logs. Each is saved like
 * any turn at its end. One that cannot be saved blocks neither the others nor the start: the engine takes it
 * over and retries.
 */
#include "app/turn/turn_private.h"

#include <stdio.h>

#include "base/log.h"

struct salvage {
    int64_t message; /* the message that the following text belongs to */
    struct strbuf *text, *reasoning;
};

static void salvage_record(void *arg, const struct turnlog_record *r)
{
    struct salvage *s = arg;
    if (r->kind == TURNLOG_MESSAGE) {
        str_to_int(r->content, 1, INT64_MAX, &s->message);
        strbuf_clear(s->text);
        strbuf_clear(s->reasoning);
    } else if (r->kind == TURNLOG_TEXT) {
        strbuf_addstr(s->text, r->content);
    } else if (r->kind == TURNLOG_THINK) {
        strbuf_addstr(s->reasoning, r->content);
    }
}

/* Reads the text of the log. Without a log the turn had no text yet. If the log cannot be read, the answer
 * ends with a sentence about it, so that the session is usable again. A continued answer has at least the
 * text of its row. */
static void read_log(struct turn *t, const struct message *reply)
{
    AUTO_STRBUF reasoning;
    strbuf_init(&reasoning, TURN_REASONING_MAX);
    struct salvage s = {.text = &t->answer.text, .reasoning = &reasoning};
    struct err e = ERR_INIT;
    enum rc rc = turnlog_scan(t->en->set.config->server.data_dir, t->ids.turn, salvage_record, &s, &e);
    if (rc != RC_OK && rc != RC_NOT_FOUND) {
        log_error("turn %s: its log cannot be read, and its answer is lost: %s", t->ids.turn, e.text);
        err_say(err_kept(&t->end.failure), rc, "answer.lost");
    }
    /* A crash between a step's commit and its record leaves text of the previous message, which is saved
     * already. */
    if (s.message != t->reply_id)
        strbuf_clear(&t->answer.text);
    else /* the row has the reasoning before the turn, of an answer that is continued */
        strbuf_addstr(&t->answer.reasoning, strbuf_str(&reasoning));
    t->answer.text.failed = false; /* the complete part is kept */
    if (t->answer.text.len < reply->text.len) {
        strbuf_clear(&t->answer.text);
        strbuf_addstr(&t->answer.text, reply->text);
    }
}

static struct turn *turn_of(
    struct turn_engine *en, const struct turn_row *row, const char *session, const struct message *reply)
{
    struct turn *t = turn_new(en);
    t->ids = (struct turn_started){.owner = row->owner,
        .session_id = row->session_id,
        .asked_id = row->asked_id,
        .reply_id = row->reply_id,
        .slot = row->slot};
    snprintf(t->ids.turn, sizeof t->ids.turn, "%s", row->pub);
    snprintf(t->ids.session, sizeof t->ids.session, "%s", session);
    t->row_id = row->id;
    t->beside = row->slot > 0;
    t->asked_id = row->asked_id;
    t->reply_id = row->reply_id;
    t->end.status = MESSAGE_INTERRUPTED;
    t->tokens = turn_tokens_of(reply);
    t->answer.thought_us = reply->reasoning_ms * US_PER_MS;
    strbuf_addstr(&t->answer.reasoning, reply->reasoning);
    read_log(t, reply);
    return t;
}

struct orphans {
    struct turn_engine *en;
    struct arena *arena;
    struct turn_row *rows;
    const char **names, **sessions;
    struct message *replies;
    size_t n;
};

static enum rc read_orphans(struct db *db, void *arg, struct err *e)
{
    struct orphans *o = arg;
    enum rc rc = store_turn_orphans(db, o->arena, o->en->set.runner, &o->rows, &o->n, e);
    o->names = ARENA_ARRAY(o->arena, const char *, o->n);
    o->sessions = ARENA_ARRAY(o->arena, const char *, o->n);
    o->replies = ARENA_ARRAY(o->arena, struct message, o->n);
    for (size_t i = 0; rc == RC_OK && i < o->n; i++) {
        struct session s;
        rc = store_session_by_id(db, o->arena, o->rows[i].owner, o->rows[i].session_id, &s, e);
        o->names[i] = o->rows[i].pub;
        o->sessions[i] = rc == RC_OK ? s.pub : "";
        o->replies[i] = (struct message){0};
        if (rc == RC_OK)
            rc = store_message_get(db, o->arena, o->rows[i].owner, o->rows[i].reply_id, &o->replies[i], e);
        if (rc == RC_NOT_FOUND) /* saving its end will show that the row is gone */
            rc = RC_OK;
    }
    return rc;
}

enum rc turn_recover(struct turn_engine *en, struct turn_recovered *out, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct orphans o = {.en = en, .arena = a};
    struct err swept = ERR_INIT;
    enum rc rc = store_with_reader(en->set.store, read_orphans, &o, e);
    *out = (struct turn_recovered){0};
    if (rc != RC_OK)
        return rc;
    /* When the disk is full or the database busy, the remaining turns wait without an attempt, so that the
     * start is not delayed. */
    struct turn *blocked = NULL;
    for (size_t i = 0; i < o.n; i++) {
        struct turn *t = turn_of(en, &o.rows[i], o.sessions[i], &o.replies[i]);
        if (blocked) {
            t->save.rc = blocked->save.rc;
            *err_kept(&t->save.err) = *err_kept(&blocked->save.err);
        } else {
            turn_save_end(t);
        }
        if (t->save.rc == RC_OK) {
            turn_free(t);
            out->saved++;
            continue;
        }
        if (t->save.rc == RC_UNAVAILABLE)
            blocked = t;
        loop_post(en->set.loop, turn_adopt, t);
        out->waiting++;
    }
    int leftover = 0;
    if (turnlog_sweep(en->set.config->server.data_dir, o.names, o.n, &leftover, &swept) != RC_OK)
        log_warn("logs of turns that never began: %s", swept.text);
    if (leftover)
        log_info("%d logs of turns that never began removed", leftover);
    return RC_OK;
}
