#include "app/telegram/telegram_setup.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "app/command/command.h"
#include "app/config/hosts.h"
#include "base/fs.h"
#include "base/utf8.h"
#include "channel/telegram/telegram_call.h"
#include "net/address_policy.h"
#include "store/channel/bot.h"

#define CERTIFICATE_MAX    (64 * 1024)
#define MENU_MAX           100 /* commands that Telegram takes */
#define DESCRIPTION_MAX    256 /* characters */
#define HTTPS_PORT         443
#define LOCAL_NAMES_SUFFIX ".local"
#define PEM_CERTIFICATE    "-----BEGIN CERTIFICATE-----"
#define PEM_KEY            "PRIVATE KEY-----"

/* ---- the address of the webhook ---- */

/* A name or an address that cannot be reached from the internet. */
static bool is_private_host(struct str host)
{
    char text[HOST_BYTES_MAX + 1];
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    bool brackets = host.len > 1 && host.s[0] == '[';
    snprintf(text, sizeof text, "%.*s", (int)host.len - (brackets ? 2 : 0), host.s + brackets);
    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
        return !address_is_public((struct sockaddr *)&v4);
    if (inet_pton(AF_INET6, text, &v6.sin6_addr) == 1)
        return !address_is_public((struct sockaddr *)&v6);
    size_t n = strlen(text), suffix = strlen(LOCAL_NAMES_SUFFIX);
    return !strchr(text, '.') || strcasecmp(text, "localhost.localdomain") == 0 ||
           (n > suffix && strcasecmp(text + n - suffix, LOCAL_NAMES_SUFFIX) == 0);
}

static int64_t port_of(struct str url)
{
    struct str rest = {url.s + strlen("https://"), url.len - strlen("https://")};
    struct str at = str_cut(&rest, '/');
    const char *colon = memrchr(at.s, ':', at.len);
    int64_t port;
    if (!colon || memchr(colon, ']', at.len - (size_t)(colon - at.s)))
        return HTTPS_PORT;
    struct str digits = {colon + 1, at.len - (size_t)(colon - at.s) - 1};
    return str_to_int(digits, 1, UINT16_MAX, &port) ? port : 0;
}

enum rc telegram_check_hook_url(const char *url, struct err *e)
{
    static const int64_t ports[] = {443, 80, 88, 8443};
    struct str host = host_of_url(str_of(url));
    int64_t port = port_of(str_of(url));
    AUTO(arena) a = arena_new();
    if (is_private_host(host))
        return err_say(
            e, RC_BAD_INPUT, "telegram.not_public", arg_text("host", arena_printf(a, "%.*s", STR_FMT(host))));
    for (size_t i = 0; i < ARRAY_LEN(ports); i++)
        if (port == ports[i])
            return RC_OK;
    return err_say(
        e, RC_BAD_INPUT, "telegram.bad_port", arg_text("port", arena_printf(a, "%lld", (long long)port)));
}

/* ---- setup ---- */

/* A server of the owner's own may reach addresses that Telegram cannot, and says itself what it refuses. */
static bool is_telegrams_own(const struct telegram_settings *t)
{
    return strcmp(t->api_url, TELEGRAM_API_URL) == 0;
}

static enum rc check_certificate(const struct telegram_settings *t, struct err *e)
{
    AUTO_STRBUF text;
    strbuf_init(&text, CERTIFICATE_MAX);
    if (fs_read(t->certificate, &text, NULL) != RC_OK)
        return err_say(e, RC_BAD_INPUT, "telegram.certificate_unreadable", arg_text("path", t->certificate));
    if (!memmem(text.s, text.len, PEM_CERTIFICATE, strlen(PEM_CERTIFICATE)) ||
        memmem(text.s, text.len, PEM_KEY, strlen(PEM_KEY)))
        return err_say(e, RC_BAD_INPUT, "telegram.certificate_wrong", arg_text("path", t->certificate));
    return RC_OK;
}

enum rc telegram_ask(const struct telegram_settings *t, const char *method, json_t *params,
    const char *certificate, struct telegram_answer *answer, struct err *e)
{
    const struct telegram_api api = telegram_api_of(t);
    AUTO_STRBUF pem;
    strbuf_init(&pem, CERTIFICATE_MAX);
    *answer = (struct telegram_answer){0};
    enum rc rc = certificate ? fs_read(certificate, &pem, e) : RC_OK;
    const struct telegram_file file = {"certificate", "certificate.pem", strbuf_str(&pem)};
    const struct telegram_request r = {
        .method = method, .params = params, .file = certificate ? &file : NULL};
    if (rc == RC_OK)
        rc = telegram_call_blocking(&api, t->allowed, t->allowed_n, &r, answer, e);
    json_decref(params);
    return rc == RC_OK ? telegram_answer_rc(answer, e) : rc;
}

/* The same for a method without a useful result. */
static enum rc run(const struct telegram_settings *t, const char *method, json_t *params,
    const char *certificate, struct err *e)
{
    struct telegram_answer answer = {0};
    enum rc rc = telegram_ask(t, method, params, certificate, &answer, e);
    telegram_answer_release(&answer);
    return rc;
}

/* Finds wrong settings before the first request, because Telegram's own errors for them do not name the
 * cause. */
