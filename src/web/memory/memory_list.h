/* A page of a user's facts, for the memory page and the API. */
#ifndef ALFRED_WEB_MEMORY_MEMORY_LIST_H
#define ALFRED_WEB_MEMORY_MEMORY_LIST_H

#include "app/memory/memory.h"
#include "web/http/request.h"
#include "web/http/web.h"

#define MEMORIES_ROWS 50 /* without F_LIMIT */

struct memories {
    struct memory *rows;
    size_t n;
    int64_t next; /* the value of F_AFTER for the next page; 0 at the end */
    bool paused;
    const char **tag_lines; /* the tags of all facts, one line per fact */
    size_t tag_lines_n;
};

/* By the fields F_Q, F_TAG, F_AFTER (an id: only older ones) and F_LIMIT of the request. */
enum rc memories_read(const struct req *r, struct memories *out, struct err *e);
void memory_view(const struct req *r, struct view *v, const struct memory *m);

/* The fields F_TEXT, F_TAGS and F_PERMANENT. `id` 0: a new fact. */
struct memory_input memory_input_of(const struct req *r, int64_t id);

#endif
