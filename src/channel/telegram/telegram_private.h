/* Shared by the files of this folder. */
#ifndef ALFRED_CHANNEL_TELEGRAM_TELEGRAM_PRIVATE_H
#define ALFRED_CHANNEL_TELEGRAM_TELEGRAM_PRIVATE_H

#include <pthread.h>

#include "base/strbuf.h"
#include "channel/telegram/telegram.h"
#include "channel/telegram/telegram_call.h"

#define TELEGRAM_DONE    200 /* code of an answer with a result */
#define TELEGRAM_GENERAL "1" /* thread of a forum's General topic */

struct telegram_act;
struct telegram_fetch;

/* driver->self. The setup does not change once another thread uses the driver. */
struct telegram {
    struct http_client *http;
    char *api_url, *token, *proxy;
    int64_t bot_id;
    struct telegram_act *acts;      /* running; loop thread */
    struct telegram_fetch *fetches; /* running; loop thread */

    pthread_mutex_t lock; /* guards the rest */
    char *bot_name;       /* NULL: unknown */
};

/* True for the bot's user name. While that is not known, no name is the bot's, and any may be. Any thread. */
bool telegram_is_named(struct telegram *t, struct str name);
bool telegram_may_be_named(struct telegram *t, struct str name);

bool telegram_read(void *self, struct arena *a, struct str body, struct channel_update *out);
void telegram_act(void *self, const struct channel_action *a, channel_done_fn *done, void *arg);
void telegram_acts_cancel(struct telegram *t);
void telegram_fetch(void *self, const char *file, size_t max, channel_fetched_fn *done, void *arg);
void telegram_fetches_cancel(struct telegram *t);
void telegram_render(struct arena *a, struct str markdown, struct channel_piece **out, size_t *n);

/* Pieces of Markdown for texts that come in (telegram_written.c). */
void telegram_add_link(struct strbuf *b, struct str words, struct str url);
void telegram_add_code(struct strbuf *b, struct str code);
void telegram_add_fence(struct strbuf *b, struct str code, struct str language);
/* The text from byte `from` on as Markdown: links behind words, and code. The rest is as it was written. */
struct str telegram_written(struct arena *a, struct str text, size_t from, const json_t *entities);

/* A rich message (telegram_rich.c). */
struct telegram_rich {
    struct str text;      /* Markdown; empty: there is none */
    const char *left_out; /* the first photo, map, ...: as channel_update.left_out; NULL: none */
    bool mentions_us;
};
void telegram_read_rich(
    struct telegram *t, struct arena *a, const json_t *message, struct telegram_rich *out);

/* The file of a message: a photo, or a document that may be a picture or have a text. `attachment`: the name
 * of what the message has; NULL: nothing. */
struct channel_file telegram_file(struct arena *a, const json_t *message, const char *attachment);

/* Converts an answer to the outcome of an action (telegram_outcome.c). `rc` and `e` are those of the call. */
void telegram_outcome(enum channel_action_kind kind, enum rc rc, const struct telegram_answer *a,
    const struct err *e, struct channel_result *out);

/* Limits of the Bot API, in UTF-16 code units. */
#define TELEGRAM_PIECE_UNITS  4000 /* of 4,096; the rest is a reserve, because clients count differently */
#define TELEGRAM_ENTITIES_MAX 100

/* Shape of an update: 16 levels of blocks in a rich message, of up to four containers each, and of texts. */
#define TELEGRAM_UPDATE_DEPTH 128
#define TELEGRAM_UPDATE_SHAPE ((struct json_limits){TELEGRAM_UPDATE_DEPTH, JSON_CONTAINERS_MAX})

#endif
