/* LoCoMo (Maharana et al., ACL 2024): conversations of many dated sessions, and questions with the turns that
 * answer them. Only what measuring retrieval needs. */
#ifndef ALFRED_TESTS_RECALL_LOCOMO_H
#define ALFRED_TESTS_RECALL_LOCOMO_H

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

struct locomo_turn {
    const char *id;   /* "D3:7" */
    const char *text; /* "Caroline: ..." */
    bool first_speaker;
};

struct locomo_session {
    int64_t at;          /* ms */
    const char *summary; /* the data's own; "" without */
    struct locomo_turn *turns;
    size_t n;
};

struct locomo_question {
    const char *text;
    int category;
    const char **evidence; /* ids of turns that exist */
    size_t evidence_n;
};

struct locomo_conversation {
    const char *name;
    struct locomo_session *sessions;
    size_t sessions_n;
    struct locomo_question *questions; /* those that have evidence */
    size_t questions_n;
};

enum rc locomo_read(
    const char *path, struct arena *a, struct locomo_conversation **out, size_t *n, struct err *e);

#endif
