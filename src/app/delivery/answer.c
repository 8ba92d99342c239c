/*
 * The beginning and the end of a turn in a chat, as messages of the outbox. A question that was asked
 * elsewhere comes first, as a quote. The answer replaces the messages in which it grew. Suggestions that wait
 * for a decision follow, each with its buttons. A question for which the turn waits comes while it runs.
 */
#include <stdio.h>
#include <string.h>

#include "app/account/settings.h"
#include "app/command/command.h"
#include "app/delivery/delivery_private.h"
#include "app/delivery/outbox_private.h"
#include "app/picture/picture.h"
#include "app/suggestion/suggestion.h"
#include "base/utf8.h"
#include "store/channel/chat.h"
#include "store/message/message.h"

#define ANSWER_BYTES_MAX ((size_t)256 * 1024) /* the rest is in the browser */
#define QUOTE_CHARS_MAX  500
#define QUOTE_GROWTH     3 /* an empty line of one byte becomes "> " and its line feed */
#define QUOTE_BYTES_MAX  ((size_t)QUOTE_GROWTH * UTF8_BYTES_MAX * QUOTE_CHARS_MAX + 8) /* and "> …" */
#define ADDED_BYTES_MAX  ((size_t)8 * 1024) /* sentences and marks beside a text */

struct answer {
    int64_t turn_id, chat_id, now;
    const struct lang *lang;
    struct arena *a;
    struct follow_row row;
    const char *stop_token;
    bool elsewhere; /* the turn is of a branch that the chat does not continue */
};

static struct str finished(struct arena *a, struct strbuf *b)
{
    struct str s = arena_str(a, strbuf_str(b));
    strbuf_release(b);
    return s;
}

/* Markdown that quotes the beginning of a text. */
static struct str quote(struct arena *a, struct str text)
{
    struct strbuf out;
    struct str rest = str_trim(text);
    size_t max = utf8_cut_chars(rest, QUOTE_CHARS_MAX);
    bool cut = max < rest.len;
    rest.len = max;
    strbuf_init(&out, QUOTE_BYTES_MAX);
    while (rest.len) {
        struct str line = str_cut(&rest, '\n');
        strbuf_addf(&out, "> %.*s\n", STR_FMT(line));
    }
    if (cut)
        strbuf_adds(&out, "> …\n");
    return finished(a, &out);
}

/* ---- begin ---- */

/* The client id of a message from a chat names the chat (router.h). */
static bool asked_here(struct arena *a, const struct follow_row *r, const struct message *asked)
{
    const char *mark = arena_printf(a, "%s:%lld:", r->channel, (long long)r->chat_id);
    return asked->client_id && str_starts(str_of(asked->client_id), str_of(mark));
}

static enum rc post_question(struct db *db, struct answer *x, struct err *e)
{
    struct message asked;
    enum rc rc = store_message_get(db, x->a, x->row.turn.owner, x->row.turn.asked_id, &asked, e);
    if (rc != RC_OK || asked_here(x->a, &x->row, &asked))
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    const struct lang *l = asked.pictures_n ? settings_lang_in(db, x->row.turn.owner) : NULL;
    struct outbox_post p = {
        .chat_id = x->chat_id, .markdown = quote(x->a, picture_text(x->a, l, &asked)), .silent = true};
    return outbox_post_full(db, &p, x->turn_id, NULL, x->now, e);
}

/* A chat of a branch shows the turns of that branch, and goes on below them. */
static enum rc follow_branch(struct db *db, struct answer *x, struct err *e)
{
    const struct turn_row *t = &x->row.turn;
    int64_t at;
    if (!x->row.branch_id)
        return RC_OK;
    enum rc rc =
        store_message_path_step(db, t->owner, t->session_id, t->asked_id, x->row.branch_id, 0, &at, e);
    if (rc == RC_OK)
        return store_channel_chat_set_branch(db, x->chat_id, t->asked_id, e);
    if (rc != RC_NOT_FOUND)
        return rc;
    x->elsewhere = true;
    return store_follow_end(db, x->turn_id, x->chat_id, e);
}

static enum rc begin_tx(struct db *db, void *arg, struct err *e)
{
    struct answer *x = arg;
    enum rc rc = store_follow_get(db, x->a, x->turn_id, x->chat_id, &x->row, e);
    if (rc != RC_OK || x->row.stop_token) {
        x->stop_token = x->row.stop_token;
        return rc;
    }
    rc = follow_branch(db, x, e);
    if (rc != RC_OK || x->elsewhere)
        return rc;
    struct button_row stop = {.chat_id = x->chat_id,
        .turn_id = x->turn_id,
        .line = "/stop",
        .expires_at = x->now + BUTTON_LIVES_MS};
    rc = post_question(db, x, e);
    if (rc == RC_OK)
        rc = store_button_add(db, x->a, &stop, e);
    x->stop_token = stop.token;
    return rc == RC_OK ? store_growing_begin(db, x->turn_id, x->chat_id, stop.token, e) : rc;
}

