/*
 * The basic values of answers: ids, times and addresses, in the same form in the API and on pages. An id is a
 * string of digits, a time is RFC 3339, an address begins with '/'. An absent value is null.
 */
#ifndef ALFRED_WEB_HTTP_RESOURCE_H
#define ALFRED_WEB_HTTP_RESOURCE_H

#include "base/mem.h"
#include "codec/view.h"

/* NULL for 0. */
const char *id_text(struct arena *a, int64_t id);

/* Addresses of pages. */
const char *session_url(struct arena *a, const char *session);
const char *message_url(struct arena *a, const char *session, int64_t id); /* the message in its branch */
const char *memory_url(struct arena *a, int64_t id);                       /* the list from this fact on */
const char *workspace_page_url(struct arena *a, struct str workspace);     /* its files and instructions */
const char *workspace_file_url(struct arena *a, int64_t id);

void view_id(struct arena *a, struct view *v, const char *key, int64_t id);
void view_at(struct view *v, const char *key, int64_t at); /* milliseconds; 0: null */

/* The source message of something, as "source_message" and "source_url". Both are null unless `session`
 * and `message` are known. */
void view_source(struct arena *a, struct view *v, const char *session, int64_t message);

#endif
