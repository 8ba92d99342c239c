/* The parts of a reply, the arguments of a line, and the session that a command is about. */
#include "app/command/command_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/turn/turn_order.h"
#include "base/utf8.h"
#include "codec/markdown/markdown.h"

#define PAGE_MAX 10000

/* ---- text ---- */

void command_say(struct command_call *c, const char *key, const struct lang_arg *args)
{
    if (c->md.len)
        strbuf_adds(&c->md, "\n\n");
    lang_add(&c->md, c->x->lang, key, args);
}

void command_say_count(struct command_call *c, const char *key, int64_t n)
{
    if (c->md.len)
        strbuf_adds(&c->md, "\n\n");
    lang_add_count(&c->md, c->x->lang, key, n, NULL);
}

static struct str cut(struct arena *a, struct str text, size_t chars)
{
    size_t len = utf8_cut_chars(text, chars);
    if (len == text.len)
        return text;
    const char *short_text = arena_printf(a, "%.*s…", (int)len, text.s);
    return str_of(short_text);
}

const char *command_text(const struct command_call *c, struct str text)
{
    AUTO_STRBUF out;
    struct str shown = cut(c->x->a, text, COMMAND_CHARS);
    strbuf_init(&out, shown.len * MARKDOWN_ADDED_MAX + 1);
    markdown_add_text(&out, shown);
    return arena_strndup(c->x->a, out.len ? out.s : "", out.len);
}

const char *command_label(const struct command_call *c, struct str text)
{
    struct str shown = cut(c->x->a, text, COMMAND_LABEL_CHARS_MAX);
    char *label = arena_strndup(c->x->a, shown.len ? shown.s : "", shown.len);
    for (char *p = label; *p; p++)
        if (*p == '\n' || *p == '\r' || *p == '\t')
            *p = ' ';
    utf8_drop_directional(label, strlen(label));
    return label;
}

void command_item(struct command_call *c, const char *fmt, ...)
{
    va_list args;
    char *line;
    bool in_list = c->md.len && c->in_list == c->md.len;
    if (c->md.len)
        strbuf_adds(&c->md, in_list ? "\n" : "\n\n");
    va_start(args, fmt);
    if (vasprintf(&line, fmt, args) >= 0) {
        strbuf_addf(&c->md, "- %s", line);
        free(line);
    }
    va_end(args);
    c->in_list = c->md.len;
}

const char *command_ago(const struct command_call *c, int64_t at)
{
    const struct locale l = {c->x->lang, c->x->zone, c->x->now, NULL};
    return humanize_ago(c->x->a, &l, at);
}

/* ---- buttons ---- */

void command_button(struct command_call *c, const char *label, const char *line)
{
    struct command_reply *out = c->out;
    if (!out->buttons)
        out->buttons = ARENA_ARRAY(c->x->a, struct command_button, COMMAND_BUTTONS_MAX);
    if (out->buttons_n < COMMAND_BUTTONS_MAX && strlen(line) <= COMMAND_BUTTON_LINE_MAX)
        out->buttons[out->buttons_n++] = (struct command_button){label, line};
}

void command_button_id(struct command_call *c, const char *key, const char *line, int64_t id)
{
    command_button(c, lang_text(c->x->lang, key), arena_printf(c->x->a, "%s %lld", line, (long long)id));
}

void command_button_more(struct command_call *c, const char *line, int64_t page)
{
    command_button_id(c, "command.more", line, page);
}

/* ---- arguments ---- */

int64_t command_page_number(struct str *args)
{
    size_t at = args->len;
    int64_t page;
    while (at > 0 && args->s[at - 1] != ' ')
        at--;
    if (!str_to_int((struct str){args->s + at, args->len - at}, 1, PAGE_MAX, &page))
        return 1;
    *args = str_trim((struct str){args->s, at});
    return page;
}

struct str command_next(struct str *rest)
{
    struct str all = str_trim(*rest), word = all;
    word.len = 0;
    while (word.len < all.len && !strchr(" \t\r\n", all.s[word.len]))
        word.len++;
    *rest = str_trim(str_from(all, word.len));
    return word;
}

const char *command_str(const struct command_call *c, struct str s)
{
    return arena_strndup(c->x->a, s.len ? s.s : "", s.len);
}

enum rc command_id(struct str word, int64_t *out, struct err *e)
{
    return str_to_int(word, 1, INT64_MAX, out) ? RC_OK : err_say(e, RC_BAD_INPUT, "command.bad_id");
}

enum rc command_needs_args(const struct command_call *c, struct err *e)
{
    if (c->args.len)
        return RC_OK;
    return err_say(e, RC_BAD_INPUT, "command.needs", arg_text("command", c->command->name),
        arg_key("args", c->command->args));
}

/* ---- sessions ---- */

struct auth_client command_client(const struct command_context *x)
{
    return (struct auth_client){.address = x->channel, .agent = "", .now = x->now};
}

static enum rc read_session(const struct command_call *c, const char *pub, struct session *out, struct err *e)
{
    struct db *db = store_read(c->x->store);
    enum rc rc = store_session_get(db, c->x->a, c->x->owner, pub, out, NULL);
    store_read_done(c->x->store, db);
    return rc == RC_NOT_FOUND ? err_say(e, rc, "command.session_gone") : rc;
}

enum rc command_session(const struct command_call *c, struct session *out, struct err *e)
{
    return c->x->session ? read_session(c, c->x->session, out, e)
                         : err_say(e, RC_CONFLICT, "command.no_session");
}

struct fresh {
    const struct command_call *c;
    char pub[ID_SIZE];
};

static enum rc add_tx(struct db *db, void *arg, struct err *e)
{
    struct fresh *f = arg;
    int64_t id;
    id_new(ID_SESSION, f->pub);
    return store_session_add(db, f->c->x->owner, f->pub, NULL, NULL, f->c->x->now, &id, e);
}

enum rc command_session_or_new(struct command_call *c, struct session *out, struct err *e)
{
    if (c->x->session)
        return command_session(c, out, e);
    struct fresh f = {.c = c};
    enum rc rc = store_write(c->x->store, add_tx, &f, e);
    if (rc != RC_OK)
        return rc;
    c->out->session = arena_strdup(c->x->a, f.pub);
    return read_session(c, f.pub, out, e);
}

const char *command_title(const struct command_call *c, const struct session *s)
{
    return command_text(c, str_of(s->title ? s->title : lang_text(c->x->lang, "chat.new")));
}

struct stopping {
    int64_t owner;
    const char *session;
    int64_t withdrawn;
};

static enum rc withdraw_tx(struct db *db, void *arg, struct err *e)
{
    struct stopping *s = arg;
    return store_turn_orders_withdraw(db, s->owner, s->session, &s->withdrawn, e);
}

enum rc command_stop_session(
    const struct command_call *c, const char *session, int64_t *withdrawn, struct err *e)
{
    struct stopping s = {c->x->owner, session, 0};
    enum rc rc = store_write(c->x->store, withdraw_tx, &s, e);
    if (rc == RC_OK)
        turn_stop_notify(c->x->config->server.data_dir, session);
    *withdrawn = s.withdrawn;
    return rc;
}
