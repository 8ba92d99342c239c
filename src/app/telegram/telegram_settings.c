#include "app/telegram/telegram_settings.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/rand.h"

#define SECRET_CHARS_MAX 256 /* of setWebhook's secret_token */
#define TOKEN_CHARS_MAX  256
#define DIGITS           "0123456789"
#define SECRET_CHARS     CONFIG_SECRET_CHARS "-"

static enum rc take_token(const struct config *c, struct arena *a, struct telegram_settings *t, struct err *e)
{
    struct err why = ERR_INIT;
    enum rc rc = config_secret(c, a, CONFIG_TELEGRAM_TOKEN, &t->token, &why);
    if (rc == RC_NOT_FOUND)
        return err_tell(e, rc,
            "There is no bot token. Get one from @BotFather in Telegram and put the "
            "line " CONFIG_TELEGRAM_TOKEN
            "=... into %.150s/credentials (mode 0600) or the variable into the environment.",
            c->server.data_dir);
    if (rc != RC_OK)
        return err_tell(e, rc, "%s", why.text);
    size_t id = strspn(t->token, DIGITS);
    const char *rest = t->token + id;
    if (!id || *rest != ':' || !rest[1] || strspn(rest + 1, SECRET_CHARS) != strlen(rest + 1) ||
        strlen(t->token) > TOKEN_CHARS_MAX)
        return err_tell(e, RC_BAD_INPUT,
            CONFIG_TELEGRAM_TOKEN " is not a bot token. A token looks like 123456789:AAExample-of_A_Token.");
    t->bot = arena_strndup(a, t->token, id);
    return RC_OK;
}

/* Makes the file unless it exists. link() leaves the file of the first of two programs that do so. */
static enum rc make_secret(const char *path, struct err *e)
{
    unsigned char bytes[TELEGRAM_SECRET_BYTES];
    char text[sodium_base64_ENCODED_LEN(sizeof bytes, sodium_base64_VARIANT_URLSAFE_NO_PADDING)];
    AUTO(arena) a = arena_new();
    const char *own = arena_printf(a, "%s.%ld", path, (long)getpid());
    rand_bytes(bytes, sizeof bytes);
    sodium_bin2base64(text, sizeof text, bytes, sizeof bytes, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    enum rc rc = fs_write_atomic(own, str_of(text), e);
    sodium_memzero(text, sizeof text);
    sodium_memzero(bytes, sizeof bytes);
    if (rc != RC_OK)
        return rc;
    if (link(own, path) < 0 && errno != EEXIST)
        rc = err_set(e, RC_IO, "%s: %s", path, strerror(errno));
    unlink(own);
    return rc == RC_OK ? fs_sync_name(path, e) : rc;
}

static enum rc take_secret(const struct config *c, struct arena *a, const char **out, struct err *e)
{
    char path[FS_PATH_MAX];
    struct stat st;
    AUTO_STRBUF text;
    strbuf_init(&text, SECRET_CHARS_MAX + 1); /* and the newline of an editor */
    enum rc rc = fs_join(path, c->server.data_dir, TELEGRAM_SECRET_FILE, e);
    if (rc == RC_OK && !fs_exists(path))
        rc = make_secret(path, e);
    if (rc == RC_OK && stat(path, &st) == 0 && (st.st_mode & (S_IRWXG | S_IRWXO)))
        return err_tell(e, RC_FORBIDDEN, "%.150s can be read by other users. Run chmod 600 on it.", path);
    if (rc == RC_OK)
        rc = fs_read(path, &text, e);
    if (rc != RC_OK)
        return rc;
    struct str secret = str_trim(strbuf_str(&text));
    *out = arena_strndup(a, secret.s, secret.len);
    sodium_memzero(text.s, text.len);
    if (!**out || strspn(*out, SECRET_CHARS) != strlen(*out))
        return err_tell(e, RC_BAD_INPUT,
            "%.150s must have 1 to %d of A-Z a-z 0-9 _ -. Remove it, restart and run setup again", path,
            SECRET_CHARS_MAX);
    return RC_OK;
}

enum rc telegram_settings(
    const struct config *c, struct arena *a, struct telegram_settings *out, struct err *e)
{
    *out = (struct telegram_settings){
        .mode = c->telegram.mode,
        .api_url = c->telegram.api_url,
        .hook_url = arena_printf(a, "%s" TELEGRAM_HOOK_PATH, c->telegram.public_url),
        .certificate = c->telegram.certificate,
        .group_context = c->telegram.group_context == CONFIG_YES,
    };
    enum rc rc = take_token(c, a, out, e);
    if (rc == RC_OK)
        rc = take_secret(c, a, &out->secret, e);
    if (rc != RC_OK)
        return rc;
    struct str rest = str_of(strstr(c->telegram.api_url, "://") + 3), host = str_cut(&rest, '/');
    out->allowed[out->allowed_n++] = arena_strndup(a, host.s, host.len);
    return RC_OK;
}

json_t *telegram_allowed_updates(void)
{
    return json_pack("[s, s, s, s, s]", "message", "edited_message", "callback_query",
        "stopped_message_generation", "my_chat_member");
}

bool telegram_read_me(const json_t *me, const struct telegram_settings *t, struct channel_bot *out)
{
    struct str username, name;
    if (!json_get_str(me, "username", &username) || !json_get_str(me, "first_name", &name))
        return false;
    *out = (struct channel_bot){.channel = TELEGRAM_CHANNEL,
        .external_id = t->bot,
        .username = username.s,
        .name = name.s,
        .checked_at = clock_wall_ms()};
    return true;
}
