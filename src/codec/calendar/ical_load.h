/*
 * Loads libical at its first use (base/shared_library.h). It needs ICU, about 30 MB of libraries, and most
 * processes evaluate no rule.
 *
 * ical_load.c defines the functions of ical.h that Alfred uses and calls the loaded ones. None of them may be
 * called before ical_load() returned RC_OK.
 */
#ifndef ALFRED_CODEC_CALENDAR_ICAL_LOAD_H
#define ALFRED_CODEC_CALENDAR_ICAL_LOAD_H

#include <libical/ical.h>

#include "base/err.h"

/* Any thread. RC_UNAVAILABLE: the library is missing; each call reports it. */
enum rc ical_load(struct err *e);

#endif
