/* Sends messages of the outbox: cuts a post into parts, sends each part and stores the outcome in its row. */
#include "app/delivery/delivery_private.h"

#include <string.h>

#include "app/account/settings.h"
#include "app/delivery/outbox_private.h"
#include "base/humanize.h"
#include "codec/picture.h"

struct beginning {
    struct outbox_row *row;
    struct outbox_row *parts; /* of a post that is not cut */
    size_t parts_n;
    bool blank; /* nothing is to be sent */
    int64_t now;
};

/* Cuts the post and marks its first part as sending, in one transaction. So a crash leaves either the whole
 * post waiting, or the first part in the state sending and the others waiting. */
static enum rc begin_tx(struct db *db, void *arg, struct err *e)
{
    struct beginning *b = arg;
    enum rc rc = b->parts_n ? store_outbox_cut(db, b->row, b->parts, b->parts_n, e) : RC_OK;
    if (rc == RC_OK)
        rc = store_outbox_begin(db, b->row->id, e);
    return rc == RC_OK && b->blank ? store_outbox_sent(db, b->row->id, NULL, b->now, e) : rc;
}

/* The text of surplus messages: while the answer grew, it had more messages than its final text needs. */
static struct channel_piece left_over(void)
{
    return (struct channel_piece){STR("…"), STR("…")};
}

/* For a text that needs too many messages: the last message that is sent says that the file has the whole
 * text. */
static void shorten(
    struct arena *a, const struct channel_driver *driver, const struct lang *l, struct channel_piece *pieces)
{
    struct channel_piece *words;
    size_t n;
    driver->render(a, str_of(lang_text(l, "delivery.in_file")), &words, &n);
    if (n)
        pieces[DELIVERY_PARTS_MAX - 1] = words[0];
}

/* The parts of a post. Those of the messages that grew replace them. */
static void cut(
    struct arena *a, const struct channel_driver *driver, const struct lang *l, struct beginning *b)
{
    struct outbox_row *r = b->row;
    struct channel_piece *pieces, none = {STR(""), STR("")};
    size_t n = 1;
    if (r->file_name)
        pieces = &none;
    else
        driver->render(a, r->markdown, &pieces, &n);
    b->blank = n == 0;
    if (n == 0)
        return;
    bool is_long = n > DELIVERY_PARTS_MAX;
    if (is_long) {
        shorten(a, driver, l, pieces);
        n = DELIVERY_PARTS_MAX;
    }
    struct str edits = str_of(r->edits);
    size_t edits_n = 0, at = 0;
    for (struct str rest = edits; rest.len; edits_n++)
        str_cut(&rest, ' ');
    b->parts_n = n > edits_n ? n : edits_n;
    b->parts = ARENA_ARRAY(a, struct outbox_row, b->parts_n + is_long);
    for (; at < b->parts_n; at++) {
        struct channel_piece piece = at < n ? pieces[at] : left_over();
        struct str id = edits.len ? str_cut(&edits, ' ') : STR("");
        b->parts[at] = (struct outbox_row){.markup = piece.markup,
            .plain = piece.plain,
            .edits = arena_strndup(a, id.s, id.len),
            .reply_to = at == 0 ? r->reply_to : NULL,
            .buttons = at + 1 == n ? r->buttons : NULL};
    }
    if (is_long)
        b->parts[b->parts_n++] = (struct outbox_row){.markup = STR(""),
            .plain = STR(""),
            .file_name = r->turn_id ? "answer.md" : "message.md",
            .file = r->markdown};
    r->markup = b->parts[0].markup;
    r->plain = b->parts[0].plain;
    r->edits = b->parts[0].edits;
    r->buttons = b->parts[0].buttons;
    r->reply_to = b->parts[0].reply_to;
    r->cut = true;
}

/* A reminder that was due during an outage would seem to be due now. The row keeps its text without the time,
 * because a further attempt may come on another day. */
