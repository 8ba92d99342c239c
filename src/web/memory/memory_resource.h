/* A fact in the API. */
#ifndef ALFRED_WEB_MEMORY_MEMORY_RESOURCE_H
#define ALFRED_WEB_MEMORY_MEMORY_RESOURCE_H

#include "codec/view.h"
#include "store/memory/memory.h"

/* Adds to `v`: id, text, tags (one string of words), permanent, created_at, used_at, expires_at (null:
 * never), source_message, source_url. */
void memory_resource(struct arena *a, struct view *v, const struct memory *m);

#endif
