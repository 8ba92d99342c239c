/* Shared by offline_tasks.c and offline_tasks_asked.c. */
#ifndef ALFRED_LLM_OFFLINE_OFFLINE_TASKS_PRIVATE_H
#define ALFRED_LLM_OFFLINE_OFFLINE_TASKS_PRIVATE_H

#include "llm/llm.h"

#define OFFLINE_DAY_SIZE 11 /* "2026-12-01" and NUL */

enum intent {
    NO_INTENT,
    TO_ADD,
    TO_LIST,
    TO_COMPLETE,
    TO_DELETE,
    TO_DELETE_MANY,
    TO_DELETE_SESSION,
    TO_FORGET_THAT
};

struct asked {
    enum intent intent;
    struct str subject;         /* the new task, words of a task, or the subject of a chat */
    bool points;                /* the subject is a reference */
    char due[OFFLINE_DAY_SIZE]; /* TO_ADD: "" without a day */
    const char *show;           /* TO_LIST */
};

/* Reads the request of a sentence. The text of a new task may be in the arena. */
struct asked offline_tasks_asked(const struct llm_request *r, struct arena *a, struct str text);

#endif