static void tell_time(
    const struct delivery *d, struct arena *a, const struct channel_driver *driver, struct outbox_row *r)
{
    int64_t now = d->clock.wall();
    struct channel_piece *words;
    struct locale l;
    size_t n;
    if (r->part || r->file_name || *r->edits || now - r->created_at < DELIVERY_LATE_MS)
        return;
    struct db *db = store_read(d->store);
    enum rc rc = settings_locale_in(db, a, r->owner, now, &l, NULL);
    store_read_done(d->store, db);
    if (rc != RC_OK)
        return;
    const char *when = humanize_moment(a, &l, r->created_at);
    driver->render(a, str_of(lang_fill(a, l.lang, "delivery.late", LANG_ARGS({"when", when}))), &words, &n);
    if (n != 1 || utf8_utf16_len(words->plain) + utf8_utf16_len(r->plain) >= (size_t)driver->piece_chars)
        return;
    r->markup = str_of(arena_printf(a, "%.*s\n\n%.*s", STR_FMT(words->markup), STR_FMT(r->markup)));
    r->plain = str_of(arena_printf(a, "%.*s\n\n%.*s", STR_FMT(words->plain), STR_FMT(r->plain)));
}

static void send(struct delivery_chat *c)
{
    const struct outbox_row *r = c->row;
    struct channel_button *buttons;
    size_t n;
    outbox_buttons_read(c->a, r->buttons, &buttons, &n);
    bool edits = *r->edits != 0;
    struct picture_look look;
    struct channel_action a = {.kind = r->file_name ? ACTION_FILE
                                       : edits      ? ACTION_EDIT
                                                    : ACTION_SEND,
        .file_name = r->file_name,
        .file = r->file,
        .is_picture = r->file_name && picture_look(r->file, &look),
        .place = {r->chat, r->no_thread ? "" : r->thread},
        .message = edits ? r->edits : NULL,
        .reply_to = r->reply_to,
        .markup = r->markup,
        .plain = r->plain,
        .as_plain = r->as_plain,
        .buttons = buttons,
        .buttons_n = n,
        .silent = r->silent};
    delivery_act(c, FOR_ROW, &a);
}

bool row_begin(struct delivery *d, struct delivery_chat *c, int64_t chat_id)
{
    struct err e = ERR_INIT;
    struct arena *a = arena_new();
    struct outbox_row *r = ARENA_NEW(a, struct outbox_row);
    struct db *db = store_read(d->store);
    enum rc rc = store_outbox_head(db, a, chat_id, r, &e);
    store_read_done(d->store, db);
    bool waits = rc == RC_OK && strcmp(r->state, OUTBOX_READY) == 0 && r->run_at <= d->clock.wall();
    struct beginning b = {.row = r, .now = d->clock.wall()};
    if (waits) {
        if (!r->cut)
            cut(a, &c->channel->driver, settings_lang(d->store, r->owner), &b);
        rc = store_write(d->store, begin_tx, &b, &e);
    }
    if (!waits || rc != RC_OK || b.blank) {
        arena_free(a);
        d->stale = true; /* dropped by an admin meanwhile, or the head is another one */
        if (rc != RC_OK && rc != RC_NOT_FOUND)
            delivery_failed(d, rc, &e);
        return false;
    }
    r->attempts++;
    c->a = a;
    c->row = r;
    tell_time(d, a, &c->channel->driver, r);
    send(c);
    return true;
}

/* ---- the outcome ---- */

struct ending {
    const struct delivery_chat *c;
    struct outbox_row row; /* as it waits again */
    const char *state;     /* OUTBOX_READY: again */
    int64_t now;
};

static bool ends_in(const struct ending *x, const char *state)
{
    return strcmp(x->state, state) == 0;
}

static enum rc say_no_file(struct db *db, const struct ending *x, struct err *e)
{
    AUTO(arena) a = arena_new();
    const struct lang *l = settings_lang_in(db, x->row.owner);
    const char *words = lang_fill(a, l, "delivery.no_file", LANG_ARGS({"name", x->row.file_name}));
    return outbox_post(
        db, &(struct outbox_post){.chat_id = x->row.chat_id, .markdown = str_of(words)}, x->now, e);
}

