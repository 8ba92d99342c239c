/* Between provider_test.c, which asks, and provider_findings.c, which says what came of it. */
#ifndef ALFRED_APP_MODELS_PROVIDER_TEST_PRIVATE_H
#define ALFRED_APP_MODELS_PROVIDER_TEST_PRIVATE_H

#include "app/models/embedder.h"
#include "app/models/provider_test.h"

/* One request of the test. */
struct tested {
    bool asked;
    enum rc rc; /* RC_CANCELLED: the time of the whole test was up */
    struct err why;
    enum llm_problem problem;
    int64_t first_ms; /* to the first token */
    bool called;      /* a tool */
};

struct testing {
    const struct provider_test *t;
    struct arena *arena;
    int stop_fd; /* readable when the time is up; 0: there is no limit */

    struct tested list, chat, tools, embedding;
    const struct provider_choice *choice; /* NULL: no model is known */
    struct model_row *models;             /* of the list */
    size_t models_n;
    const char *server;
    enum llm_fact tools_before; /* what was known when the test began */
    size_t dimension;
};

void provider_findings(const struct testing *g, struct provider_report *out);

/* Whether tools are to be tried: nobody said that the model has none. */
bool provider_test_tries_tools(const struct testing *g);

#endif
