/* The values of personas and prompts, for pages and the API. */
#ifndef ALFRED_WEB_LIBRARY_LIBRARY_VIEW_H
#define ALFRED_WEB_LIBRARY_LIBRARY_VIEW_H

#include "app/library/library.h"
#include "web/http/request.h"

struct library_reader library_reader(const struct req *r);

/* The entries that the user can choose, by name, in the arena. */
enum rc library_read(
    const struct req *r, enum library_kind kind, struct library_entry **out, size_t *n, struct err *e);

/* `of` is the reader of the answer. */
void library_resource(struct arena *a, struct view *v, enum library_kind kind, const struct library_entry *x,
    struct library_reader of);

/* The list "personas" for the composer and for the settings of a session: those that the user can choose,
 * with value, name, choice and selected; any_personas; has_options (a persona or a
 * second model can be chosen). */
enum rc personas_view(const struct req *r, struct view *v, int64_t selected, struct err *e);

#endif
