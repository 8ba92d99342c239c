/* Exports and imports as the API answers with them. */
#ifndef ALFRED_WEB_TRANSFER_TRANSFER_RESOURCE_H
#define ALFRED_WEB_TRANSFER_TRANSFER_RESOURCE_H

#include "app/transfer/transfer.h"
#include "codec/view.h"

/* Into `v`: id, kind, format, state, counts, percent, bytes, error, file_url (of an export that is done),
 * created_at, expires_at (when the file is removed). */
void transfer_resource(struct arena *a, struct view *v, const struct transfer *t, enum transfer_phase p);

/* Why it failed, as a sentence; NULL unless it did. */
const char *transfer_error(const struct transfer *t, enum transfer_phase p);

static inline bool transfer_has_file(const struct transfer *t, enum transfer_phase p)
{
    return t->kind == TRANSFER_EXPORT && p == TRANSFER_PHASE_DONE;
}

#endif
