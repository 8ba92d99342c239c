/*
 * Pictures that a provider draws or changes, with OpenAI's protocol
 * (https://platform.openai.com/docs/api-reference/images): POST {base_url}/images/generations with
 * {"model","prompt","n":1,"size","response_format"}, or /images/edits with the same as multipart/form-data
 * and the pictures to change. Both are answered by {"data":[{"b64_json"}]}.
 *
 * Servers differ in the optional members. OpenAI's models "gpt-image-..." always send the picture itself and
 * refuse "response_format"; others send an address without it. Some take no "size". A member that a refusal
 * (400, 422) names is left out of a second request; no other request is repeated, because each may cost.
 *
 * A picture that comes as an address only is not fetched: the address may be of any server.
 */
#ifndef ALFRED_LLM_DRAWING_H
#define ALFRED_LLM_DRAWING_H

#include "llm/llm.h"

#define LLM_DRAWING_FROM_MAX 8 /* pictures to change */

enum llm_shape { LLM_SHAPE_NONE, LLM_SHAPE_SQUARE, LLM_SHAPE_WIDE, LLM_SHAPE_TALL };

struct llm_drawing_request {
    const struct llm_settings *provider; /* its limits are those of the answer; copied */
    const char *model;                   /* outlives the drawing */
    struct str prompt;
    enum llm_shape shape;   /* NONE: the provider decides, for a change usually that of the picture */
    size_t picture_max;     /* bytes of the answer's picture */
    const struct str *from; /* the bytes of pictures to change: PNG, JPEG, WebP; copied.
                             * Models other than gpt-image get the first one only */
    size_t from_n;          /* at most LLM_DRAWING_FROM_MAX; 0: a new picture is drawn */
};

struct llm_drawing;
/* Called once, on the loop, never inside llm_draw(). `picture`: bytes of any kind, valid during the call.
 * Each failure has a sentence: those of llm_provider_error() and of the transport (net/http.h), RC_UPSTREAM
 * for an answer without a picture, RC_TOO_BIG for one that is too large. */
typedef void llm_drawn_fn(void *arg, enum rc rc, struct str picture, const struct err *e);

/* The request may be freed after the return. After a failure `fn` is not called. RC_UNSUPPORTED, with a
 * sentence: a picture to change is of another format. */
enum rc llm_draw(struct http_client *c, const struct llm_drawing_request *r, llm_drawn_fn *fn, void *arg,
    struct llm_drawing **out, struct err *e);
/* Ends it without a call of `fn`. */
void llm_drawing_cancel(struct llm_drawing *d);

#endif
