/*
 * alfred chat: the terminal client. It is independent of the service. It uses the JSON API with a token, and
 * neither the database nor the data folder. On the machine of the server it reads the settings for the
 * address and trusts the certificate that `alfred serve` has made. Under the name of public_url a proxy with
 * a certificate of its own may answer, so the system's authorities are trusted there, too.
 */
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/document/file_text.h"
#include "base/utf8.h"
#include "cli/chat/conversation.h"
#include "cli/chat/files.h"
#include "cli/chat/signals.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "codec/document/document.h"
#include "codec/url.h"

#define SERVER_ENV       "ALFRED_SERVER"
#define CA_FILE_ENV      "ALFRED_CA_FILE"
#define TOKEN_LINE_MAX   1024
#define INTERRUPTED_CODE 130 /* as shells report SIGINT */
#define MODELS_SHOWN     "5"

/* ---- the server ---- */

/* The settings of a server on this machine, when there are any. */
struct local {
    const char *url, *ca_file; /* in the arena; ca_file NULL: a certificate of the owner's, or none yet */
};

static enum rc read_local(struct arena *a, struct local *out, struct err *e)
{
    AUTO(config) c = NULL;
    struct config *loaded = NULL;
    char path[FS_PATH_MAX];
    enum rc rc = config_load(NULL, &loaded, e);
    c = loaded;
    if (rc != RC_OK)
        return rc;
    *out = (struct local){0};
    out->url = arena_strdup(a, c->server.public_url);
    if (!*c->server.certificate && fs_join(path, c->server.data_dir, "tls/cert.pem", NULL) == RC_OK &&
        access(path, R_OK) == 0)
        out->ca_file = arena_strdup(a, path);
    return RC_OK;
}

static const char *first_of(const char *option, const char *env)
{
    const char *value = getenv(env);
    return option ? option : value && *value ? value : NULL;
}

static enum rc find_server(
    const struct command_line *l, struct arena *a, struct server_setup *out, struct err *e)
{
    struct local local = {0};
    out->url = first_of(command_option(l, "server"), SERVER_ENV);
    out->ca_file = first_of(command_option(l, "ca-file"), CA_FILE_ENV);
    enum rc rc = read_local(a, &local, e);
    if (rc != RC_OK && !out->url)
        return rc;
    if (!out->url)
        out->url = local.url;
    if (!out->ca_file && local.ca_file && (server_is_local(out->url) || strcmp(out->url, local.url) == 0)) {
        out->ca_file = local.ca_file;
        out->system_too = !server_is_local(out->url);
    }
    if (out->ca_file && access(out->ca_file, R_OK) != 0)
        return err_tell(e, RC_BAD_INPUT, "The file %s cannot be read.", out->ca_file);
    return RC_OK;
}

/* A failure that has to do with the connection gets what to do about it. */
static enum rc explain(struct chat *c, enum rc rc, struct err *e)
{
    char cause[ERR_TEXT_MAX];
    snprintf(cause, sizeof cause, "%s", e->text);
    if (rc == RC_UPSTREAM && !c->server->ca_file && strstr(cause, "certificate"))
        return err_tell(e, rc,
            "%s If the server has a certificate of its own, copy data/tls/cert.pem from it and use "
            "--ca-file cert.pem.",
            cause);
    if (rc == RC_UNAVAILABLE && server_is_local(c->server->url))
        return err_tell(e, rc, "%s Is Alfred running? `alfred serve` starts it.", cause);
    return rc;
}

static bool has_word(struct str words, const char *word)
{
    while (words.s)
        if (str_is(str_cut(&words, ' '), word))
            return true;
    return false;
}

/* Asks for the user and the rights of the token, and checks that they allow a chat. */
static enum rc sign_in(struct chat *c, struct err *e)
{
    static const char *const needed[] = {"read", "chat"};
    AUTO(json_t) me = NULL;
    struct str name = {"", 0}, scopes;
    enum rc rc = server_call(c->server, "GET", "/api/me", NULL, &me, e);
    if (rc == RC_FORBIDDEN)
        return err_tell(e, rc, "The API token lacks the right read. A terminal needs read, write and chat.");
    if (rc != RC_OK)
        return explain(c, rc, e);
    json_get_str(me, "name", &name);
    c->user = arena_strndup(c->arena, name.s, name.len);
    if (json_get_str(me, "scopes", &scopes))
        for (size_t i = 0; i < ARRAY_LEN(needed); i++)
            if (!has_word(scopes, needed[i]))
                return err_tell(e, RC_FORBIDDEN,
                    "The API token lacks the right %s. A terminal needs read, write and chat.", needed[i]);
    return RC_OK;
}

/* ---- the session and the model ---- */

