#include "helper/channels.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "app/channel/intake.h"
#include "app/delivery/delivery.h"
#include "app/document/file_text.h"
#include "app/telegram/telegram_poll.h"
#include "base/log.h"
#include "base/thread.h"
#include "channel/telegram/telegram.h"
#include "store/channel/bot.h"

#define DRIVERS_MAX 1

struct channels {
    struct helper helper;
    pthread_t thread;
    bool started;

    struct arena *arena; /* has the settings of the channels */
    struct telegram_settings telegram;
    struct channel_driver drivers[DRIVERS_MAX];
    size_t drivers_n;

    struct loop *loop;
    struct http_client *http;
    int wake_fd; /* an eventfd; -1: none yet */
    struct loop_watch *signals, *wakes;
    struct router *router;
    struct intake *intake;
    struct delivery *delivery;
    struct telegram_poll *poll;
    int stopping; /* of intake and delivery: those that have not ended */
};

/* ---- on the loop's thread ---- */

/* The bot's name, which mentions in groups need. */
static void take_name(void *arg, const char *name)
{
    struct channels *c = arg;
    telegram_set_name(&c->drivers[0], name);
}

static void look(void *arg, uint32_t events)
{
    struct channels *c = arg;
    eventfd_t drop;
    (void)events;
    eventfd_read(c->wake_fd, &drop);
    intake_look(c->intake);
    delivery_wake(c->delivery);
    telegram_poll_look(c->poll);
}

static void posted(void *arg)
{
    struct channels *c = arg;
    delivery_wake(c->delivery);
}

static void end(void *arg)
{
    loop_stop(arg);
}

static void one_stopped(void *arg)
{
    struct channels *c = arg;
    if (--c->stopping == 0)
        loop_post(c->loop, end, c->loop); /* after what was posted before */
}

static void stop(void *arg, uint32_t events)
{
    struct channels *c = arg;
    (void)events;
    loop_watch_free(c->signals);
    c->signals = NULL;
    telegram_poll_free(c->poll); /* what it fetches would not be processed any more */
    c->poll = NULL;
    c->stopping = 2;
    intake_stop(c->intake, one_stopped, c);
    delivery_stop(c->delivery, one_stopped, c);
}

static void *work(void *arg)
{
    struct channels *c = arg;
    loop_run(c->loop);
    return NULL;
}

/* ---- start ---- */

/* The channels that are configured. Missing credentials switch off the channel, not the helper. */
static enum rc find_channels(struct channels *c, struct err *e)
{
    struct err why = ERR_INIT;
    if (c->helper.config->telegram.mode == CONFIG_TELEGRAM_OFF)
        return RC_OK;
    enum rc rc = telegram_settings(c->helper.config, c->arena, &c->telegram, &why);
    if (telegram_is_off(rc)) {
        log_error("Telegram is off: %s", why.text);
        return RC_OK;
    }
    if (rc != RC_OK)
        return err_set(e, rc, "Telegram: %s", why.text);
    c->drivers_n = 1;
    if (!file_text_has_pdf())
        log_warn(
            "PDF files of chats cannot be read: %s is not installed (Debian: %s)", PDF_PROGRAM, PDF_PACKAGE);
    return RC_OK;
}

/* The bot's name as of the last start, so that mentions in updates that wait are found before the bot is
 * asked. NULL: unknown. */
static const char *stored_name(struct channels *c)
{
    struct channel_bot bot = {0};
    struct err why = ERR_INIT;
    struct db *db = store_read(c->helper.store);
    enum rc rc = store_channel_bot_get(db, c->arena, TELEGRAM_CHANNEL, &bot, &why);
    store_read_done(c->helper.store, db);
    return rc == RC_OK && strcmp(bot.external_id, c->telegram.bot) == 0 ? bot.username : NULL;
}

static enum rc open_channels(struct channels *c, struct err *e)
{
    c->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (c->wake_fd < 0)
        return err_set(e, RC_INTERNAL, "eventfd: %s", strerror(errno));
    enum rc rc = loop_new(&c->loop, e);
    if (rc != RC_OK)
        return rc;
    c->http = http_client_new(c->loop, c->telegram.allowed, c->telegram.allowed_n);
    rc = telegram_new(&(struct telegram_setup){.http = c->http,
                          .api_url = c->telegram.api_url,
                          .token = c->telegram.token,
                          .bot_name = stored_name(c)},
        &c->drivers[0], e);
    if (rc == RC_OK)
        rc = delivery_new(&(struct delivery_setup){.loop = c->loop,
                              .store = c->helper.store,
                              .config = c->helper.config,
                              .drivers = c->drivers,
                              .drivers_n = c->drivers_n},
            &c->delivery, e);
    if (rc != RC_OK)
        return rc;
    c->router = router_new(&(struct router_setup){.store = c->helper.store,
        .config = c->helper.config,
        .providers = c->helper.providers,
        .group_context = c->telegram.group_context});
    rc = intake_new(&(struct intake_setup){.loop = c->loop,
                        .store = c->helper.store,
                        .router = c->router,
                        .drivers = c->drivers,
                        .drivers_n = c->drivers_n,
                        .posted = posted,
                        .posted_arg = c},
        &c->intake, e);
    if (rc == RC_OK)
        c->poll = telegram_poll_new(&(struct telegram_poll_setup){.loop = c->loop,
            .http = c->http,
            .store = c->helper.store,
            .data_dir = c->helper.config->server.data_dir,
            .settings = &c->telegram,
            .named = take_name,
            .arg = c});
    if (rc == RC_OK)
        rc = loop_watch_new(c->loop, c->wake_fd, EPOLLIN, look, c, &c->wakes, e);
    return rc == RC_OK ? loop_watch_new(c->loop, c->helper.signal_fd, EPOLLIN, stop, c, &c->signals, e) : rc;
}

enum rc channels_start(const struct helper *h, struct channels **out, struct err *e)
{
    struct channels *c = xcalloc(1, sizeof *c);
    *out = NULL;
    c->helper = *h;
    c->wake_fd = -1;
    c->arena = arena_new();
    enum rc rc = find_channels(c, e);
    if (c->drivers_n) {
        rc = open_channels(c, e);
        if (rc == RC_OK) {
            rc = thread_start(&c->thread, work, c, "the channels", e);
            c->started = rc == RC_OK;
        }
    }
    if (rc != RC_OK || !c->drivers_n) {
        channels_free(c);
        return rc;
    }
    *out = c;
    return RC_OK;
}

void channels_wake(struct channels *c)
{
    if (c)
        eventfd_write(c->wake_fd, 1);
}

void channels_free(struct channels *c)
{
    if (!c)
        return;
    if (c->started)
        pthread_join(c->thread, NULL);
    telegram_poll_free(c->poll);
    if (c->drivers_n)
        telegram_free(&c->drivers[0]);
    intake_free(c->intake);
    router_free(c->router);
    delivery_free(c->delivery);
    loop_watch_free(c->signals);
    loop_watch_free(c->wakes);
    http_client_free(c->http);
    loop_free(c->loop);
    arena_free(c->arena);
    if (c->wake_fd >= 0)
        close(c->wake_fd);
    free(c);
}
