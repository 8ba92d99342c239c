/* Messages of people: text becomes an order for a turn. */
#include <stdio.h>
#include <string.h>

#include "app/account/channel_identity.h"
#include "app/channel/router_private.h"
#include "app/delivery/session_link.h"
#include "base/utf8.h"
#include "store/message/message.h"
#include "store/message/turn_order.h"
#include "store/session/session.h"

/* ---- the text ---- */

static size_t longest(const struct route *c)
{
    return (size_t)c->r->set.config->limits.message_bytes;
}

void route_quote(struct strbuf *b, struct str text)
{
    while (text.s && text.len) {
        strbuf_adds(b, "\n> ");
        strbuf_addstr(b, str_cut(&text, '\n'));
    }
}

/* "Forwarded from Mum:" */
static const char *forwarded_words(const struct route *c, const struct channel_update *u)
{
    return *u->author ? lang_fill(c->a, c->lang, "channel.forwarded_from", LANG_ARGS({"name", u->author}))
                      : lang_text(c->lang, "channel.forwarded");
}

/* The part of the text that an update has become. */
struct piece {
    int64_t start, length;
};

/* `goes_on`: the text begins inside of a word, because the channel has cut it. */
static void add_piece(const struct route *c, struct strbuf *b, const struct channel_update *u, bool goes_on)
{
    struct str text = u->text;
    if (!u->forwarded) {
        strbuf_addstr(b, text);
        return;
    }
    if (goes_on)
        strbuf_addstr(b, str_cut(&text, '\n'));
    else
        strbuf_addf(b, "%s\n", forwarded_words(c, u));
    route_quote(b, text);
}

static bool is_same_author(const struct channel_update *a, const struct channel_update *b)
{
    return a->forwarded == b->forwarded && (!a->forwarded || strcmp(a->author, b->author) == 0);
}

/* An upper bound of what add_piece() and the lines before it add. */
static size_t piece_cap(const struct route *c, const struct channel_update *u)
{
    size_t plain = u->text.len + 2;
    return u->forwarded ? strlen(forwarded_words(c, u)) + 3 * plain + 8 : plain;
}

/* The texts of all updates as one. A piece of the channel's full length was cut inside of a word; others were
 * separate lines. Forwarded ones are quoted below the name of their author. */
static struct str joined(const struct route *c, struct piece *pieces)
{
    struct strbuf b;
    size_t cap = 0;
    const struct channel_update *last = NULL; /* with a text */
    bool whole = true;                        /* it does not go on inside of a word */
    for (size_t i = 0; i < c->n; i++)
        cap += piece_cap(c, &c->in[i]->u);
    strbuf_init(&b, cap);
    for (size_t i = 0; i < c->n; i++) {
        const struct channel_update *u = &c->in[i]->u;
        bool has_text = str_trim(u->text).len > 0;
        bool goes_on = last && !whole && is_same_author(last, u);
        if (last && has_text && !goes_on)
            strbuf_adds(&b, last->forwarded || u->forwarded ? "\n\n" : "\n");
        pieces[i].start = (int64_t)b.len;
        if (has_text)
            add_piece(c, &b, u, goes_on);
        pieces[i].length = (int64_t)b.len - pieces[i].start;
        whole = channel_units(u) < c->in[i]->driver->piece_chars;
        last = has_text ? u : last;
    }
    struct str all = arena_str(c->a, strbuf_str(&b));
    strbuf_release(&b);
    return all;
}

/* The words of the person's recording, while their place in the text of the message is known. */
static enum rc find_words(struct db *db, const struct route *c, struct str *out, struct err *e)
{
    const struct channel_update *u = route_update(c);
    struct channel_message part;
    struct message m;
    struct turn_order o;
    if (!u->replied_voice)
        return RC_OK;
    enum rc rc =
        store_channel_message_find(db, c->a, c->chat.channel, u->place.chat, u->replied_voice, &part, e);
    if (rc != RC_OK || part.owner != c->user)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    struct str text = STR("");
    rc = store_message_by_client(db, c->a, c->user, part.client_id, &m, e);
    if (rc == RC_OK)
        text = m.text;
    else if (rc == RC_NOT_FOUND &&
             (rc = store_turn_order_by_client(db, c->a, c->user, part.client_id, &o, e)) == RC_OK)
        text = o.text;
    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    if (part.start >= 0 && part.length > 0 && part.start + part.length <= (int64_t)text.len)
        *out = (struct str){text.s + part.start, (size_t)part.length};
    return RC_OK;
}

/* The text with what it refers to. Quotations follow what the person typed: they are not typed, so they are
 * no request (message.pasted_from). */
