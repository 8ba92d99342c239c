#include "app/command/command_private.h"

#include <ctype.h>
#include <string.h>

#include "base/strbuf.h"

#define NEAREST_MAX 3

/* The commands, in the order in which help and completion show them. Hidden ones are last. */
/* clang-format off */
static const struct command table[] = {
    {"new",       "command.args_title",    "command.help_new",      "command.group_sessions",  COMMAND_STOPS,    command_new},
    {"resume",    "command.args_resume",   "command.help_resume",   "command.group_sessions",  COMMAND_BESIDE,   command_resume},
    {"sessions",  "command.args_words",    "command.help_sessions", "command.group_sessions",  COMMAND_BESIDE,   command_sessions},
    {"session",   NULL,                    "command.help_session",  "command.group_sessions",  COMMAND_BESIDE,   command_session_info},
    {"rename",    "command.args_new_title", "command.help_rename",   "command.group_sessions",  COMMAND_BESIDE,   command_rename},
    {"workspace", "command.args_workspace", "command.help_workspace", "command.group_sessions",  COMMAND_BESIDE,   command_workspace},
    {"export",    "command.args_export",   "command.help_export",   "command.group_sessions",  COMMAND_BESIDE,   command_export},
    {"stop",      NULL,                    "command.help_stop",     "command.group_answers",   COMMAND_STOPS,    command_stop},
    {"retry",     NULL,                    "command.help_retry",    "command.group_answers",   COMMAND_REFUSED,  command_retry},
    {"undo",      NULL,                    "command.help_undo",     "command.group_answers",   COMMAND_REFUSED,  command_undo},
    {"model",     "command.args_model",    "command.help_model",    "command.group_answers",   COMMAND_BESIDE,   command_model},
    {"clear",     NULL,                    "command.help_clear",    "command.group_context",   COMMAND_REFUSED,  command_clear},
    {"compact",   "command.args_keep",     "command.help_compact",  "command.group_context",   COMMAND_BESIDE,   command_compact},
    {"summary",   "command.args_summary",  "command.help_summary",  "command.group_context",   COMMAND_BESIDE,   command_summary},
    {"search",    "command.args_search",   "command.help_search",   "command.group_memory",    COMMAND_BESIDE,   command_search},
    {"remember",  "command.args_fact",     "command.help_remember", "command.group_memory",    COMMAND_BESIDE,   command_remember},
    {"memories",  "command.args_words",    "command.help_memories", "command.group_memory",    COMMAND_BESIDE,   command_memories},
    {"forget",    "command.args_forget",   "command.help_forget",   "command.group_memory",    COMMAND_BESIDE,   command_forget},
    {"tasks",     "command.args_tasks",    "command.help_tasks",    "command.group_tasks",     COMMAND_BESIDE,   command_tasks},
    {"remind",    "command.args_remind",   "command.help_remind",   "command.group_tasks",     COMMAND_BESIDE,   command_remind},
    {"usage",     NULL,                    "command.help_usage",    "command.group_account",   COMMAND_BESIDE,   command_usage},
    {"link",      "command.args_link",     "command.help_link",     "command.group_account",   COMMAND_BESIDE,   command_link},
    {"help",      "command.args_help",     "command.help_help",     "command.group_account",   COMMAND_BESIDE,   command_help},
    {"start",     NULL,                    NULL,                    NULL,                      COMMAND_BESIDE,   command_start},
    {"decide",    NULL,                    NULL,                    NULL,                      COMMAND_BESIDE,   command_decide},
    {"reminder",  NULL,                    NULL,                    NULL,                      COMMAND_BESIDE,   command_reminder},
    {"task",      NULL,                    NULL,                    NULL,                      COMMAND_BESIDE,   command_task},
    {"unforget",  NULL,                    NULL,                    NULL,                      COMMAND_BESIDE,   command_unforget},
    {"restore",   NULL,                    NULL,                    NULL,                      COMMAND_BESIDE,   command_restore},
};
/* clang-format on */

const struct command *command_table(size_t *n)
{
    *n = ARRAY_LEN(table);
    return table;
}

/* ---- lines ---- */

struct str command_word(struct str line, struct str *rest)
{
    const struct str none = {0};
    size_t n = 1;
    *rest = none;
    if (line.len && line.s[0] == '/' && str_trim(line).len == 1)
        return (struct str){line.s + 1, 0};
    if (line.len < 2 || line.s[0] != '/' || !isalpha((unsigned char)line.s[1]))
        return none;
    while (n < line.len && (isalnum((unsigned char)line.s[n]) || line.s[n] == '_'))
        n++;
    if (n - 1 > COMMAND_WORD_MAX || (n < line.len && !str_is_space(line.s[n])))
        return none;
    *rest = str_trim(str_from(line, n));
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

/* ---- running ---- */

struct near {
    const struct command *command;
    size_t distance;
};

/* The commands whose names are most like the word: by edits, or because they begin with it. `out` is zeroed
 * and gets the nearest first; returns their number. */
static size_t find_nearest(struct str word, struct near out[NEAREST_MAX])
{
    size_t n = 0;
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct str name = str_of(table[i].name);
        size_t d = str_starts_nocase(name, word) ? 0 : str_distance(word, name);
        if (!table[i].help || d > 1 + name.len / 3)
            continue;
        size_t at = n < NEAREST_MAX ? n++ : NEAREST_MAX - 1;
        if (out[at].command && out[at].distance <= d)
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
    c->out->unknown = true;
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
    c.command = command_find(word.len ? word : STR("help"));
    if (c.command)
        rc = c.command->run(&c, e);
    else
        tell_unknown(&c, word);
    out->markdown = arena_str(x->a, strbuf_str(&c.md));
    strbuf_release(&c.md);
    return rc;
}