enum rc answer_begin(struct store *s, const struct follow_row *r, char stop_token[BUTTON_TOKEN_SIZE],
    int64_t now, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct answer x = {.turn_id = r->turn.id, .chat_id = r->chat_id, .now = now, .a = a};
    enum rc rc = r->stop_token ? RC_OK : store_write_lazy(s, begin_tx, &x, e);
    if (rc == RC_OK && x.elsewhere)
        rc = RC_NOT_FOUND;
    const char *token = r->stop_token ? r->stop_token : x.stop_token;
    snprintf(stop_token, BUTTON_TOKEN_SIZE, "%s", rc == RC_OK ? token : "");
    return rc;
}

/* ---- end ---- */

/* The texts of all steps, more than ANSWER_BYTES_MAX if they have more. Cutting leaves whole characters, so
 * there is room for one more, not only for one more byte. */
static struct str all_text(struct arena *a, const struct message *path, size_t n)
{
    const size_t room = ANSWER_BYTES_MAX + UTF8_BYTES_MAX;
    struct strbuf out;
    strbuf_init(&out, 2 * room);
    for (size_t i = 0; i < n && out.len <= ANSWER_BYTES_MAX; i++) {
        struct str text = str_trim(path[i].text);
        if (path[i].role != ROLE_ASSISTANT || text.len == 0)
            continue;
        text.len = utf8_cut_bytes(text, room);
        strbuf_adds(&out, out.len ? "\n\n" : "");
        strbuf_addstr(&out, text);
    }
    return finished(a, &out);
}

/* The reason why the answer is incomplete; NULL: it is complete. */
static const char *sentence(const struct answer *x, const struct message *m)
{
    if (m->error)
        return said_words(x->a, x->lang, m->error);
    if (m->status == MESSAGE_STOPPED)
        return lang_text(x->lang, "message.stopped");
    if (m->status == MESSAGE_INTERRUPTED)
        return lang_text(x->lang, "message.interrupted");
    return NULL;
}

static enum rc post_answer(
    struct db *db, struct answer *x, const struct message *path, size_t n, struct err *e)
{
    const struct message *last = &path[n - 1];
    struct str text = all_text(x->a, path, n);
    const char *why = sentence(x, last);
    bool cut = text.len > ANSWER_BYTES_MAX;
    struct strbuf out;
    if (cut)
        text.len = utf8_cut_bytes(text, ANSWER_BYTES_MAX);
    strbuf_init(&out, text.len + ADDED_BYTES_MAX);
    strbuf_addstr(&out, text);
    if (cut)
        strbuf_addf(&out, "\n\n%s", lang_text(x->lang, "delivery.answer_cut"));
    if (why || text.len == 0)
        strbuf_addf(&out, "%s%s", text.len ? "\n\n" : "",
            why                ? why
            : last->pictures_n ? lang_text(x->lang, "tool.draw")
                               : lang_text(x->lang, "delivery.no_text"));
    struct command_button retry = {lang_text(x->lang, "delivery.retry"), "/retry"};
    struct outbox_post p = {.chat_id = x->chat_id,
        .markdown = finished(x->a, &out),
        .reply_to = x->row.reply_to,
        .buttons = &retry,
        .buttons_n = last->status != MESSAGE_DONE || (text.len == 0 && !last->pictures_n)};
    return outbox_post_full(db, &p, x->turn_id, x->row.messages, x->now, e);
}

/* The pictures that the model has drawn follow the text, each as a message. */
static enum rc post_pictures(
    struct db *db, const struct answer *x, const struct message *path, size_t n, struct err *e)
{
    enum rc rc = RC_OK;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; path[i].role == ROLE_ASSISTANT && k < path[i].pictures_n && rc == RC_OK; k++) {
            struct picture p;
            struct outbox_post post = {.chat_id = x->chat_id, .silent = true};
            rc = store_picture_get(db, x->a, x->row.turn.owner, path[i].pictures[k].pub, &p, &post.file, e);
            if (rc != RC_OK)
                return rc == RC_NOT_FOUND ? RC_OK : rc;
            post.file_name = arena_printf(x->a, "picture.%s", strchr(p.media_type, '/') + 1);
            rc = outbox_post_full(db, &post, x->turn_id, NULL, x->now, e);
        }
    return rc;
}