static enum rc end_tx(struct db *db, void *arg, struct err *e)
{
    const struct ending *x = arg;
    const struct channel_result *r = &x->c->result;
    enum rc rc = outcome_chat_tx(db, x->c, x->now, e);
    if (rc != RC_OK)
        return rc;
    if (ends_in(x, OUTBOX_SENT))
        rc = store_outbox_sent(db, x->row.id, *r->message ? r->message : x->row.edits, x->now, e);
    else if (ends_in(x, OUTBOX_READY))
        rc = store_outbox_again(db, &x->row, e);
    else if (ends_in(x, OUTBOX_DOUBTFUL))
        rc = doubt_tx(db, x->c->all->config, &x->row, r->detail, x->now, e);
    else
        rc = store_outbox_end(db, x->row.id, OUTBOX_FAILED, r->detail, x->now, e);
    if (rc == RC_OK && x->row.file_name && r->outcome == OUTCOME_REFUSED)
        rc = say_no_file(db, x, e);
    return rc == RC_NOT_FOUND ? RC_OK : rc; /* its chat was deleted meanwhile */
}

static int64_t wait_of(int attempts)
{
    int64_t wait = DELIVERY_AGAIN_FIRST_MS;
    for (int i = 1; i < attempts && wait < DELIVERY_AGAIN_MAX_MS; i++)
        wait *= 2;
    return wait < DELIVERY_AGAIN_MAX_MS ? wait : DELIVERY_AGAIN_MAX_MS;
}

static const char *again_if(bool again)
{
    return again ? OUTBOX_READY : OUTBOX_FAILED;
}

/* Sets a mark with which the same message is sent in another way. It fails if the mark was set. */
static const char *again_with(bool *mark)
{
    bool was = *mark;
    *mark = true;
    return again_if(!was);
}

static const char *again_anew(struct outbox_row *r)
{
    bool edits = *r->edits != 0;
    r->edits = "";
    return again_if(edits);
}

/* Attempts count, and not the age: a message may have waited for days behind others or for a paused chat. */
static const char *again_later(struct ending *x)
{
    x->row.run_at = x->now + wait_of(x->row.attempts);
    return again_if(x->row.attempts < DELIVERY_ATTEMPTS);
}

/* The server takes it at another time. What waits for too long is ended by the sweep. */
static const char *again_uncounted(struct ending *x, int64_t wait_ms)
{
    x->row.attempts--;
    x->row.run_at = x->now + wait_ms;
    return OUTBOX_READY;
}

static const char *next_state(struct ending *x)
{
    struct outbox_row *r = &x->row;
    switch (outcome_effects(x->c)->row) {
    case ROW_SENT: return OUTBOX_SENT;
    case ROW_DOUBTFUL: return OUTBOX_DOUBTFUL;
    case ROW_LATER: return again_later(x);
    case ROW_AS_TOLD: return again_uncounted(x, outcome_wait_ms(&x->c->result));
    case ROW_WAITS: return again_uncounted(x, 0);
    case ROW_MOVED: return again_if(r->attempts < DELIVERY_MOVES_MAX);
    case ROW_AS_PLAIN: return again_with(&r->as_plain);
    case ROW_WITHOUT_THREAD: return again_with(&r->no_thread);
    case ROW_ANEW: return again_anew(r);
    }
    return OUTBOX_FAILED;
}

enum rc row_ended(struct delivery *d, struct delivery_chat *c, struct err *e)
{
    struct ending x = {.c = c, .row = *c->row, .now = d->clock.wall()};
    x.row.run_at = x.now;
    x.row.error = c->result.detail;
    x.state = next_state(&x);
    enum rc rc = ends_in(&x, OUTBOX_SENT) ? store_write_lazy(d->store, end_tx, &x, e)
                                          : store_write(d->store, end_tx, &x, e);
    if (rc != RC_OK)
        return rc;
    if (ends_in(&x, OUTBOX_FAILED) || ends_in(&x, OUTBOX_DOUBTFUL))
        log_warn("a message to %s: %s: %s", c->channel->driver.label, x.state, c->result.detail);
    if (ends_in(&x, OUTBOX_DOUBTFUL)) {
        c->doubts = true;
        c->probe_at = d->clock.mono();
    }
    delivery_count_message(c);
    outcome_chat(d, c);
    return RC_OK;
}
