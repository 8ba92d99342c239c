/*
 * Pictures that the owner's provider draws ([drawing]). A tool says what it wants with drawing_want()
 * (net/awaited.h).
 */
#ifndef ALFRED_APP_DRAWING_DRAWING_H
#define ALFRED_APP_DRAWING_DRAWING_H

#include "app/models/providers.h"
#include "llm/drawing.h"
#include "net/awaited.h"

#define DRAWING_PROMPT_CHARS_MAX 1500 /* llama.cpp's grammars have no schema with 2,000 or more */
/* Drawings at the same time. One more is refused with a sentence for the model. */
#define DRAWINGS_MAX          16
#define DRAWINGS_PER_USER     2
#define DRAWING_CONNECT_MS    5000
#define DRAWING_TOTAL_MINUTES 5 /* local servers take minutes */

/* One drawing of a call. The turn engine owns it. */
struct drawing {
    struct awaited awaited;

    /* the request, set by drawing_want() */
    struct arena *arena;
    struct str prompt;
    enum llm_shape shape;
    struct str from[LLM_DRAWING_FROM_MAX]; /* the bytes of pictures to change, in the arena */
    size_t from_n;

    struct strbuf bytes; /* the end, for the tool: the picture */

    struct llm_drawing *call;
};

/* True when the owner has named a model that draws. */
bool drawing_configured(const struct config *c);
/* The provider of [drawing]. RC_BAD_INPUT, with a sentence: there is none of this name, or it has another
 * protocol than OpenAI's. */
enum rc drawing_source(
    const struct config *c, const struct providers *p, const struct provider_source **out, struct err *e);

/* Any thread. The prompt is copied. `from` may be filled afterwards. */
void drawing_want(struct drawing *d, struct str prompt, enum llm_shape shape);
/* It must not run. A zeroed one is fine; afterwards none is wanted. */
void drawing_release(struct drawing *d);

/* The settings and the providers outlive the client. */
struct awaited_client *drawing_client_new(
    struct loop *l, struct http_client *http, const struct config *c, const struct providers *p);

#endif
