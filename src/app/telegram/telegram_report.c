/* telegram_look(): what Telegram says about the bot and its webhook, in words. */
#include "app/telegram/telegram_setup.h"

#include <string.h>

#include "app/config/hosts.h"
#include "app/document/file_text.h"
#include "base/clock.h"
#include "store/channel/problem.h"

#define ERROR_SHOWN_MS MS_PER_DAY /* Telegram keeps the last error for ever; an older one is over */

struct looking {
    const struct telegram_settings *t;
    struct arena *a;
    struct telegram_report *out;
};

static void add(
    struct looking *l, const char *subject, enum telegram_line_state state, const char *said, int64_t at)
{
    if (l->out->n < TELEGRAM_LINES_MAX)
        l->out->list[l->out->n++] = (struct telegram_line){subject, state, said, at};
}

/* A failure as a line. */
static void add_err(struct looking *l, const char *subject, const struct err *e)
{
    const char *said = err_stored(e);
    add(l, subject, TELEGRAM_WRONG,
        said ? arena_strdup(l->a, said) : said_new(l->a, "telegram.no_answer", SAID_ARGS()), 0);
}

/* The remedy for an error that Telegram met at our address. NULL: unknown. */
static const char *advice_for(const char *error)
{
    static const struct {
        const char *words, *key;
    } all[] = {
        {"certificate", "telegram.advice_certificate"},
        {"SSL", "telegram.advice_certificate"},
        {"401", "telegram.advice_secret"},
        {"403", "telegram.advice_proxy"},
        {"404", "telegram.advice_not_found"},
        {"405", "telegram.advice_proxy"},
        {"413", "telegram.advice_proxy"},
        {"421", "telegram.advice_hosts"},
        {"429", "telegram.advice_proxy"},
        {"500", "telegram.advice_down"},
        {"502", "telegram.advice_down"},
        {"503", "telegram.advice_down"},
        {"504", "telegram.advice_down"},
        {"301", "telegram.advice_proxy"},
        {"302", "telegram.advice_proxy"},
        {"resolve", "telegram.advice_name"},
        {"refused", "telegram.advice_unreachable"},
        {"timed out", "telegram.advice_unreachable"},
        {"timeout", "telegram.advice_unreachable"},
        {"No route", "telegram.advice_unreachable"},
        {"unreachable", "telegram.advice_unreachable"},
        {"reset", "telegram.advice_unreachable"},
    };
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        if (strstr(error, all[i].words))
            return all[i].key;
    return NULL;
}

static void look_at_bot(struct looking *l, const struct channel_bot *bot, const json_t *me)
{
    bool reads_all = json_is_true(json_object_get(me, "can_read_all_group_messages"));
    bool joins = !json_is_false(json_object_get(me, "can_join_groups"));
    l->out->username = arena_strdup(l->a, bot->username);
    add(l, "telegram.bot", TELEGRAM_FINE,
        said_new(l->a, "telegram.bot_is",
            SAID_ARGS(arg_text("username", bot->username), arg_text("name", bot->name))),
        0);
    if (!joins)
        add(l, "telegram.groups", TELEGRAM_NOTE, said_new(l->a, "telegram.no_groups", SAID_ARGS()), 0);
    else if (reads_all)
        add(l, "telegram.groups", TELEGRAM_FINE, said_new(l->a, "telegram.privacy_off", SAID_ARGS()), 0);
    else
        add(l, "telegram.groups", l->t->group_context ? TELEGRAM_WRONG : TELEGRAM_FINE,
            said_new(
                l->a, l->t->group_context ? "telegram.privacy_hides" : "telegram.privacy_on", SAID_ARGS()),
            0);
}

static void look_at_error(struct looking *l, const json_t *info)
{
    struct str error;
    int64_t at;
    char said[SAID_MAX] = "";
    if (!json_get_str(info, "last_error_message", &error) || !json_get_int(info, "last_error_date", &at) ||
        clock_wall_ms() - at * MS_PER_S > ERROR_SHOWN_MS)
        return;
    const char *advice = advice_for(error.s);
    said_add(said, "telegram.error_was", SAID_ARGS(arg_text("error", error.s)));
    if (advice)
        said_add(said, advice, SAID_ARGS());
    add(l, "telegram.last_error", TELEGRAM_WRONG, arena_strdup(l->a, said), at * MS_PER_S);
}

/* The address that Telegram has for the webhook, without what follows the host: it may be another program's
 * secret. */
static const char *host_words(struct looking *l, struct str url)
{
    struct str host = host_of_url(url);
    return host.s ? arena_strndup(l->a, host.s, host.len) : "?";
}

static void look_at_url(struct looking *l, struct str url)
{
    bool ours = str_is(url, l->t->hook_url), wanted = l->t->mode == CONFIG_TELEGRAM_WEBHOOK;
    const char *key = "telegram.hook_set";
    enum telegram_line_state state = TELEGRAM_FINE;
    if (!wanted && url.len == 0)
        return;
    if (url.len == 0)
        key = "telegram.hook_missing";
    else if (!wanted)
        key = l->t->mode == CONFIG_TELEGRAM_POLL ? "telegram.hook_while_poll" : "telegram.hook_while_off";
    else if (!ours)
        key = "telegram.hook_other";
    if (wanted && !ours)
        state = TELEGRAM_WRONG;
    else if (!wanted)
        state = TELEGRAM_NOTE;
    add(l, "telegram.webhook", state, said_new(l->a, key, SAID_ARGS(arg_text("host", host_words(l, url)))),
        0);
}