/* `name` is the value of a model, or part of the name of one. */
static enum rc choose_model(struct chat *c, const char *name, struct err *e)
{
    AUTO(json_t) v = NULL;
    struct str value;
    const char *path = URL_WITH(c->arena, "/api/models", {"q", str_of(name)}, {"limit", STR(MODELS_SHOWN)});
    enum rc rc = server_call(c->server, "GET", path, NULL, &v, e);
    if (rc != RC_OK)
        return rc;
    const json_t *models = json_object_get(v, "models");
    const char *names = "";
    for (size_t i = 0; i < json_array_size(models); i++) {
        if (!json_get_str(json_array_get(models, i), "value", &value))
            continue;
        if (str_is(value, name) || json_array_size(models) == 1) {
            c->choice = arena_strndup(c->arena, value.s, value.len);
            return RC_OK;
        }
        names = arena_printf(c->arena, "%s%s%.*s", names, *names ? ", " : "", STR_FMT(value));
    }
    if (!*names)
        return err_tell(
            e, RC_NOT_FOUND, "There is no model %s here. `/model` at the prompt lists the models.", name);
    return err_tell(e, RC_BAD_INPUT, "Several models are called %s: %s.", name, names);
}

static enum rc choose_session(struct chat *c, const struct command_line *l, struct err *e)
{
    const char *id = command_option(l, "session");
    char stored[ID_SIZE];
    if (id && !id_valid(ID_SESSION, id))
        return err_tell(e, RC_BAD_INPUT,
            "%s is no id of a session: an id has " ID_SESSION " and 26 letters and digits.", id);
    if (id) {
        struct chat_session now;
        enum rc rc = chat_look(c, id, &now, e);
        if (rc == RC_NOT_FOUND || rc == RC_GONE)
            return err_tell(e, rc, "There is no session %s.", id);
        if (rc == RC_OK)
            chat_use(c, id);
        return rc;
    }
    if (!command_option(l, "new") && !c->temporary && c->remembers && files_session(c->remembers, stored))
        snprintf(c->session, sizeof c->session, "%s", stored);
    return RC_OK;
}

/* ---- one message ---- */

/* The text of an office document or of a PDF file, else the input itself. */
static enum rc input_text(struct arena *a, struct str input, struct str *text, struct err *e)
{
    struct file_text_source s = {.name = STR(""),
        .media_type = STR(""),
        .shown = "The document",
        .bytes = input,
        .max = CHAT_MESSAGE_MAX,
        .stop_fd = -1};
    *text = input;
    return document_is(input) || file_text_takes_time(&s) ? file_text_read(a, &s, text, e) : RC_OK;
}

/* Adds standard input, as valid text. RC_BAD_INPUT: too long. The errors of file_text_read(). */
static enum rc add_input(struct strbuf *text, struct err *e)
{
    char piece[4096];
    AUTO_STRBUF raw;
    size_t n;
    strbuf_init(&raw, CHAT_MESSAGE_MAX);
    while ((n = fread(piece, 1, sizeof piece, stdin)) > 0 && !raw.failed)
        strbuf_add(&raw, piece, n);
    if (raw.failed)
        return err_tell(e, RC_BAD_INPUT, "Standard input is longer than %zu MB.", CHAT_MESSAGE_MAX >> 20);
    AUTO(arena) a = arena_new();
    struct str rest;
    enum rc rc = input_text(a, strbuf_str(&raw), &rest, e);
    if (rc != RC_OK)
        return rc;
    if (text->len && str_trim(rest).len)
        strbuf_adds(text, "\n\n");
    while (rest.len) {
        uint32_t c = utf8_next(&rest, NULL);
        if (c) /* NUL is no text */
            strbuf_addcp(text, c);
    }
    return RC_OK;
}

static enum rc message_of(const struct command_line *l, struct strbuf *text, struct err *e)
{
    for (size_t i = 0; i < l->words_n; i++) {
        strbuf_adds(text, i ? " " : "");
        strbuf_adds(text, l->words[i]);
    }
    if (!utf8_valid_text(strbuf_str(text)))
        return err_tell(e, RC_BAD_INPUT, "The message is not in UTF-8.");
    enum rc rc = isatty(STDIN_FILENO) ? RC_OK : add_input(text, e);
    if (rc == RC_OK && !str_trim(strbuf_str(text)).len)
        return err_tell(
            e, RC_BAD_INPUT, "There is no message: it comes from the arguments or standard input.");
    return rc;
}

/* Nobody can be asked here. They are told again at the end, if they still wait then. */
static enum rc tell_questions(void *arg, struct err *e)
{
    struct chat *c = arg;
    AUTO(json_t) list = NULL;
    struct str ask = {"", 0}, text = {"", 0};
    (void)e;
    if (chat_questions(c, &list, NULL) != RC_OK)
        return RC_OK;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *question = json_array_get(list, i);
        json_get_str(question, "question", &ask);
        json_get_str(question, "text", &text);
        output_event(c->out, "question", question);
        output_note(c->out, "A question waits for your decision, on the page %s/s/%s: %.*s “%.*s”",
            c->server->url, c->session, STR_FMT(ask), STR_FMT(text));
    }
    return RC_OK;
}

