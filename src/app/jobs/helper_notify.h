/*
 * The tap on the helper's shoulder: a datagram to data/run/helper.sock that says nothing but "look". A lost
 * one costs time only, the helper polls as well. What it finds to do are jobs (store/job.h).
 */
#ifndef ALFRED_APP_WAKE_H
#define ALFRED_APP_WAKE_H

#include "base/err.h"
#include "store/job.h"

void helper_wake(const char *data_dir); /* never blocks, never fails loudly */
enum rc helper_listen(
    const char *data_dir, int *fd, struct err *e); /* the helper's end; the caller closes it */

#endif