/* A version of Alfred that came later takes kinds of updates for which the webhook was not set. */
static bool lacks_updates(const json_t *info)
{
    AUTO(json_t) all = telegram_allowed_updates();
    const json_t *set = json_object_get(info, "allowed_updates");
    size_t i, k;
    json_t *wanted, *one;
    json_array_foreach(all, i, wanted)
    {
        bool has = false;
        json_array_foreach(set, k, one)
        {
            has = has || json_equal(wanted, one);
        }
        if (!has)
            return true;
    }
    return false;
}

static void look_at_webhook(struct looking *l, const json_t *info)
{
    struct str url = STR("");
    int64_t pending = 0;
    (void)json_get_str(info, "url", &url);
    (void)json_get_int(info, "pending_update_count", &pending);
    look_at_url(l, url);
    add(l, "telegram.waiting", pending ? TELEGRAM_NOTE : TELEGRAM_FINE,
        said_new(l->a, "telegram.pending", SAID_ARGS(arg_int("n", pending))), 0);
    if (url.len)
        look_at_error(l, info);
    if (l->t->mode == CONFIG_TELEGRAM_WEBHOOK && str_is(url, l->t->hook_url) && lacks_updates(info))
        add(l, "telegram.updates", TELEGRAM_WRONG, said_new(l->a, "telegram.updates_missing", SAID_ARGS()),
            0);
}

static void look_at_mode(struct looking *l, const struct config *c)
{
    static const char *const keys[] = {[CONFIG_TELEGRAM_OFF] = "telegram.mode_off",
        [CONFIG_TELEGRAM_WEBHOOK] = "telegram.mode_webhook",
        [CONFIG_TELEGRAM_POLL] = "telegram.mode_poll"};
    const char *url = arena_printf(l->a, "%s" TELEGRAM_HOOK_PATH, c->telegram.public_url);
    add(l, "telegram.delivery", c->telegram.mode == CONFIG_TELEGRAM_OFF ? TELEGRAM_NOTE : TELEGRAM_FINE,
        said_new(l->a, keys[c->telegram.mode], SAID_ARGS(arg_text("url", url))), 0);
}

static void look_at_programs(struct looking *l)
{
    if (!file_text_has_pdf())
        add(l, "telegram.files", TELEGRAM_NOTE,
            said_new(l->a, "telegram.no_pdf",
                SAID_ARGS(arg_text("program", PDF_PROGRAM), arg_text("package", PDF_PACKAGE))),
            0);
}

/* Problems that the helper has stored. A token that is refused now and then may be accepted by the question
 * here. */
static enum rc look_at_problems(struct looking *l, struct store *s, struct err *e)
{
    struct channel_problem *list;
    size_t n;
    struct db *db = store_read(s);
    enum rc rc = store_channel_problems(db, l->a, &list, &n, e);
    store_read_done(s, db);
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        char said[SAID_MAX] = "";
        bool sends = strcmp(list[i].task, CHANNEL_SENDS) == 0;
        if (strcmp(list[i].channel, TELEGRAM_CHANNEL) != 0)
            continue;
        said_add(said, sends ? "outbox.refused_send" : "outbox.refused_fetch",
            SAID_ARGS(arg_text("label", "Telegram")));
        said_add(said, "telegram.error_was", SAID_ARGS(arg_text("error", list[i].error)));
        add(l, sends ? "telegram.sending" : "telegram.receiving", TELEGRAM_WRONG, arena_strdup(l->a, said),
            list[i].at);
    }
    return rc;
}

enum rc telegram_look(
    const struct config *c, struct store *s, struct arena *a, struct telegram_report *out, struct err *e)
{
    struct telegram_settings t = {0};
    struct err why = ERR_INIT;
    struct telegram_answer me = {0}, info = {0};
    struct channel_bot bot;
    struct looking l = {.t = &t, .a = a, .out = out};
    *out = (struct telegram_report){0};
    look_at_mode(&l, c);
    look_at_programs(&l);
    enum rc rc = telegram_settings(c, a, &t, &why);
    if (rc == RC_OK)
        rc = telegram_get_me(&t, s, &me, &bot, &why);
    if (rc == RC_OK) {
        look_at_bot(&l, &bot, me.result);
        rc = telegram_ask(&t, "getWebhookInfo", json_object(), NULL, &info, &why);
        if (rc == RC_OK)
            look_at_webhook(&l, info.result);
        else
            add_err(&l, "telegram.webhook", &why);
    } else {
        add_err(&l, "telegram.bot", &why);
    }
    enum rc stored = look_at_problems(&l, s, rc == RC_OK ? &why : NULL);
    rc = rc == RC_OK ? stored : rc;
    telegram_answer_release(&me);
    telegram_answer_release(&info);
    if (rc == RC_IO || rc == RC_INTERNAL) {
        if (e)
            *e = why;
        return rc;
    }
    return RC_OK;
}
