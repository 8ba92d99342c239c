/*
 * The write-ahead log keeps older versions of pages until it is overwritten, and with them what was erased.
 * Tasks that erase empty it at their end.
 */
#ifndef ALFRED_APP_JOBS_ERASE_LOG_H
#define ALFRED_APP_JOBS_ERASE_LOG_H

#include "app/jobs/task.h"

#define ERASE_LOG_TRIES    8
#define ERASE_LOG_WAIT_MS  200 /* of one try; other writers wait as long */
#define ERASE_LOG_PAUSE_MS 100 /* after the first try, then doubled, up to */
#define ERASE_LOG_MAX_MS   2000

/* RC_UNAVAILABLE: others used the log at each try. RC_CANCELLED: the helper has to end. */
enum rc erase_log(struct helper *h, struct err *e);

#endif