static struct str with_context(const struct route *c, struct str typed, struct str replied, struct str heard)
{
    bool cut = replied.len > ROUTER_QUOTE_MAX;
    if (cut)
        replied.len = utf8_cut_bytes(replied, ROUTER_QUOTE_MAX);
    if (!replied.len && !heard.len)
        return typed;
    struct strbuf b;
    strbuf_init(&b, typed.len + 4 * (ROUTER_QUOTE_MAX + ROUTER_HEARD_MAX));
    strbuf_addstr(&b, typed);
    if (replied.len) {
        strbuf_addf(&b, "%s%s\n", b.len ? "\n\n" : "", lang_text(c->lang, "channel.replied_to"));
        route_quote(&b, replied);
        strbuf_adds(&b, cut ? "…" : "");
    }
    if (heard.len) {
        strbuf_addf(&b, "%s%s\n", b.len ? "\n\n" : "", lang_text(c->lang, "channel.heard"));
        route_quote(&b, heard);
    }
    struct str all = arena_str(c->a, strbuf_str(&b));
    strbuf_release(&b);
    return all;
}

/* Documents are at the end, where markdown_typed_files() finds them. */
static struct str with_documents(const struct route *c, struct str text, struct str documents)
{
    if (!documents.len)
        return text;
    struct strbuf b;
    strbuf_init(&b, text.len + 2 + documents.len);
    strbuf_addstr(&b, text);
    strbuf_adds(&b, text.len ? "\n\n" : "");
    strbuf_addstr(&b, documents);
    struct str all = arena_str(c->a, strbuf_str(&b));
    strbuf_release(&b);
    return all;
}

/* ---- the session ---- */

/* Binds the chat to a new session, and says so. */
static enum rc begin_session(struct db *db, struct route *c, struct err *e)
{
    char pub[ID_SIZE];
    int64_t id;
    id_new(ID_SESSION, pub);
    enum rc rc = store_session_add(db, c->user, pub, NULL, NULL, c->now, &id, e);
    if (rc == RC_OK)
        rc = store_channel_chat_bind(db, c->user, c->chat.id, pub, 0, e);
    if (rc != RC_OK)
        return rc;
    const char *lost = c->chat.lost;
    c->chat.session = arena_strdup(c->a, pub);
    c->chat.lost = NULL;
    c->chat.branch_id = 0;
    if (lost && strcmp(lost, CHAT_LEFT) == 0) /* the command has said so */
        return RC_OK;
    const char *key = !lost                              ? "channel.new_session"
                      : strcmp(lost, CHAT_ARCHIVED) == 0 ? "channel.new_after_archived"
                                                         : "channel.new_after_gone";
    const char *link = session_link(c->a, c->lang, c->r->set.config, &c->chat);
    return route_post(
        db, c, str_of(arena_printf(c->a, "%s%s", lang_text(c->lang, key), link)), ROUTE_SILENT, e);
}

/* Makes sure that the chat has a session that takes a message. */
static enum rc find_session(struct db *db, struct route *c, struct err *e)
{
    struct session s;
    if (!c->chat.session)
        return begin_session(db, c, e);
    enum rc rc = store_session_get(db, c->a, c->user, c->chat.session, &s, e);
    if (rc == RC_NOT_FOUND) { /* a temporary chat whose time is over */
        c->chat.lost = CHAT_GONE;
        return begin_session(db, c, e);
    }
    return rc;
}

/* ---- a linked person ---- */

/* Posts the sentence `key` about a part of the message that Alfred cannot read, such as a photo. */
static enum rc say_left_out(
    struct db *db, const struct route *c, const char *key, enum route_sound sound, struct err *e)
{
    const struct incoming *with = NULL;
    for (size_t i = 0; i < c->n && !with; i++)
        with = c->in[i]->u.left_out ? c->in[i] : NULL;
    if (!with)
        return RC_OK;
    const char *part = lang_lookup(c->lang, str_of(arena_printf(c->a, "channel.part_%s", with->u.left_out)));
    return route_say(
        db, c, key, LANG_ARGS({"part", part ? part : lang_text(c->lang, "channel.part_other")}), sound, e);
}

/* The number of bytes at the beginning that the person typed. Forwarded text is not typed, and neither are
 * the words of a recording that may be of somebody else, which end the text of its message. */
static int64_t typed_bytes(const struct route *c, struct str typed, const struct piece *pieces)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->in[i]->u.forwarded)
            return pieces[i].start;
        else if (c->in[i]->u.file.kind == CHANNEL_VOICE && c->in[i]->file.s && !c->in[i]->u.file.spoken)
            return pieces[i].start + pieces[i].length - (int64_t)c->in[i]->file.len;
    return (int64_t)typed.len;
}

