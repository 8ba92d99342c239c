/* Shared by provider_test.c, which sends requests, and provider_findings.c, which words the results. */
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
    int stop_fd; /* readable when the time is over; 0: no limit */

    struct tested list, chat, tools, embedding, speech;
    const struct provider_choice *choice; /* NULL: no model is known */
    struct model_row *models;             /* rows of the list */
    size_t models_n;
    const char *server;
    enum llm_fact tools_before; /* known before the test */
    struct llm_form form;       /* of the next request */
    size_t dimension;
    const char *speech_model;
    bool is_for_chats;
};

void provider_findings(const struct testing *g, struct provider_report *out);

/* True when tools are tested: they are not known to be missing. */
bool provider_test_tries_tools(const struct testing *g);

#endif