static enum rc one_message(struct chat *c, const struct command_line *l, struct err *e)
{
    struct remote_end end;
    AUTO_STRBUF text;
    strbuf_init(&text, 2 * CHAT_MESSAGE_MAX);
    enum rc rc = message_of(l, &text, e);
    output_when_asked(c->out, tell_questions, c);
    if (rc == RC_OK)
        rc = chat_say(c, strbuf_str(&text), &end, e);
    if (rc == RC_OK)
        rc = tell_questions(c, e);
    if (rc != RC_OK)
        return rc;
    if (strcmp(end.status, "stopped") == 0)
        return err_tell(e, RC_CANCELLED, "The answer was stopped.");
    if (strcmp(end.status, "done") != 0)
        return err_tell(e, RC_UPSTREAM, "%s", *end.error ? end.error : "The answer is not complete.");
    return output_failed(c->out) ? err_tell(e, RC_IO, "Standard output cannot be written.") : RC_OK;
}

/* ---- the command ---- */

static enum rc login(struct chat *c, struct server_setup *setup, struct err *e)
{
    char line[TOKEN_LINE_MAX];
    const char *path;
    if (!terminal_ask_secret("API token", line, sizeof line))
        return err_tell(e, RC_BAD_INPUT, "There is no API token on standard input.");
    line[strcspn(line, " \t\r\n")] = '\0';
    setup->token = arena_strdup(c->arena, line);
    enum rc rc = server_open(setup, &c->server, e);
    if (rc == RC_OK)
        rc = sign_in(c, e);
    if (rc == RC_OK)
        rc = files_token_store(c->arena, str_of(line), &path, e);
    if (rc == RC_OK)
        printf("The token is stored in %s. You are signed in to %s as %s.\n", path, c->server->url, c->user);
    return rc;
}

static enum rc talk(struct chat *c, const struct command_line *l, struct err *e)
{
    const char *model = command_option(l, "model"), *history = NULL;
    enum rc rc = sign_in(c, e);
    if (rc == RC_OK)
        rc = files_state(c->arena, c->server->where, "history", &history, e);
    if (rc == RC_OK && !c->temporary)
        rc = files_state(c->arena, c->server->where, "session", &c->remembers, e);
    if (rc == RC_OK)
        rc = choose_session(c, l, e);
    if (rc == RC_OK && model)
        rc = choose_model(c, model, e);
    if (rc != RC_OK)
        return rc;
    if (l->words_n || !isatty(STDIN_FILENO) || output_mode(c->out) != OUTPUT_TERMINAL)
        return one_message(c, l, e);
    return conversation(c, history, e);
}

static enum rc chat(struct chat *c, const struct command_line *l, struct err *e)
{
    struct server_setup setup = {0};
    enum rc rc = find_server(l, c->arena, &setup, e);
    if (rc != RC_OK)
        return rc;
    if (command_option(l, "login"))
        return login(c, &setup, e);
    if ((rc = files_token(c->arena, &setup.token, e)) == RC_OK &&
        (rc = server_open(&setup, &c->server, e)) == RC_OK)
        rc = talk(c, l, e);
    return rc;
}

/* Widths of characters need a locale with UTF-8, whatever the user's is. */
static void set_locale(void)
{
    if (!setlocale(LC_CTYPE, "") || strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
        setlocale(LC_CTYPE, "C.UTF-8");
}

int cmd_chat(const struct command_line *l)
{
    struct err e = ERR_INIT;
    AUTO(arena) a = arena_new();
    if (command_option(l, "session") && (command_option(l, "new") || command_option(l, "temporary")))
        return command_misused(l, "--session names a session, so --new and --temporary do not fit");
    umask(S_IRWXG | S_IRWXO); /* libedit writes the history */
    set_locale();
    signals_init(output_restore_terminal);
    bool json = command_option(l, "json") != NULL;
    struct chat c = {.arena = a,
        .out = output_new(json                    ? OUTPUT_JSON
                          : isatty(STDOUT_FILENO) ? OUTPUT_TERMINAL
                                                  : OUTPUT_PLAIN),
        .temporary = command_option(l, "temporary") != NULL};
    enum rc rc = chat(&c, l, &e);
    if (rc != RC_OK)
        output_error(c.out, &e);
    output_free(c.out);
    server_free(c.server);
    return rc == RC_OK ? 0 : rc == RC_CANCELLED ? INTERRUPTED_CODE : COMMAND_FAILED;
}
