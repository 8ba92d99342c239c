/*
 * Tests a provider as Alfred uses it: its list of models, a short request, a request with a tool, a text to
 * embed, a second of silence to transcribe. For `alfred provider test` and the page of providers.
 *
 * A provider that [embedding], [speech] or [drawing] names need not answer a chat, unless alfred.toml also
 * names a model of it for chats.
 *
 * The report has one finding per property, with a value or with a sentence that says what to do. The results
 * are stored as after a chat: the list of models, and whether the model supports tools.
 */
#ifndef ALFRED_APP_MODELS_PROVIDER_TEST_H
#define ALFRED_APP_MODELS_PROVIDER_TEST_H

#include "app/models/providers.h"

#define PROVIDER_FINDINGS_MAX 9

enum finding_state {
    FINDING_OK,
    FINDING_WRONG, /* the text says what to do */
    FINDING_NOTE   /* optional, or could not be tested */
};

struct finding {
    const char *subject; /* key of the catalogue: "finding.key", "finding.models" */
    enum finding_state state;
    const char *said; /* sentences or a figure (base/said.h), in the arena */
};

struct provider_test {
    const struct config *config;
    const struct providers *providers;
    struct store *store;
    const struct provider_source *source; /* model_list_is_asked() */
    const char *model; /* NULL: the default, if it is the provider's, else the provider's first */
    int limit_ms;      /* limit of the whole test; 0: each request has the limits of a chat */
};

struct provider_report {
    struct finding list[PROVIDER_FINDINGS_MAX];
    size_t n;
    bool chats; /* the model answered */
    bool works; /* all that it is used for does */
};

/* Blocks. RC_INTERNAL: the test cannot begin. */
enum rc provider_test_run(
    const struct provider_test *t, struct arena *a, struct provider_report *out, struct err *e);

const char *finding_state_word(enum finding_state s); /* "ok", "wrong", "note" */

#endif