static enum rc order(struct db *db, struct route *c, struct str text, struct str typed,
    const struct piece *pieces, struct err *e)
{
    const struct incoming *first = c->in[0];
    const char *channel = first->driver->name;
    int64_t own = typed_bytes(c, typed, pieces);
    char client[MESSAGE_CLIENT_ID_MAX + 1];
    snprintf(client, sizeof client, "%s:%lld:%s", channel, (long long)c->chat.id, first->row.update_id);
    struct turn_order o = {.owner = c->user,
        .session = c->chat.session,
        .kind = ORDER_SEND,
        .branch_id = c->chat.branch_id,
        .text = text,
        .pictures = route_pictures(c),
        .sets_pasted = own < (int64_t)text.len,
        .pasted_from = own,
        .client_id = client,
        .channel = channel,
        .purpose = ORDER_CHANNEL,
        .purpose_id = c->chat.id,
        .created_at = c->now};
    enum rc rc = store_turn_order_add(db, &o, e);
    for (size_t i = 0; rc == RC_OK && i < c->n; i++)
        rc = store_channel_message_add(db, channel, c->chat.chat, c->in[i]->u.message,
            &(struct channel_message){.chat_id = c->chat.id,
                .client_id = client,
                .start = pieces[i].start,
                .length = pieces[i].length},
            c->now, e);
    c->orders = true;
    return rc;
}

static enum rc ask(struct db *db, struct route *c, struct err *e)
{
    const struct channel_update *u = route_update(c);
    struct piece *pieces = ARENA_ARRAY(c->a, struct piece, c->n);
    struct str typed = joined(c, pieces), heard = STR("");
    const char *lost = route_files_problem(c);
    enum rc rc = route_count_voices(db, c, e);
    if (rc != RC_OK)
        return rc;
    if (lost)
        return route_post(db, c, str_of(said_words(c->a, c->lang, lost)), ROUTE_SOUND, e);
    struct str documents = route_documents(c);
    if (str_trim(typed).len == 0 && !route_pictures(c) && !documents.len)
        return say_left_out(db, c, "channel.no_text", ROUTE_SOUND, e);
    if (u->group)
        rc = store_channel_heard_take(db, c->a, c->chat.channel, u->place.chat, u->place.thread, &heard, e);
    struct str replied = u->replied_to.s ? u->replied_to : STR("");
    if (rc == RC_OK)
        rc = find_words(db, c, &replied, e);
    if (rc != RC_OK)
        return rc;
    struct str text = with_documents(c, with_context(c, typed, replied, heard), documents);
    if (text.len > longest(c)) {
        struct err why = ERR_INIT;
        err_say(&why, RC_TOO_BIG, documents.len ? "channel.documents_long" : "chat.message_too_long",
            arg_limit("max", (int64_t)longest(c)));
        return route_post(db, c, str_of(route_words(c, &why)), ROUTE_SOUND, e);
    }
    rc = find_session(db, c, e);
    if (rc == RC_OK)
        rc = route_say_voices(db, c, e);
    if (rc == RC_OK)
        rc = order(db, c, text, typed, pieces, e);
    if (rc == RC_OK)
        rc = route_say_files(db, c, e);
    return rc == RC_OK ? say_left_out(db, c, "channel.only_text", ROUTE_SILENT, e) : rc;
}

/* ---- groups ---- */

/* Messages that are not meant for us are kept only if the owner allows it, and only where a linked person has
 * written to us. */
static enum rc hear(struct db *db, struct route *c, struct err *e)
{
    const struct channel_update *u = route_update(c);
    const char *channel = c->in[0]->driver->name;
    bool known = false;
    enum rc rc = RC_OK;
    if (c->r->set.group_context && str_trim(u->text).len)
        rc = store_channel_chat_known(db, channel, u->place.chat, &known, e);
    if (rc != RC_OK || !known)
        return rc;
    const char *line = arena_printf(c->a, "%s: %s%s%.*s", u->sender_name,
        u->forwarded ? forwarded_words(c, u) : "", u->forwarded ? " " : "", STR_FMT(str_trim(u->text)));
    return store_channel_heard_add(
        db, channel, u->place.chat, u->place.thread, str_of(line), ROUTER_HEARD_MAX, e);
}

enum rc route_message(struct db *db, void *call, struct err *e)
{
    struct route *c = call;
    const struct channel_update *u = route_update(c);
    enum rc rc = u->addressed ? route_person_and_chat(db, c, e) : route_person(db, c, e);
    if (rc != RC_OK)
        return rc;
    if (u->addressed && !c->user)
        return route_stranger(db, c, e);
    rc = u->addressed ? ask(db, c, e) : hear(db, c, e);
    return rc == RC_OK ? route_done(db, c, NULL, e) : rc;
}
