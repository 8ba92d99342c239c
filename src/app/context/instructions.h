/*
 * The user's own instructions for models, behind the system prompt of the server: about the user, how to
 * answer, the persona of the session, the workspace. They are the same bytes from turn to turn until the user
 * changes them (prompt caches). Those for all sessions come first, so that sessions share a prefix.
 *
 * They get at most a share of the window. When it is too small, each is cut at its end, in proportion.
 */
#ifndef ALFRED_APP_CONTEXT_INSTRUCTIONS_H
#define ALFRED_APP_CONTEXT_INSTRUCTIONS_H

#include "base/mem.h"
#include "base/str.h"
#include "store/store.h"

#define INSTRUCTIONS_SHARE 4 /* of the window */

struct instruction_scope {
    int64_t owner;
    const char *workspace;       /* NULL: none */
    int64_t persona_id;          /* 0: none; one that the user can no longer use counts as none */
    int64_t window;              /* tokens */
    const char *const *settings; /* of the user, by enum setting; NULL: they are read */
};

enum instruction_kind {
    INSTRUCTION_ABOUT_ME,
    INSTRUCTION_ANSWER_STYLE,
    INSTRUCTION_PERSONA,
    INSTRUCTION_WORKSPACE,
    INSTRUCTION_COUNT
};

struct instructions {
    struct str text[INSTRUCTION_COUNT]; /* whole; empty: none */
    const char *persona;                /* its name; NULL: none */
};

/* Reads the instructions of the user, the persona and the workspace. A persona that is gone counts as none.
 */
enum rc instructions_read(struct db *db, struct arena *a, const struct instruction_scope *scope,
    struct instructions *out, struct err *e);
/* The instructions as text for the system prompt; empty without instructions. */
struct str instructions_text(struct arena *a, const struct instructions *x, int64_t window);
/* Both functions in one: appends the text to a prompt. */
enum rc instructions_append(
    struct db *db, struct arena *a, const struct instruction_scope *scope, struct str *prompt, struct err *e);

#endif
