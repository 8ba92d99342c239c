#include "cli/chat/remote_command.h"

#include <stdio.h>
#include <unistd.h>

#include "base/backoff.h"
#include "base/fs.h"
#include "codec/ansi/terminal_text.h"
#include "codec/url.h"

#define COMMANDS_PATH  "/api/commands"
#define REPLY_MAX      ((size_t)16 * 1024 * 1024)
#define SESSIONS_LIMIT "50"
#define FILE_NAME_MAX  200
#define BUTTONS_MAX    99
#define TURN_TRIES     8 /* until a turn that a command has ordered runs */
#define TURN_FIRST_MS  50
#define TURN_MAX_MS    1000

void remote_commands_release(struct remote_commands *c)
{
    json_decref(c->table);
    json_decref(c->buttons);
    c->table = c->buttons = NULL;
}

/* ---- replies ---- */

const char *remote_command_button(const struct remote_commands *c, struct str number)
{
    int64_t n;
    if (!str_to_int(number, 1, BUTTONS_MAX, &n))
        return NULL;
    return json_string_value(json_object_get(json_array_get(c->buttons, (size_t)n - 1), "line"));
}

static void take_buttons(struct remote_commands *c, const json_t *reply, struct strbuf *text)
{
    json_t *buttons = json_object_get(reply, "buttons");
    json_decref(c->buttons);
    c->buttons = json_array_size(buttons) ? json_incref(buttons) : NULL;
    for (size_t i = 0; i < json_array_size(buttons) && i < BUTTONS_MAX; i++)
        strbuf_addf(text, "%s`%zu` %.*s", i ? " · " : "\n\n", i + 1,
            STR_FMT(server_text(json_array_get(buttons, i), "label")));
}

/* Its last part, without what could leave the folder or hide the file. */
static struct str file_name(struct str name)
{
    const char *slash = name.len ? memrchr(name.s, '/', name.len) : NULL;
    if (slash)
        name = (struct str){slash + 1, (size_t)(name.s + name.len - slash) - 1};
    while (name.len && (name.s[0] == '.' || name.s[0] == '-'))
        name = str_from(name, 1);
    return name;
}

/* An existing file is not replaced. */
static enum rc save_file(struct chat *c, const json_t *reply, struct err *e)
{
    const json_t *file = json_object_get(reply, "file");
    struct str given = server_text(file, "name"), text = server_text(file, "text"), name = file_name(given);
    char path[FILE_NAME_MAX];
    if (!given.len)
        return RC_OK;
    if (!name.len || name.len >= sizeof path)
        return err_tell(e, RC_UPSTREAM, "The server sent a file without a usable name.");
    snprintf(path, sizeof path, "%.*s", STR_FMT(name));
    AUTO_FD fd = -1;
    enum rc rc = fs_create(path, &fd, e);
    if (rc == RC_OK)
        rc = fs_write_all(fd, text.s, text.len, e);
    if (rc == RC_OK)
        output_note(c->out, "Saved as %s.", path);
    return rc;
}

/* A turn that a command has ordered begins soon, or has ended already. `before`: the session at the order. */
static enum rc watch_ordered(struct chat *c, const struct chat_session *before, struct err *e)
{
    struct backoff wait = {.first_ms = TURN_FIRST_MS, .max_ms = TURN_MAX_MS};
    struct chat_session now;
    struct remote_end end;
    for (int i = 0; i < TURN_TRIES; i++) {
        enum rc rc = chat_look(c, c->session, &now, e);
        if (rc != RC_OK)
            return rc;
        if (*now.turn)
            return chat_watch(c, now.turn, NULL, &end, e);
        if (strcmp(now.last, before->last) != 0) {
            output_markdown(c->out, str_of(now.text));
            return RC_OK;
        }
        if (!server_wait(c->server, backoff_next(&wait)))
            return err_tell(e, RC_CANCELLED, "Stopped.");
    }
    return RC_OK;
}

static void change_session(struct chat *c, const json_t *reply)
{
    struct str session = server_text(reply, "session");
    if (json_is_true(json_object_get(reply, "no_session"))) {
        chat_use(c, NULL);
    } else if (session.len && session.len < ID_SIZE && !str_is(session, c->session)) {
        c->temporary = false;
        chat_use(c, arena_strndup(c->arena, session.s, session.len));
    }
}

