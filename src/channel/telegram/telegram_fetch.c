/*
 * Files of the Bot API. getFile answers with a path that is valid for at least an hour, and the file is at
 * https://api.telegram.org/file/bot<token>/<path>. Bots get files of at most 20 MB.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "channel/telegram/telegram_private.h"
#include "codec/url.h"

#define URL_MAX          4096
#define DOWNLOAD_BYTES_S ((size_t)100 * 1024) /* of a slow line */
#define HTTP_OK          200
#define HTTP_MANY        429

struct telegram_fetch {
    struct telegram *driver;
    struct telegram_fetch *next;
    struct telegram_call *call; /* getFile; NULL: it has ended */
    struct http_call *http;     /* the file */
    size_t max;
    int status, retry_after_s;
    struct strbuf data;
    channel_fetched_fn *done;
    void *arg;
};

static void fetch_free(struct telegram_fetch *f)
{
    struct telegram_fetch **at = &f->driver->fetches;
    while (*at != f)
        at = &(*at)->next;
    *at = f->next;
    strbuf_release(&f->data);
    free(f);
}

static void end(struct telegram_fetch *f, struct channel_fetched *result)
{
    if (result->outcome == FETCH_DONE)
        result->data = strbuf_str(&f->data);
    f->done(f->arg, result);
    fetch_free(f);
}

static void end_failed(struct telegram_fetch *f, enum channel_fetch outcome, int64_t wait_s, const char *why)
{
    struct channel_fetched result = {.outcome = outcome, .wait_ms = wait_s * MS_PER_S};
    if (result.wait_ms > CHANNEL_WAIT_MAX_MS)
        result.wait_ms = CHANNEL_WAIT_MAX_MS;
    size_t n = utf8_cut_bytes(str_of(why), sizeof result.detail - 1);
    snprintf(result.detail, sizeof result.detail, "%.*s", (int)n, why);
    end(f, &result);
}

/* ---- the file ---- */

static void on_status(void *arg, int status, int retry_after_s)
{
    struct telegram_fetch *f = arg;
    f->status = status;
    f->retry_after_s = retry_after_s;
}

static bool on_data(void *arg, struct str piece)
{
    struct telegram_fetch *f = arg;
    if (f->status == HTTP_OK)
        strbuf_addstr(&f->data, piece);
    return true;
}

static void on_file(void *arg, enum rc rc, const struct err *e)
{
    struct telegram_fetch *f = arg;
    char why[64];
    if (rc == RC_OK && f->status == HTTP_OK) {
        end(f, &(struct channel_fetched){.outcome = FETCH_DONE});
    } else if (rc == RC_TOO_BIG) {
        end_failed(f, FETCH_TOO_BIG, 0, e->text);
    } else if (rc != RC_OK) {
        end_failed(f, FETCH_LATER, 0, e->text);
    } else {
        snprintf(why, sizeof why, "the file: HTTP status %d", f->status);
        end_failed(f, FETCH_LATER, f->status == HTTP_MANY ? f->retry_after_s : 0, why);
    }
}

/* False: a path that is not relative. Servers that run with --local answer with paths of their own disk. */
static bool add_path(struct strbuf *url, struct str path)
{
    while (path.s) {
        struct str part = str_cut(&path, '/');
        if (!part.len || str_is(part, ".") || str_is(part, ".."))
            return false;
        strbuf_addc(url, '/');
        url_encode(url, part);
    }
    return true;
}

static void fetch_file(struct telegram_fetch *f, struct str path)
{
    static const struct http_callbacks cb = {.on_status = on_status, .on_data = on_data, .on_done = on_file};
    const struct telegram *t = f->driver;
    AUTO_STRBUF url;
    strbuf_init(&url, URL_MAX);
    strbuf_addf(&url, "%s/file/bot%s", t->api_url, t->token);
    if (!add_path(&url, path) || url.failed) {
        end_failed(f, FETCH_GONE, 0, "getFile answers with a path that is no address");
        return;
    }
    const struct http_request request = {.method = "GET",
        .server = "Telegram",
        .url = url.s,
        .limits = {.connect_ms = TELEGRAM_CONNECT_MS,
            .silence_ms = TELEGRAM_CALL_MS,
            .total_ms = TELEGRAM_CALL_MS + (int)(f->max / DOWNLOAD_BYTES_S * MS_PER_S),
            .body_max = f->max},
        .proxy = t->proxy};
    struct err e = ERR_INIT;
    strbuf_init(&f->data, f->max);
    if (http_start(t->http, &request, &cb, f, &f->http, &e) != RC_OK)
        end_failed(f, FETCH_LATER, 0, e.text);
}

/* ---- getFile ---- */

static void take_path(struct telegram_fetch *f, const json_t *file)
{
    struct str path;
    int64_t bytes;
    if (json_get_int(file, "file_size", &bytes) && bytes > (int64_t)f->max)
        end_failed(f, FETCH_TOO_BIG, 0, "getFile tells a larger size");
    else if (!json_get_str(file, "file_path", &path))
        end_failed(f, FETCH_GONE, 0, "getFile tells no path");
    else
        fetch_file(f, path);
}

/* The server refuses right tokens for a time, too (401, 404), and answers 400 when it cannot get the file
 * from its own storage. */
static enum channel_fetch meaning(const struct telegram_answer *a)
{
    if (a->code == 400 && strstr(a->description, "file is too big"))
        return FETCH_TOO_BIG;
    if (a->code == 400)
        return strstr(a->description, "temporarily unavailable") ? FETCH_LATER : FETCH_GONE;
    return a->code == 403 ? FETCH_GONE : FETCH_LATER;
}

static void on_called(void *arg, enum rc rc, const struct telegram_answer *a, const struct err *e)
{
    struct telegram_fetch *f = arg;
    char why[TELEGRAM_DESCRIPTION_MAX + 16];
    f->call = NULL;
    if (rc != RC_OK) {
        end_failed(f, FETCH_LATER, 0, e->text);
    } else if (a->code == TELEGRAM_DONE) {
        take_path(f, a->result);
    } else {
        snprintf(why, sizeof why, "getFile: %d %s", a->code, a->description);
        end_failed(f, meaning(a), a->code == HTTP_MANY ? a->retry_after_s : 0, why);
    }
}

void telegram_fetch(void *self, const char *file, size_t max, channel_fetched_fn *done, void *arg)
{
    struct telegram *t = self;
    const struct telegram_api api = {t->api_url, t->token, t->proxy};
    struct err e = ERR_INIT;
    struct telegram_fetch *f = xcalloc(1, sizeof *f);
    *f = (struct telegram_fetch){.driver = t, .next = t->fetches, .max = max, .done = done, .arg = arg};
    t->fetches = f;
    AUTO(json_t) params = json_pack("{s:s}", "file_id", file);
    const struct telegram_request r = {.method = "getFile", .params = params, .called = on_called, .arg = f};
    if (telegram_call_start(t->http, &api, &r, &f->call, &e) != RC_OK)
        end_failed(f, FETCH_LATER, 0, e.text);
}

void telegram_fetches_cancel(struct telegram *t)
{
    while (t->fetches) {
        telegram_call_cancel(t->fetches->call);
        http_cancel(t->fetches->http);
        fetch_free(t->fetches);
    }
}
