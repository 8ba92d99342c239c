#include "web/hooks/hooks.h"

#include <pthread.h>
#include <sodium.h>
#include <string.h>
#include <sys/resource.h>

#include "app/channel/inbox.h"
#include "app/telegram/telegram_settings.h"
#include "base/log.h"
#include "base/mem.h"
#include "channel/telegram/telegram.h"
#include "web/fcgi/fcgi.h"
#include "web/fcgi/fcgi_store.h"

#define SECRET_PARAM       "HTTP_X_TELEGRAM_BOT_API_SECRET_TOKEN"
#define READERS            1 /* connections of the store; nothing is read */
#define CONTENT_HASH_BYTES crypto_generichash_BYTES_MIN

struct hooks {
    struct config *config;
    struct arena *arena;
    struct telegram_settings telegram; /* .secret NULL: no webhook */
    struct store *store;               /* NULL: no channel sends to us */
    unsigned char secret_hash[crypto_generichash_BYTES];
    pthread_mutex_t lock; /* of `failures` */
    struct log_repeat failures;
};

/* ---- the answer ---- */

static void answer(struct fcgi_request *f, int status, const char *more)
{
    char head[160];
    snprintf(head, sizeof head,
        "Status: %d\r\nContent-Type: text/plain; charset=utf-8\r\nCache-Control: no-store\r\n%s\r\n", status,
        more);
    fcgi_answer(f, str_of(head), STR(""));
}

/* ---- the check ---- */

static void hash_of(unsigned char out[crypto_generichash_BYTES], const char *s)
{
    crypto_generichash(out, crypto_generichash_BYTES, (const unsigned char *)s, strlen(s), NULL, 0);
}

/* The time of the comparison tells neither the secret's length nor how much of it was right. */
static bool secret_is_right(const struct hooks *h, const struct fcgi_request *f)
{
    unsigned char hash[crypto_generichash_BYTES];
    const char *given = fcgi_param(f, SECRET_PARAM);
    hash_of(hash, given ? given : "");
    return sodium_memcmp(hash, h->secret_hash, sizeof hash) == 0;
}

/* The path without the query. */
static struct str path_of(const struct fcgi_request *f)
{
    const char *uri = fcgi_param(f, "REQUEST_URI");
    struct str rest = str_of(uri ? uri : "");
    return str_cut(&rest, '?');
}

/* The whole body. False: it is too long, or the client was too slow. */
static bool read_body(struct fcgi_request *f, struct strbuf *out)
{
    char piece[16 * 1024];
    const char *length = fcgi_param(f, "CONTENT_LENGTH");
    int64_t declared;
    if (!length || !str_to_int(str_of(length), 0, HOOK_BODY_MAX, &declared))
        return false;
    for (size_t n; (n = fcgi_read_piece(f, piece, sizeof piece)) > 0;)
        strbuf_add(out, piece, n);
    return !out->failed && out->len == (size_t)declared;
}

/* The id of an update that has none: a hash of its content, so that a repeated update is stored once. */
static void name_by_content(char out[CHANNEL_ID_SIZE], struct str body)
{
    unsigned char hash[CONTENT_HASH_BYTES];
    char hex[2 * sizeof hash + 1];
    crypto_generichash(hash, sizeof hash, (const unsigned char *)body.s, body.len, NULL, 0);
    sodium_bin2hex(hex, sizeof hex, hash, sizeof hash);
    snprintf(out, CHANNEL_ID_SIZE, "content-%s", hex);
}

static int take(struct hooks *h, struct fcgi_request *f)
{
    AUTO_STRBUF body;
    char id[CHANNEL_ID_SIZE];
    struct err e = ERR_INIT;
    bool is_new = false;
    strbuf_init(&body, HOOK_BODY_MAX);
    if (!read_body(f, &body))
        return 413;
    if (!telegram_update_id(strbuf_str(&body), id))
        name_by_content(id, strbuf_str(&body));
    const struct inbox_update update = {TELEGRAM_CHANNEL, h->telegram.bot, id, strbuf_str(&body)};
    enum rc rc = inbox_add(h->store, h->config->server.data_dir, &update, &is_new, &e);
    pthread_mutex_lock(&h->lock);
    if (rc != RC_OK)
        log_repeat(
            &h->failures, LOG_ERROR, "an update of Telegram is not stored: %s: %s", rc_name(rc), e.text);
    else
        log_repeat_end(&h->failures, "the updates of Telegram");
    pthread_mutex_unlock(&h->lock);
    if (rc != RC_OK)
        return 503;
    if (!is_new)
        log_debug("an update of Telegram was stored before");
    return 200;
}

static void handle(void *arg, struct fcgi_request *f)
{
    struct hooks *h = arg;
    const char *method = fcgi_param(f, "REQUEST_METHOD");
    if (!h->telegram.secret || !str_is(path_of(f), TELEGRAM_HOOK_PATH)) {
        answer(f, 404, "");
    } else if (!method || strcmp(method, "POST") != 0) {
        answer(f, 405, "Allow: POST\r\n");
    } else if (!secret_is_right(h, f)) {
        log_debug("a request for the webhook without its secret");
        answer(f, 401, "");
    } else if (fcgi_late(f)) {
        answer(f, 503, "Retry-After: 1\r\n");
    } else {
        int status = take(h, f);
        answer(f, status, status == 503 ? "Retry-After: 1\r\n" : "");
    }
}

/* ---- the program ---- */

static enum rc open_telegram(struct hooks *h, struct err *e)
{
    if (h->config->telegram.mode != CONFIG_TELEGRAM_WEBHOOK)
        return RC_OK;
    enum rc rc = telegram_settings(h->config, h->arena, &h->telegram, e);
    if (telegram_is_off(rc)) {
        log_error("Telegram is off: %s", e->text);
        h->telegram = (struct telegram_settings){0};
        return RC_OK;
    }
    if (rc == RC_OK)
        rc = fcgi_store_open(h->config, READERS, &h->store, e);
    if (rc == RC_OK)
        hash_of(h->secret_hash, h->telegram.secret);
    return rc;
}

static enum rc open_hooks(struct hooks *h, struct err *e)
{
    enum rc rc = config_load(NULL, &h->config, e);
    if (rc != RC_OK)
        return rc;
    log_init("hooks", h->config->server.log_level);
    if (sodium_init() < 0)
        return err_set(e, RC_INTERNAL, "libsodium cannot be initialised");
    return open_telegram(h, e);
}

int hooks_main(void)
{
    struct hooks h = {.arena = arena_new(), .lock = PTHREAD_MUTEX_INITIALIZER};
    struct err e = ERR_INIT;
    fcgi_block_signals();
    log_init("hooks", LOG_INFO);
    setpriority(PRIO_PROCESS, 0, HOOK_NICE); /* before the first thread: on Linux each has its own */
    enum rc rc = open_hooks(&h, &e);
    mem_trim(); /* of memory that only the start needed */
    if (rc == RC_OK)
        rc = fcgi_serve(&(struct fcgi_setup){.threads = h.store ? HOOK_THREADS : 1,
                            .body_max = HOOK_BODY_COLLECTED,
                            .handle = handle,
                            .arg = &h},
            &e);
    if (rc != RC_OK)
        log_error("%s: %s", rc_name(rc), e.text);
    store_free(h.store);
    config_free(h.config);
    arena_free(h.arena);
    return rc == RC_OK ? 0 : 1;
}
