/* Shared by completions_request.c and completions_messages.c. */
#ifndef ALFRED_WEB_STREAM_COMPLETIONS_REQUEST_PRIVATE_H
#define ALFRED_WEB_STREAM_COMPLETIONS_REQUEST_PRIVATE_H

#include "base/strbuf.h"
#include "codec/json/json.h"
#include "web/stream/completions_request.h"

struct completion_parser {
    struct arena *a;
    struct completion_request *out;
    const char **param;
    struct err *e;
    size_t text_max;      /* no joined text is longer than the body that its parts come from */
    struct strbuf system; /* the texts of all system messages */
};

/* Names the parameter and returns RC_BAD_INPUT with the sentence of the key. */
enum rc completion_bad(struct completion_parser *p, const char *param, const char *key);
const char *completion_text(struct completion_parser *p, const json_t *v); /* a copy of the string */
const char *completion_dump(struct completion_parser *p, const json_t *v); /* as JSON text */
/* A name of a tool or a format in OpenAI's API. */
bool completion_is_name(struct str s);

/* A part of a message with a picture; `param` names it. */
enum rc completion_read_picture(
    struct completion_parser *p, const json_t *part, const char *param, struct llm_picture *out);
enum rc completion_read_messages(struct completion_parser *p, const json_t *list);
enum rc completion_read_tools(struct completion_parser *p, const json_t *list);

#endif
