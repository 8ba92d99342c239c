#include "cli/chat/conversation.h"

#include <stdio.h>
#include <unistd.h>

#include "app/command/command.h"
#include "cli/chat/prompt.h"
#include "cli/chat/remote_command.h"
#include "cli/chat/signals.h"

#define QUESTION_MAX 8192

struct conversation {
    struct chat *chat;
    struct prompt *prompt;
    struct remote_commands commands;
    bool interrupted; /* Ctrl-C at the last prompt */
};

/* ---- questions of tools ---- */

/* The sentence that pages show above their buttons. */
static void add_question(const json_t *question, struct strbuf *out)
{
    struct str to = server_text(question, "new_text");
    strbuf_addf(out, "**%.*s** “%.*s”", STR_FMT(server_text(question, "question")),
        STR_FMT(server_text(question, "text")));
    if (to.len)
        strbuf_addf(out, " → “%.*s”", STR_FMT(to));
}

/* Asks until the answer is yes or no. False: it is put off. */
static bool ask(struct conversation *k, bool *keep)
{
    static const char *const yes[] = {"y", "yes", "j", "ja"}, *const no[] = {"n", "no", "nein"};
    AUTO_STRBUF line;
    strbuf_init(&line, QUESTION_MAX);
    while (prompt_read(k->prompt, "yes or no? ", &line) == PROMPT_MESSAGE && line.len) {
        *keep = STR_IN_NOCASE(strbuf_str(&line), yes);
        if (*keep || STR_IN_NOCASE(strbuf_str(&line), no))
            return true;
    }
    return false;
}

static enum rc ask_questions(void *arg, struct err *e)
{
    struct conversation *k = arg;
    struct chat *c = k->chat;
    AUTO(json_t) list = NULL;
    enum rc rc = *c->session ? chat_questions(c, &list, e) : RC_OK;
    for (size_t i = 0; rc == RC_OK && i < json_array_size(list); i++) {
        const json_t *question = json_array_get(list, i);
        bool keep;
        AUTO_STRBUF text;
        strbuf_init(&text, SERVER_ANSWER_MAX);
        add_question(question, &text);
        output_markdown(c->out, strbuf_str(&text));
        if (!ask(k, &keep)) {
            output_note(c->out, "The question stays open. The page of the session has it, too.");
            return RC_OK;
        }
        struct str id = server_text(question, "id");
        rc = chat_decide(c, arena_strndup(c->arena, id.s, id.len), keep, e);
        if (rc == RC_CONFLICT || rc == RC_NOT_FOUND) {
            output_note(c->out, "The question was answered elsewhere, or has ended.");
            rc = RC_OK;
        } else if (rc == RC_OK) {
            output_note(c->out, keep ? "Done." : "Not done.");
        }
    }
    return rc;
}

/* ---- messages ---- */

static enum rc say(struct conversation *k, struct str text, struct err *e)
{
    struct remote_end end;
    enum rc rc = chat_say(k->chat, text, &end, e);
    if (rc != RC_OK)
        return rc;
    if (strcmp(end.status, "stopped") == 0)
        output_note(k->chat->out, "Stopped.");
    else if (strcmp(end.status, "done") != 0)
        output_note(k->chat->out, "%s", *end.error ? end.error : "The answer is not complete.");
    return ask_questions(k, e);
}

static enum rc take(struct conversation *k, struct str text, struct err *e)
{
    const char *button = remote_command_button(&k->commands, text);
    if (button)
        text = str_of(arena_strdup(k->chat->arena, button));
    if (!command_is(text)) {
        json_decref(k->commands.buttons);
        k->commands.buttons = NULL;
        return say(k, text, e);
    }
    enum rc rc = remote_command(&k->commands, text, e);
    return rc == RC_OK ? ask_questions(k, e) : rc;
}

/* A failure is shown, and the conversation goes on, unless the token has become invalid. */
static bool survive(struct conversation *k, enum rc rc, struct err *e)
{
    if (rc == RC_OK)
        return true;
    if (rc == RC_UNAUTHENTICATED)
        return false;
    if (rc == RC_CANCELLED)
        output_note(k->chat->out, "%s", e->text);
    else
        output_error(k->chat->out, e);
    return true;
}

static bool is_end(struct str text)
{
    return str_eq_nocase(text, STR("/quit")) || str_eq_nocase(text, STR("/exit"));
}

/* False: the user ends. */
static bool read_message(struct conversation *k, struct strbuf *text)
{
    for (;;) {
        switch (prompt_read(k->prompt, NULL, text)) {
        case PROMPT_END: return false;
        case PROMPT_INTERRUPTED:
            if (k->interrupted)
                return false;
            k->interrupted = true;
            output_note(k->chat->out, "Ctrl-C again or Ctrl-D ends.");
            continue;
        case PROMPT_MESSAGE: break;
        }
        k->interrupted = false;
        if (is_end(strbuf_str(text)))
            return false;
        if (text->len)
            return true;
    }
}

static enum rc converse(struct conversation *k, struct err *e)
{
    AUTO_STRBUF text;
    strbuf_init(&text, CHAT_MESSAGE_MAX);
    while (read_message(k, &text)) {
        struct err own = ERR_INIT;
        enum rc rc = take(k, strbuf_str(&text), &own);
        signals_forget(); /* they were for the answer */
        if (!survive(k, rc, &own)) {
            *e = own;
            return rc;
        }
        if (output_failed(k->chat->out))
            return err_tell(e, RC_IO, "Standard output cannot be written.");
    }
    return RC_OK;
}

/* Shows the session and the answer that is being written in it. */
static enum rc greet(struct conversation *k, struct err *e)
{
    struct chat *c = k->chat;
    struct chat_session now = {.title = ""};
    struct remote_end end;
    if (*c->session) {
        enum rc rc = chat_look(c, c->session, &now, e);
        if (rc == RC_NOT_FOUND || rc == RC_GONE) {
            output_note(c->out, "The session was deleted. A new one begins.");
            chat_use(c, NULL);
        } else if (rc != RC_OK) {
            return rc;
        }
    }
    output_note(c->out, "%s at %s: %s. /help lists the commands, Ctrl-D ends.", c->user, c->server->where,
        c->temporary  ? "a temporary chat"
        : *c->session ? now.title
                      : "a new session");
    if (!*now.turn)
        return RC_OK;
    enum rc rc = chat_watch(c, now.turn, NULL, &end, e);
    return rc == RC_NOT_FOUND || rc == RC_CANCELLED ? RC_OK : rc;
}

enum rc conversation(struct chat *c, const char *history, struct err *e)
{
    struct conversation k = {.chat = c, .commands = {.chat = c}};
    enum rc rc = prompt_new(history, remote_command_complete, &k.commands, &k.prompt, e);
    output_when_asked(c->out, ask_questions, &k);
    if (rc == RC_OK)
        rc = greet(&k, e);
    if (rc == RC_OK)
        rc = ask_questions(&k, e);
    if (rc == RC_OK)
        rc = converse(&k, e);
    output_when_asked(c->out, NULL, NULL);
    prompt_free(k.prompt);
    remote_commands_release(&k.commands);
    return rc;
}