static const char *keep_line(struct arena *a, int64_t suggestion)
{
    return arena_printf(a, "/decide %lld keep", (long long)suggestion);
}

static enum rc post_suggestion(struct db *db, struct answer *x, const struct suggestion *s, struct err *e)
{
    struct suggestion_look look;
    enum rc rc = suggestion_look(db, x->a, x->row.turn.owner, s, x->now, &look, e);
    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc; /* its subject was deleted */
    struct strbuf out;
    strbuf_init(&out, 2 * QUOTE_BYTES_MAX + ADDED_BYTES_MAX);
    struct str text = quote(x->a, look.text), to = quote(x->a, look.to);
    strbuf_addf(&out, "**%s**\n\n%.*s", lang_text(x->lang, look.question), STR_FMT(text));
    if (to.len)
        strbuf_addf(&out, "\n→\n\n%.*s", STR_FMT(to));
    if (s->due)
        strbuf_addf(&out, "\n%s", s->due);
    struct command_button buttons[] = {
        {lang_text(x->lang, look.keep_label), keep_line(x->a, s->id)},
        {lang_text(x->lang, look.dismiss_label),
            arena_printf(x->a, "/decide %lld dismiss", (long long)s->id)},
    };
    struct outbox_post p = {.chat_id = x->chat_id,
        .markdown = finished(x->a, &out),
        .buttons = buttons,
        .buttons_n = ARRAY_LEN(buttons)};
    return outbox_post_full(db, &p, x->turn_id, NULL, x->now, e);
}

static enum rc post_suggestions(struct db *db, struct answer *x, struct err *e)
{
    const struct turn_row *t = &x->row.turn;
    struct suggestion *list;
    size_t n;
    const struct message_range answer = {t->session_id, t->reply_id, t->reply_id};
    enum rc rc = store_suggestion_shown(db, x->a, t->owner, answer, x->now, &list, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++)
        if (list[i].state == SUGGESTION_OPEN)
            rc = post_suggestion(db, x, &list[i], e);
    return rc;
}

struct asking {
    struct answer *x;
    int64_t suggestion;
};

static enum rc ask_tx(struct db *db, void *arg, struct err *e)
{
    const struct asking *q = arg;
    struct answer *x = q->x;
    struct suggestion s = {0};
    bool posted = false;
    enum rc rc = store_follow_get(db, x->a, x->turn_id, x->chat_id, &x->row, e);
    if (rc == RC_OK)
        rc = store_suggestion_get(db, x->a, x->row.turn.owner, q->suggestion, x->now, &s, e);
    if (rc == RC_OK)
        rc = store_button_has_line(db, x->chat_id, keep_line(x->a, q->suggestion), &posted, e);
    if (rc == RC_OK && !posted && s.state == SUGGESTION_OPEN)
        rc = post_suggestion(db, x, &s, e);
    return rc == RC_NOT_FOUND ? RC_OK : rc; /* the turn has ended */
}

enum rc answer_ask(struct store *s, int64_t turn_id, int64_t chat_id, const struct lang *lang,
    int64_t suggestion, int64_t now, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct answer x = {.turn_id = turn_id, .chat_id = chat_id, .now = now, .lang = lang, .a = a};
    return store_write_lazy(s, ask_tx, &(struct asking){&x, suggestion}, e);
}

/* An answer whose session was deleted or moved to the trash meanwhile has no messages, and is dropped. */
static enum rc end_tx(struct db *db, void *arg, struct err *e)
{
    struct answer *x = arg;
    struct message *path;
    size_t n = 0;
    enum rc rc = store_follow_get(db, x->a, x->turn_id, x->chat_id, &x->row, e);
    const struct turn_row *t = &x->row.turn;
    if (rc != RC_OK || t->status == MESSAGE_RUNNING)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    rc = store_message_path(db, x->a,
        &(struct path_query){
            .owner = t->owner, .session_id = t->session_id, .head = t->reply_id, .below = t->asked_id},
        &path, &n, e);
    if (rc == RC_OK && n > 0)
        rc = post_answer(db, x, path, n, e);
    if (rc == RC_OK && n > 0)
        rc = post_pictures(db, x, path, n, e);
    if (rc == RC_OK && n > 0)
        rc = post_suggestions(db, x, e);
    return rc == RC_OK || rc == RC_NOT_FOUND ? store_follow_end(db, x->turn_id, x->chat_id, e) : rc;
}

enum rc answer_end(
    struct store *s, int64_t turn_id, int64_t chat_id, int64_t owner, int64_t now, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct answer x = {
        .turn_id = turn_id, .chat_id = chat_id, .now = now, .lang = settings_lang(s, owner), .a = a};
    return store_write_lazy(s, end_tx, &x, e);
}
