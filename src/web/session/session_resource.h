/* A session in the API. */
#ifndef ALFRED_WEB_SESSION_SESSION_RESOURCE_H
#define ALFRED_WEB_SESSION_SESSION_RESOURCE_H

#include "store/session/session.h"
#include "web/http/request.h"

/* Adds the members of schema Session in scripts/openapi-schemas.js. A member that does not apply is null, an
 * empty list, 0 or false. */
void session_resource(struct arena *a, const struct lang *l, struct view *v, const struct session *s);

/* The list "keywords". */
void session_keywords(struct arena *a, struct view *v, const struct session *s);

/* Reads the session of the path. RC_NOT_FOUND. */
enum rc session_of_path(const struct req *r, struct session *out, struct err *e);

/* Answers {"session": ...} with the current state of the session of the path. RC_NOT_FOUND. */
enum rc session_answer(struct req *r, struct resp *out, int status, struct err *e);

#endif
