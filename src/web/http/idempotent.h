/*
 * Requests of the API that may be repeated without a second effect: the header Idempotency-Key
 * (draft-ietf-httpapi-idempotency-key-header). A program that got no answer sends the same request with the
 * same key, and gets the answer of the first one.
 *
 * The key is stored before the handler runs, and the answer after it, for a day. A request that
 * failed has had no effect, so its key is free again. For a route with the field `client_id` the key becomes
 * this field, unless the request has it, and the turn engine recognises the repetition.
 */
#ifndef ALFRED_WEB_HTTP_IDEMPOTENT_H
#define ALFRED_WEB_HTTP_IDEMPOTENT_H

#include "web/http/request.h"

#define IDEMPOTENT_KEY_MAX 255 /* bytes */

/* Runs the request's handler under the conditions of its headers (conditional.h), or repeats an answer.
 * RC_BAD_INPUT: not a key, or the key of another request. RC_CONFLICT: the first one runs, was cut off, or
 * its answer is not kept. */
enum rc idempotent_handle(struct req *r, struct resp *out, struct err *e);

#endif
