/*
 * The write-ahead log keeps older versions of pages, and with them erased data, until it is overwritten.
 * Tasks that erase data end with erase_log().
 */
#ifndef ALFRED_APP_JOBS_ERASE_LOG_H
#define ALFRED_APP_JOBS_ERASE_LOG_H

#include "app/jobs/task.h"

#define ERASE_LOG_TRIES    8
#define ERASE_LOG_WAIT_MS  200 /* wait of one attempt; other writers wait as long */
#define ERASE_LOG_PAUSE_MS 100 /* after the first attempt; doubled each time, up to ERASE_LOG_MAX_MS */
#define ERASE_LOG_MAX_MS   2000

/* RC_UNAVAILABLE: the log was in use at each attempt. RC_CANCELLED: the helper is stopping. */
enum rc erase_log(struct helper *h, struct err *e);

#endif
