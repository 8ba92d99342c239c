/*
 * Pictures that a provider draws, with OpenAI's protocol: POST {base_url}/images/generations with
 * {"model","prompt","n":1,"size","response_format"}, answered by {"data":[{"b64_json"}]}
 * (https://platform.openai.com/docs/api-reference/images/create).
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

enum llm_shape { LLM_SHAPE_SQUARE, LLM_SHAPE_WIDE, LLM_SHAPE_TALL };

struct llm_drawing_request {
    const struct llm_settings *provider; /* outlives the drawing; its limits are those of the answer */
    const char *model;                   /* outlives the drawing */
    struct str prompt;
    enum llm_shape shape;
    size_t picture_max; /* bytes */
};

struct llm_drawing;
/* Called once, on the loop, never inside llm_draw(). `picture`: bytes of any kind, valid during the call.
 * Each failure has a sentence: those of llm_provider_error() and of the transport (net/http.h), RC_UPSTREAM
 * for an answer without a picture, RC_TOO_BIG for one that is too large. */
typedef void llm_drawn_fn(void *arg, enum rc rc, struct str picture, const struct err *e);

/* The request may be freed after the return. After a failure `fn` is not called. */
enum rc llm_draw(struct http_client *c, const struct llm_drawing_request *r, llm_drawn_fn *fn, void *arg,
    struct llm_drawing **out, struct err *e);
/* Ends it without a call of `fn`. */
void llm_drawing_cancel(struct llm_drawing *d);

#endif