static enum rc check_settings(const struct telegram_settings *t, struct err *e)
{
    if (t->mode != CONFIG_TELEGRAM_WEBHOOK)
        return RC_OK;
    enum rc rc = is_telegrams_own(t) ? telegram_check_hook_url(t->hook_url, e) : RC_OK;
    return rc == RC_OK && *t->certificate ? check_certificate(t, e) : rc;
}

static enum rc set_webhook(const struct telegram_settings *t, bool drop_pending, struct err *e)
{
    json_t *params = json_pack("{s:s, s:s, s:o, s:b}", "url", t->hook_url, "secret_token", t->secret,
        "allowed_updates", telegram_allowed_updates(), "drop_pending_updates", drop_pending);
    return run(t, "setWebhook", params, *t->certificate ? t->certificate : NULL, e);
}

static enum rc delete_webhook(const struct telegram_settings *t, bool drop_pending, struct err *e)
{
    return run(t, "deleteWebhook", json_pack("{s:b}", "drop_pending_updates", drop_pending), NULL, e);
}

/* English is for all languages that have no menu of their own. */
static json_t *of_language(const struct lang *l)
{
    json_t *params = json_object();
    if (l != lang_english())
        json_object_set_new(params, "language_code", json_string(lang_code(l)));
    return params;
}

static json_t *menu(struct arena *a, const struct lang *l)
{
    size_t n;
    const struct command *all = command_table(&n);
    json_t *list = json_array();
    for (size_t i = 0; i < n && json_array_size(list) < MENU_MAX; i++) {
        if (!all[i].help)
            continue;
        struct str help = str_of(lang_text(l, all[i].help));
        size_t bytes = utf8_cut_chars(help, DESCRIPTION_MAX);
        json_array_append_new(list,
            json_pack("{s:s, s:s}", "command", all[i].name, "description", arena_strndup(a, help.s, bytes)));
    }
    return list;
}

static enum rc set_menus(const struct telegram_settings *t, struct arena *a, struct err *e)
{
    const struct lang *l;
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && (l = lang_at(i)); i++) {
        json_t *params = of_language(l);
        json_object_set_new(params, "commands", menu(a, l));
        rc = run(t, "setMyCommands", params, NULL, e);
    }
    return rc;
}

static enum rc delete_menus(const struct telegram_settings *t, struct err *e)
{
    const struct lang *l;
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && (l = lang_at(i)); i++)
        rc = run(t, "deleteMyCommands", of_language(l), NULL, e);
    return rc;
}

/* ---- the bot ---- */

static enum rc put_bot_tx(struct db *db, void *arg, struct err *e)
{
    return store_channel_bot_put(db, arg, e);
}

enum rc telegram_get_me(const struct telegram_settings *t, struct store *s, struct telegram_answer *me,
    struct channel_bot *bot, struct err *e)
{
    enum rc rc = telegram_ask(t, "getMe", json_object(), NULL, me, e);
    if (rc == RC_OK && !telegram_read_me(me->result, t, bot))
        rc = err_say(e, RC_UPSTREAM, "telegram.strange_answer");
    return rc == RC_OK ? store_write(s, put_bot_tx, bot, e) : rc;
}

/* ---- the audit trail ---- */

/* After the webhook has changed, also when the menus fail then. */
static enum rc audit(struct store *s, struct arena *a, const struct telegram_change *change,
    const char *action, const char *what, struct err *e)
{
    const char *detail = arena_printf(a, "%s%s%s", change->user ? "" : "command line, ", what,
        change->drop_pending ? ", waiting updates dropped" : "");
    return auth_audit_write(s, &change->from, change->user, action, detail, e);
}

enum rc telegram_set_up(const struct config *c, struct store *s, struct arena *a,
    const struct telegram_change *change, struct err *e)
{
    struct telegram_settings t;
    struct telegram_answer me = {0};
    struct channel_bot bot;
    if (c->telegram.mode == CONFIG_TELEGRAM_OFF)
        return err_say(e, RC_CONFLICT, "telegram.mode_off");
    enum rc rc = telegram_settings(c, a, &t, e);
    if (rc == RC_OK)
        rc = check_settings(&t, e);
    if (rc == RC_OK)
        rc = telegram_get_me(&t, s, &me, &bot, e);
    telegram_answer_release(&me);
    if (rc == RC_OK)
        rc = t.mode == CONFIG_TELEGRAM_WEBHOOK ? set_webhook(&t, change->drop_pending, e)
                                               : delete_webhook(&t, change->drop_pending, e);
    if (rc == RC_OK)
        rc = audit(s, a, change, "telegram_setup", t.mode == CONFIG_TELEGRAM_WEBHOOK ? "webhook" : "poll", e);
    return rc == RC_OK ? set_menus(&t, a, e) : rc;
}

enum rc telegram_remove(const struct config *c, struct store *s, struct arena *a,
    const struct telegram_change *change, struct err *e)
{
    struct telegram_settings t;
    enum rc rc = telegram_settings(c, a, &t, e);
    if (rc == RC_OK)
        rc = delete_webhook(&t, change->drop_pending, e);
    if (rc == RC_OK)
        rc = audit(s, a, change, "telegram_removed", "webhook and menus", e);
    return rc == RC_OK ? delete_menus(&t, e) : rc;
}
