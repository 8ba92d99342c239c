/*
 * Shows a running turn in a chat: the typing indicator and the text so far. In a private chat of a channel
 * with drafts the text is a draft. In other chats it is a message that is edited; when it is full, a further
 * message continues it. At the end the answer replaces these messages (answer.c).
 */
#include <string.h>

#include "app/delivery/delivery_private.h"
#include "app/tools/tools.h"
#include "base/utf8.h"
#include "codec/markdown/growing/markdown_unfinished.h"
#include "codec/markdown/markdown.h"

#define ID_SEPARATOR    " "
#define EDIT_LONG_TIMES 2 /* edits of a text of several messages come less often */

static bool uses_draft(const struct follow *f)
{
    const struct delivery_channel *ch = f->chat->channel;
    return ch->driver.drafts && ch->drafts_at <= ch->all->clock.mono() && !f->no_draft && !f->chat->grouped &&
           f->messages_n == 0;
}

static bool says_something(const struct follow *f)
{
    return str_trim(strbuf_str(&f->text)).len > 0 || f->tool.len > 0;
}

/* The first message waits for some words, so that a short answer comes as a whole. */
static int64_t first_due(const struct follow *f)
{
    bool enough = f->tool.len > 0 || utf8_count(strbuf_str(&f->text)) >= FOLLOW_FIRST_CHARS;
    return enough ? f->grow_at : f->started + FOLLOW_FIRST_MS;
}

/* All answers of a chat share its gaps. They wait for the end of all gaps, and so leave the burst to the
 * messages of the outbox, such as an answer that has ended. Without a wait this is the answer's own time, so
 * that the one that was updated longest ago comes first. */
static int64_t after_gaps(const struct follow *f, int64_t due)
{
    const struct delivery_chat *c = f->chat;
    bool waits = !uses_draft(f) && c->paced_at > c->all->clock.mono();
    return waits && due < c->paced_at ? c->paced_at : due;
}

static int64_t text_due(const struct delivery *d, const struct follow *f)
{
    if (f->mute || !says_something(f) || delivery_has_head(d, f->chat_id))
        return DELIVERY_NEVER;
    if (f->mark != f->shown || f->settled)
        return after_gaps(f, f->any || uses_draft(f) ? f->grow_at : first_due(f));
    if (uses_draft(f) && f->shown_at + FOLLOW_DRAFT_MS > f->grow_at)
        return f->shown_at + FOLLOW_DRAFT_MS;
    return uses_draft(f) ? f->grow_at : DELIVERY_NEVER;
}

static int64_t typing_due(const struct follow *f)
{
    return f->mute || f->chat->channel->no_typing ? DELIVERY_NEVER : f->typing_at;
}

int64_t follow_due(const struct delivery *d, const struct follow *f)
{
    if (f->ended)
        return DELIVERY_NEVER;
    int64_t text = text_due(d, f), typing = typing_due(f);
    return text < typing ? text : typing;
}

/* Below the text: the tool that runs, and in a draft, which has no buttons, the way to stop. */
static struct str status_shown(struct arena *a, const struct follow *f, bool draft)
{
    const char *tool = "", *stop = draft ? lang_text(f->lang, "delivery.draft_stop") : "";
    if (f->tool.len) {
        AUTO_STRBUF label;
        const char *words = tool_running(a, f->lang, strbuf_str(&f->tool));
        strbuf_init(&label, strlen(words) * MARKDOWN_ADDED_MAX);
        markdown_add_text(&label, str_of(words));
        tool = arena_printf(a, "_%s_", label.s);
    }
    return str_of(arena_printf(a, "%s%s%s", tool, *tool && *stop ? "\n\n" : "", stop));
}

static struct str joined(struct arena *a, struct str above, struct str below)
{
    return str_of(arena_printf(a, "%.*s\n\n%.*s", STR_FMT(above), STR_FMT(below)));
}

/* The text as far as its markup is complete, and the status below. Both are rendered on their own: a block of
 * code that is still open would take the status in. */
static void render_shown(
    struct delivery_chat *c, const struct follow *f, bool draft, struct channel_piece **out, size_t *n)
{
    struct channel_piece *status;
    size_t status_n;
    AUTO_STRBUF whole;
    strbuf_init(&whole, MARKDOWN_UNFINISHED_ROOM(f->text.len));
    bool held = markdown_unfinished(strbuf_str(&f->text), &whole, NULL);
    c->channel->driver.render(c->a, strbuf_str(held ? &whole : &f->text), out, n);
    c->channel->driver.render(c->a, status_shown(c->a, f, draft), &status, &status_n);
    if (!status_n)
        return;
    if (*n == 0) {
        *out = status;
        *n = status_n;
        return;
    }
    struct channel_piece *last = &(*out)[*n - 1];
    last->markup = joined(c->a, last->markup, status[0].markup);
    last->plain = joined(c->a, last->plain, status[0].plain);
}

static const char *last_message(struct arena *a, const struct follow *f)
{
    struct str rest = strbuf_str(&f->messages), id = {0};
    while (rest.len)
        id = str_cut(&rest, ' ');
    return arena_strndup(a, id.s, id.len);
}

static void use_piece(struct channel_action *act, const struct follow *f, const struct channel_piece *piece)
{
    act->markup = piece->markup;
    act->plain = piece->plain;
    act->as_plain = f->plain;
}

