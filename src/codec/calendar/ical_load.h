/*
 * Loads libical at its first use. It needs ICU, about 30 MB of libraries, which most processes never use.
 *
 * ical_load.c defines the functions of ical.h that Alfred uses and calls the loaded ones. None of them may be
 * called before ical_load() returned RC_OK.
 */
#ifndef ALFRED_CODEC_CALENDAR_ICAL_LOAD_H
#define ALFRED_CODEC_CALENDAR_ICAL_LOAD_H

#include <libical/ical.h>

#include "base/err.h"

/* Any thread. RC_UNAVAILABLE: the library is missing; later calls report it again. */
enum rc ical_load(struct err *e);

#endif
