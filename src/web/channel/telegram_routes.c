#include "web/channel/telegram_routes.h"

#include <stdatomic.h>

#include "app/telegram/telegram_setup.h"
#include "base/humanize.h"
#include "web/channel/refused_view.h"
#include "web/http/web.h"
#include "web/page/pages.h"

static void view_report(const struct req *r, struct view *v, const struct telegram_report *report)
{
    static const struct {
        const char *word, *icon;
    } states[] = {[TELEGRAM_FINE] = {"ok", "check"},
        [TELEGRAM_NOTE] = {"note", "note"},
        [TELEGRAM_WRONG] = {"wrong", "alert"}};
    const struct locale l = req_locale(r);
    struct view *list = view_list(v, "findings");
    for (size_t i = 0; i < report->n; i++) {
        const struct telegram_line *line = &report->list[i];
        struct view *row = view_item(list);
        view_text(row, "subject", lang_text(r->lang, line->subject));
        view_text(row, "state", states[line->state].word);
        view_text(row, "icon", states[line->state].icon);
        view_text(row, "text", said_words(r->arena, r->lang, line->said));
        view_text(row, "when", line->at ? humanize_ago(r->arena, &l, line->at) : NULL);
        view_text(row, "when_exact", line->at ? humanize_exact(r->arena, &l, line->at) : NULL);
    }
}

/* The mode, the bot as it was at the last check, and a token that is refused. No request is sent. */
static enum rc view_known(const struct req *r, struct view *v, struct err *e)
{
    const struct locale l = req_locale(r);
    const struct config *c = r->web->config;
    struct channel_bot bot;
    struct err none = ERR_INIT; /* not reached yet */
    struct db *db = store_read(r->web->store);
    enum rc known = store_channel_bot_get(db, r->arena, TELEGRAM_CHANNEL, &bot, &none);
    enum rc rc = refused_view(r, db, v, e);
    store_read_done(r->web->store, db);
    view_bool(v, "off", c->telegram.mode == CONFIG_TELEGRAM_OFF);
    view_bool(v, "webhook", c->telegram.mode == CONFIG_TELEGRAM_WEBHOOK);
    view_bool(v, "poll", c->telegram.mode == CONFIG_TELEGRAM_POLL);
    view_text(v, "hook_url", arena_printf(r->arena, "%s" TELEGRAM_HOOK_PATH, c->telegram.public_url));
    if (known != RC_OK)
        return rc;
    view_text(v, "bot", bot.username);
    view_text(v, "checked_ago", humanize_ago(r->arena, &l, bot.checked_at));
    view_text(v, "checked_exact", humanize_exact(r->arena, &l, bot.checked_at));
    return rc;
}

static enum rc show(struct req *r, struct resp *out, const struct telegram_report *report,
    const struct err *why, struct err *e)
{
    struct view *v;
    enum rc rc = page_view(r, lang_text(r->lang, "telegram.title"), AT_TELEGRAM, 0, &v, e);
    if (rc == RC_OK)
        rc = view_known(r, v, e);
    if (rc != RC_OK)
        return rc;
    view_bool(v, "checked", report != NULL);
    if (report)
        view_report(r, v, report);
    return why ? page_problem(r, out, "telegram", v, why, e) : resp_page(r, out, 200, "telegram", v, e);
}

static enum rc page_telegram(struct req *r, struct resp *out, struct err *e)
{
    return show(r, out, NULL, NULL, e);
}

typedef enum rc telegram_act(struct req *r, struct err *e);

/* Runs `act` (NULL: nothing) and shows what Telegram says afterwards. One at a time, so that a slow Telegram
 * never holds all threads of the program. */
static enum rc act_and_show(struct req *r, struct resp *out, telegram_act *act, struct err *e)
{
    struct telegram_report report;
    struct err why = ERR_INIT;
    if (atomic_exchange(&r->web->asking_telegram, true)) {
        err_say(&why, RC_UNAVAILABLE, "telegram.busy");
        return show(r, out, NULL, &why, e);
    }
    enum rc done = act ? act(r, &why) : RC_OK;
    enum rc rc = telegram_look(r->web->config, r->web->store, r->arena, &report, e);
    atomic_store(&r->web->asking_telegram, false);
    if (rc != RC_OK)
        return rc;
    return show(r, out, &report, done == RC_OK ? NULL : &why, e);
}

static enum rc page_check(struct req *r, struct resp *out, struct err *e)
{
    return act_and_show(r, out, NULL, e);
}

static struct telegram_change change_by(const struct req *r)
{
    return (struct telegram_change){.user = r->who.user_id, .from = req_client(r)};
}

static enum rc set_up(struct req *r, struct err *e)
{
    const struct telegram_change change = change_by(r);
    return telegram_set_up(r->web->config, r->web->store, r->arena, &change, e);
}

static enum rc page_setup(struct req *r, struct resp *out, struct err *e)
{
    return act_and_show(r, out, set_up, e);
}

static enum rc take_away(struct req *r, struct err *e)
{
    const struct telegram_change change = change_by(r);
    return telegram_remove(r->web->config, r->web->store, r->arena, &change, e);
}

static enum rc page_remove(struct req *r, struct resp *out, struct err *e)
{
    return act_and_show(r, out, take_away, e);
}

/* clang-format off */
static const struct route routes[] = {
    {HTTP_GET,  "/admin/telegram",        page_telegram, PAGE_READ(ACCESS_ADMIN),   no_fields},
    {HTTP_POST, "/admin/telegram/check",  page_check,    PAGE_CHANGE(ACCESS_ADMIN), no_fields},
    {HTTP_POST, "/admin/telegram/setup",  page_setup,    PAGE_CHANGE(ACCESS_ADMIN), no_fields},
    {HTTP_POST, "/admin/telegram/remove", page_remove,   PAGE_CHANGE(ACCESS_ADMIN), no_fields},
};
/* clang-format on */

const struct route_table telegram_routes = {routes, ARRAY_LEN(routes)};
