/*
 * Pictures that the owner's provider draws ([drawing]). As with app/web_fetch, a tool says what it wants
 * (drawing_want()) and returns; the turn engine starts the drawing on its loop, and the tool runs again when
 * it has ended.
 */
#ifndef ALFRED_APP_DRAWING_DRAWING_H
#define ALFRED_APP_DRAWING_DRAWING_H

#include "app/models/providers.h"
#include "base/running.h"
#include "llm/drawing.h"

#define DRAWING_PROMPT_CHARS_MAX 1500 /* llama.cpp's grammars have no schema with 2,000 or more */
/* Drawings at the same time. One more is refused with a sentence for the model. */
#define DRAWINGS_MAX          16
#define DRAWINGS_PER_USER     2
#define DRAWING_CONNECT_MS    5000
#define DRAWING_TOTAL_MINUTES 5 /* local servers take minutes */

struct drawing_client;

/* One drawing of a call. The turn engine owns it. */
struct drawing {
    int64_t owner; /* set before the start */

    /* the request, set by drawing_want() */
    struct arena *arena; /* NULL: none is wanted */
    struct str prompt;
    enum llm_shape shape;
    struct str from[LLM_DRAWING_FROM_MAX]; /* the bytes of pictures to change, in the arena */
    size_t from_n;

    /* the end, for the tool */
    bool ended;
    enum rc rc;
    struct err *err;     /* a sentence unless rc is RC_OK */
    struct strbuf bytes; /* the picture */

    struct drawing_client *client;
    struct running running;
    struct llm_drawing *call;
    loop_fn *done;
    void *arg;
};

/* True when the owner has named a model that draws. */
bool drawing_configured(const struct config *c);
/* The provider of [drawing]. RC_BAD_INPUT, with a sentence: there is none of this name, or it has another
 * protocol than OpenAI's. */
enum rc drawing_source(
    const struct config *c, const struct providers *p, const struct provider_source **out, struct err *e);

/* Any thread. The prompt is copied. `from` may be filled afterwards. */
void drawing_want(struct drawing *d, struct str prompt, enum llm_shape shape);
/* It must not run. A zeroed one is fine. */
void drawing_release(struct drawing *d);

/* All others: on the loop's thread. The settings and the providers outlive the client. */
struct drawing_client *drawing_client_new(
    struct loop *l, struct http_client *http, const struct config *c, const struct providers *p);
void drawing_client_free(struct drawing_client *c); /* no drawing may run; NULL is fine */
/* Calls done(arg) once, on the loop, never inside this function. */
void drawing_start(struct drawing_client *c, struct drawing *d, loop_fn *done, void *arg);
/* Ends it with an error and calls done(arg) soon. Does nothing unless it runs. */
void drawing_cancel(struct drawing *d);
/* Ends one that was not started, without a call of done(). `why` is for the model. */
void drawing_refuse(struct drawing *d, const char *why);

#endif
