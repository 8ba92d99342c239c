/* Recordings as text: for the message box, and POST /v1/audio/transcriptions for programs that know OpenAI's
 * API. A recording is in memory until its answer, and nowhere else. */
#ifndef ALFRED_WEB_SPEECH_SPEECH_ROUTES_H
#define ALFRED_WEB_SPEECH_SPEECH_ROUTES_H

#include "web/http/route.h"

extern const struct route_table speech_routes;

#endif
