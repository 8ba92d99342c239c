/* GET /v1/models, POST /v1/embeddings: models for programs that know OpenAI's API. */
#ifndef ALFRED_WEB_MODELS_V1_ROUTES_H
#define ALFRED_WEB_MODELS_V1_ROUTES_H

#include "web/http/route.h"

extern const struct route_table v1_routes;

#endif
