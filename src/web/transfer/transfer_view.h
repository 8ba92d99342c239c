/* Exports and imports on the page "Your data". */
#ifndef ALFRED_WEB_TRANSFER_TRANSFER_VIEW_H
#define ALFRED_WEB_TRANSFER_TRANSFER_VIEW_H

#include "app/transfer/transfer.h"
#include "web/http/request.h"

/* transfer_resource() with labels: label, status_words, size_words, until_exact, the time; going, failed,
 * brought (true for an import that added conversations). */
void transfer_view(const struct req *r, struct view *v, const struct transfer *t, enum transfer_phase p);

bool transfer_is_going(enum transfer_phase p); /* it waits or runs */

#endif