/* The last message gets the newest text. When the text needs one more, it first gets its final text. */
static void choose_message(struct delivery_chat *c, const struct follow *f,
    const struct channel_piece *pieces, size_t n, struct channel_action *act, struct channel_button *stop)
{
    size_t has = f->messages_n;
    bool is_full = has > 0 && n > has && !f->settled;
    size_t at = has == 0 ? 0 : is_full || n <= has ? has - 1 : has;
    act->kind = at == has ? ACTION_SEND : ACTION_EDIT;
    act->message = act->kind == ACTION_EDIT ? last_message(c->a, f) : NULL;
    act->reply_to = has == 0 && f->reply_to[0] ? f->reply_to : NULL;
    use_piece(act, f, &pieces[at < n ? at : n - 1]);
    if (!is_full) {
        stop->label = lang_text(f->lang, "delivery.stop");
        stop->token = f->stop_token;
        act->buttons = stop;
        act->buttons_n = 1;
    }
}

static bool begin_text(struct delivery_chat *c, struct follow *f)
{
    bool draft = uses_draft(f);
    struct channel_piece *pieces;
    struct channel_button stop;
    size_t n;
    struct channel_action act = {.place = {c->id, f->thread}};
    render_shown(c, f, draft, &pieces, &n);
    if (draft && n > 1) { /* a draft is one message: its beginning would disappear */
        f->no_draft = true;
        draft = false;
        render_shown(c, f, draft, &pieces, &n);
    }
    bool is_full = !draft && f->messages_n == DELIVERY_PARTS_MAX && n > DELIVERY_PARTS_MAX;
    if (n == 0 || is_full) {
        f->shown = f->mark; /* nothing more of it can be seen */
        return false;
    }
    if (draft) {
        act.kind = ACTION_DRAFT;
        act.draft = channel_draft(f->turn_id);
        use_piece(&act, f, &pieces[0]);
    } else {
        choose_message(c, f, pieces, n, &act, &stop);
    }
    c->showing = f->mark;
    f->settled = act.kind == ACTION_EDIT && act.buttons_n == 0;
    delivery_act(c, FOR_FOLLOW, &act);
    return true;
}

void follow_begin(struct delivery *d, struct follow *f)
{
    struct delivery_chat *c = f->chat;
    int64_t now = d->clock.mono();
    c->a = arena_new();
    c->follow = f;
    if (text_due(d, f) <= now) {
        if (begin_text(c, f))
            return;
    } else if (typing_due(f) <= now) {
        int64_t lasts = c->channel->driver.typing_ms;
        f->typing_at = now + (lasts > 2 * FOLLOW_TYPING_AGO_MS ? lasts - FOLLOW_TYPING_AGO_MS : lasts);
        delivery_act(
            c, FOR_FOLLOW, &(struct channel_action){.kind = ACTION_TYPING, .place = {c->id, f->thread}});
        return;
    }
    arena_free(c->a);
    c->a = NULL;
    c->follow = NULL;
}

/* ---- the outcome ---- */

struct grown {
    const struct follow *f;
    const char *message; /* a new one */
};

static enum rc grown_tx(struct db *db, void *arg, struct err *e)
{
    const struct grown *x = arg;
    const struct follow *f = x->f;
    AUTO(arena) a = arena_new();
    const char *ids = arena_printf(
        a, "%.*s%s%s", STR_FMT(strbuf_str(&f->messages)), f->messages.len ? ID_SEPARATOR : "", x->message);
    enum rc rc = store_growing_set(db, f->turn_id, f->chat_id, ids, e);
    return rc == RC_NOT_FOUND ? RC_OK : rc; /* the turn or the chat is gone */
}

static int64_t gap(const struct follow *f)
{
    const struct channel_driver *driver = &f->chat->channel->driver;
    int64_t ms = f->chat->grouped && driver->group_gap_ms > driver->edit_gap_ms ? driver->group_gap_ms
                                                                                : driver->edit_gap_ms;
    return f->text.len > (size_t)driver->piece_chars ? EDIT_LONG_TIMES * ms : ms;
}

static void is_shown(struct follow *f, const struct delivery_chat *c, const char *message, int64_t now)
{
    f->any = true;
    f->shown = c->showing;
    f->shown_at = now;
    backoff_reset(&f->again);
    if (message) {
        strbuf_adds(&f->messages, f->messages.len ? ID_SEPARATOR : "");
        strbuf_adds(&f->messages, message);
        f->messages_n++;
        f->settled = false;
    }
}

static void text_ended(struct follow *f, struct delivery_chat *c, const char *message, int64_t now)
{
    enum growth_effect effect = outcome_effects(c)->growth;
    f->grow_at = now + gap(f);
    f->settled &= effect == GROWTH_SHOWN;
    if (c->kind != ACTION_DRAFT)
        delivery_count_message(c);
    switch (effect) {
    case GROWTH_SHOWN: is_shown(f, c, message, now); break;
    case GROWTH_AGAIN: break;
    case GROWTH_LATER: f->grow_at = now + backoff_next(&f->again); break;
    case GROWTH_AS_PLAIN:
        f->mute |= f->plain;
        f->plain = true;
        break;
    case GROWTH_NO_DRAFT:
        f->mute |= c->kind != ACTION_DRAFT;
        f->no_draft = true;
        break;
    case GROWTH_MUTE: f->mute = true; break;
    }
}

enum rc follow_shown(struct delivery *d, struct delivery_chat *c, struct err *e)
{
    const struct channel_result *r = &c->result;
    struct follow *f = c->follow;
    bool is_new = f && c->kind == ACTION_SEND && r->outcome == OUTCOME_DONE && *r->message;
    struct grown x = {f, r->message};
    enum rc rc = is_new ? store_write_lazy(d->store, grown_tx, &x, e) : RC_OK;
    if (rc == RC_OK)
        rc = outcome_save_chat(d, c, e);
    if (rc == RC_OK && f && c->kind != ACTION_TYPING)
        text_ended(f, c, is_new ? r->message : NULL, d->clock.mono());
    return rc;
}
