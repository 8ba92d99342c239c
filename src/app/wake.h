/*
 * The kinds of jobs, and the tap on the helper's shoulder: a datagram to data/run/helper.sock that says
 * nothing but "look". A lost one costs time only, the helper polls as well.
 */
#ifndef ALFRED_APP_WAKE_H
#define ALFRED_APP_WAKE_H

#include "base/err.h"

#define JOB_TITLE     "title"     /* subject: the session that has no title yet */
#define JOB_SWEEP     "sweep"     /* dead logins, old failures, finished jobs; sessions to the archive */
#define JOB_EMBED     "embed"     /* vectors of what the owner has; owner 0: a job for everybody */
#define JOB_SUMMARISE "summarise" /* subject: the session */
#define JOB_TOPIC     "topic"     /* subject: the session */
#define JOB_COMPACT   "compact"   /* subject: the session */
#define JOB_FACTS     "facts"     /* subject: the session whose user's messages are looked through */
#define JOB_EXPORT    "export"    /* subject: transfer_subject() of the transfer (store/transfer.h) */
#define JOB_IMPORT    "import"    /* the same */

void helper_wake(const char *data_dir); /* never blocks, never fails loudly */
enum rc helper_listen(
    const char *data_dir, int *fd, struct err *e); /* the helper's end; the caller closes it */

#endif