enum rc remote_command(struct remote_commands *c, struct str line, struct err *e)
{
    struct chat *chat = c->chat;
    AUTO(json_t) reply = NULL;
    AUTO(json_t) body = json_object();
    AUTO_STRBUF text = {0};
    struct chat_session before = {.last = ""};
    enum rc rc = *chat->session ? chat_look(chat, chat->session, &before, e) : RC_OK;
    if (rc == RC_NOT_FOUND || rc == RC_GONE) {
        output_note(chat->out, "The session was deleted. A new one begins.");
        chat_use(chat, NULL);
    } else if (rc != RC_OK) {
        return rc;
    }
    json_object_set_new(body, "line", json_stringn(line.s, line.len));
    json_object_set_new(body, "channel", json_string("terminal"));
    if (*chat->session)
        json_object_set_new(body, "session", json_string(chat->session));
    rc = server_call(chat->server, "POST", COMMANDS_PATH, body, &reply, e);
    if (rc != RC_OK)
        return rc;
    change_session(chat, reply);
    strbuf_init(&text, REPLY_MAX);
    strbuf_addstr(&text, server_text(reply, "markdown"));
    take_buttons(c, reply, &text);
    if (text.len)
        output_markdown(chat->out, strbuf_str(&text));
    rc = save_file(chat, reply, e);
    bool answers = json_is_true(json_object_get(reply, "answers"));
    return rc == RC_OK && answers && *chat->session ? watch_ordered(chat, &before, e) : rc;
}

/* ---- completion ---- */

static const json_t *table(struct remote_commands *c)
{
    if (!c->table) {
        AUTO(json_t) v = NULL;
        if (server_call(c->chat->server, "GET", COMMANDS_PATH, NULL, &v, NULL) == RC_OK)
            c->table = json_incref(json_object_get(v, "commands"));
    }
    return c->table;
}

static const char *clean(struct arena *a, struct str s)
{
    AUTO_STRBUF out;
    strbuf_init(&out, 4 * s.len + 16);
    terminal_text_add_line(&out, s, SIZE_MAX);
    return arena_strndup(a, out.s, out.len);
}

static void complete_name(struct remote_commands *c, struct str line, struct prompt_choices *out)
{
    const json_t *all = table(c);
    out->word_len = line.len;
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *command = json_array_get(all, i);
        const char *word = arena_printf(out->arena, "/%s", clean(out->arena, server_text(command, "name")));
        if (str_starts_nocase(str_of(word), line))
            prompt_choice(out, word, clean(out->arena, server_text(command, "help")));
    }
}

/* Sessions by their ids, titles and topics: the server searches unless the word begins an id. */
static void complete_session(struct remote_commands *c, struct str word, struct prompt_choices *out)
{
    AUTO(json_t) v = NULL;
    bool is_id = !word.len || str_starts(word, STR(ID_SESSION)) || str_starts(STR(ID_SESSION), word);
    struct str q = {is_id ? NULL : word.s, is_id ? 0 : word.len};
    const char *path = URL_WITH(out->arena, "/api/sessions", {"q", q}, {"limit", STR(SESSIONS_LIMIT)});
    out->word_len = word.len;
    if (server_call(c->chat->server, "GET", path, NULL, &v, NULL) != RC_OK)
        return;
    const json_t *all = json_object_get(v, "sessions");
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *session = json_array_get(all, i);
        struct str id = server_text(session, "id");
        if (id.len && (!is_id || str_starts(id, word)))
            prompt_choice(out, clean(out->arena, id), clean(out->arena, server_text(session, "title")));
    }
}

static void complete_model(struct remote_commands *c, struct str word, struct prompt_choices *out)
{
    AUTO(json_t) v = NULL;
    struct str q = {word.len ? word.s : NULL, word.len};
    const char *path = URL_WITH(out->arena, "/api/models", {"q", q}, {"limit", STR(SESSIONS_LIMIT)});
    out->word_len = word.len;
    if (server_call(c->chat->server, "GET", path, NULL, &v, NULL) != RC_OK)
        return;
    const json_t *all = json_object_get(v, "models");
    for (size_t i = 0; i < json_array_size(all); i++)
        prompt_choice(out, clean(out->arena, server_text(json_array_get(all, i), "value")), NULL);
}

void remote_command_complete(void *arg, struct str line, struct prompt_choices *out)
{
    static const struct {
        struct str word;
        void (*complete)(struct remote_commands *, struct str, struct prompt_choices *);
    } arguments[] = {{STR("/resume "), complete_session}, {STR("/model "), complete_model}};
    if (!line.len || line.s[0] != '/')
        return;
    if (!memchr(line.s, ' ', line.len))
        complete_name(arg, line, out);
    for (size_t i = 0; i < ARRAY_LEN(arguments); i++)
        if (str_starts_nocase(line, arguments[i].word)) {
            size_t n = arguments[i].word.len;
            arguments[i].complete(arg, str_from(line, n), out);
        }
}
