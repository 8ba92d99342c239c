#include "app/command/command_private.h"

#include <ctype.h>
#include <string.h>

#include "base/strbuf.h"

#define NEAREST_MAX 3

/* The commands, in the order in which help and completion show them. Hidden ones are last. */
static const struct command table[] = {
    {"link", "command.args_link", "command.help_link", "command.group_account", COMMAND_BESIDE, command_link},
    {"help", "command.args_help", "command.help_help", "command.group_account", COMMAND_BESIDE, command_help},
    {"start", NULL, NULL, NULL, COMMAND_BESIDE, command_start},
};

const struct command *command_table(size_t *n)
{
    *n = ARRAY_LEN(table);
    return table;
}

/* ---- lines ---- */

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

struct str command_word(struct str line, struct str *rest)
{
    const struct str none = {0};
    size_t n = 1;
    *rest = none;
    if (line.len < 2 || line.s[0] != '/' || !isalpha((unsigned char)line.s[1]))
        return none;
    while (n < line.len && (isalnum((unsigned char)line.s[n]) || line.s[n] == '_'))
        n++;
    if (n - 1 > COMMAND_WORD_MAX || (n < line.len && !is_space(line.s[n])))
        return none;
    *rest = str_trim((struct str){line.s + n, line.len - n});
    return (struct str){line.s + 1, n - 1};
}

bool command_is(struct str line)
{
    struct str rest;
    return command_word(line, &rest).s != NULL;
}

const struct command *command_find(struct str word)
{
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (str_eq_nocase(word, str_of(table[i].name)))
            return &table[i];
    return NULL;
}

/* ---- replies ---- */

void command_say(struct command_call *c, const char *key, const struct lang_arg *args)
{
    if (c->md.len)
        strbuf_adds(&c->md, "\n\n");
    lang_add(&c->md, c->x->lang, key, args);
}

const char *command_escape(struct arena *a, const char *text)
{
    AUTO_STRBUF out;
    strbuf_init(&out, COMMAND_REPLY_MAX);
    for (const char *p = text; *p; p++) {
        if (strchr("\\`*_{}[]<>()#+-.!|~$&:@", *p))
            strbuf_addc(&out, '\\');
        strbuf_addc(&out, *p == '\n' || *p == '\r' ? ' ' : *p);
    }
    return arena_strndup(a, out.len ? out.s : "", out.len);
}

void command_button(struct command_call *c, const char *label, const char *line)
{
    struct command_reply *out = c->out;
    if (!out->buttons)
        out->buttons = ARENA_ARRAY(c->x->a, struct command_button, COMMAND_BUTTONS_MAX);
    if (out->buttons_n < COMMAND_BUTTONS_MAX)
        out->buttons[out->buttons_n++] = (struct command_button){label, line};
}

enum rc command_session(const struct command_call *c, struct session *out, struct err *e)
{
    if (!c->x->session)
        return err_say(e, RC_CONFLICT, "command.no_session");
    struct db *db = store_read(c->x->store);
    enum rc rc = store_session_get(db, c->x->a, c->x->owner, c->x->session, out, NULL);
    store_read_done(c->x->store, db);
    return rc == RC_NOT_FOUND ? err_say(e, rc, "command.session_gone") : rc;
}

/* ---- running ---- */

struct near {
    const struct command *command;
    size_t distance;
};

/* The names that are most like the word: by edits, or because they begin with it. */
static size_t find_nearest(struct str word, struct near out[NEAREST_MAX])
{
    size_t n = 0;
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct str name = str_of(table[i].name);
        size_t d = str_starts_nocase(name, word) ? 0 : str_distance(word, name);
        if (!table[i].help || d > 1 + name.len / 3)
            continue;
        size_t at = n < NEAREST_MAX ? n++ : NEAREST_MAX - 1;
        if (at == NEAREST_MAX - 1 && n == NEAREST_MAX && out[at].command && out[at].distance <= d)
            continue;
        for (; at > 0 && out[at - 1].distance > d; at--)
            out[at] = out[at - 1];
        out[at] = (struct near){&table[i], d};
    }
    return n;
}

static void tell_unknown(struct command_call *c, struct str word)
{
    struct near nearest[NEAREST_MAX] = {0};
    struct arena *a = c->x->a;
    size_t n = find_nearest(word, nearest);
    command_say(c, n ? "command.unknown_near" : "command.unknown",
        LANG_ARGS({"command", arena_strndup(a, word.s, word.len)}));
    for (size_t i = 0; i < n; i++) {
        const char *line = arena_printf(a, "/%s", nearest[i].command->name);
        strbuf_addf(&c->md, "%s`%s`", i ? ", " : " ", line);
    }
    command_button(c, "/help", "/help");
}

enum rc command_run(
    const struct command_context *x, struct str line, struct command_reply *out, struct err *e)
{
    struct command_call c = {.x = x, .out = out};
    *out = (struct command_reply){0};
    struct str word = command_word(line, &c.args);
    if (!word.s)
        return err_say(e, RC_BAD_INPUT, "command.no_command");
    if (line.len > COMMAND_LINE_MAX)
        return err_say(e, RC_TOO_BIG, "command.too_long");
    strbuf_init(&c.md, COMMAND_REPLY_MAX);
    enum rc rc = RC_OK;
    c.command = command_find(word);
    if (c.command)
        rc = c.command->run(&c, e);
    else
        tell_unknown(&c, word);
    out->markdown = (struct str){arena_strndup(x->a, c.md.len ? c.md.s : "", c.md.len), c.md.len};
    strbuf_release(&c.md);
    return rc;
}
