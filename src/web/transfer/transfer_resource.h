/* Exports and imports in the API. */
#ifndef ALFRED_WEB_TRANSFER_TRANSFER_RESOURCE_H
#define ALFRED_WEB_TRANSFER_TRANSFER_RESOURCE_H

#include "app/transfer/transfer.h"
#include "codec/view.h"

/* Adds to `v`: id, kind, format, state, counts, percent, bytes, error, file_url (of a finished export),
 * created_at, expires_at (removal of the file). */
void transfer_resource(
    struct arena *a, const struct lang *l, struct view *v, const struct transfer *t, enum transfer_phase p);

/* The reason of a failure as a sentence; NULL unless it failed. */
const char *transfer_error(
    struct arena *a, const struct lang *l, const struct transfer *t, enum transfer_phase p);

static inline bool transfer_has_file(const struct transfer *t, enum transfer_phase p)
{
    return t->kind == TRANSFER_EXPORT && p == TRANSFER_PHASE_DONE;
}

#endif
