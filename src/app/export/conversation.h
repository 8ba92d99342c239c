/*
 * One conversation as a file: the messages in the order of reading, and the formats Markdown, JSON and JSON
 * Lines (docs/export.md). The page as HTML is made by web/transfer/conversation_page.h from the same order.
 *
 * The order has the visible branch from its first message to its end. With
 * CONVERSATION_ALL_BRANCHES every other branch follows, from the first message that it does not share with
 * an earlier one. Only ids are held in memory. The
 * messages are read in batches.
 */
#ifndef ALFRED_APP_EXPORT_CONVERSATION_H
#define ALFRED_APP_EXPORT_CONVERSATION_H

#include "app/export/export_file.h"
#include "base/locale.h"
#include "store/message/message.h"
#include "store/session/session.h"

enum conversation_format {
    CONVERSATION_MARKDOWN,
    CONVERSATION_HTML,
    CONVERSATION_JSON,
    CONVERSATION_JSONL,
    CONVERSATION_FORMATS
};
struct conversation_kind {
    const char *word, *type, *ending; /* "md", "text/markdown; charset=utf-8", ".md" */
};
extern const struct conversation_kind conversation_kinds[CONVERSATION_FORMATS];
bool conversation_format_parse(struct str word, enum conversation_format *out); /* false: unknown */

struct conversation_step {
    int64_t id;
    bool begins;   /* the first of another branch */
    size_t parent; /* of such a one: the place of the message above it, counted from 1; 0: none */
};

struct conversation {
    struct session session;
    struct conversation_step *steps;
    size_t n;
};

enum conversation_branches { CONVERSATION_SHOWN_BRANCH, CONVERSATION_ALL_BRANCHES };
/* RC_NOT_FOUND: not the owner's session. RC_CONFLICT, with a sentence: it is temporary. */
enum rc conversation_plan(struct store *s, struct arena *a, int64_t owner, const char *session,
    enum conversation_branches which, struct conversation *out, struct err *e);

/* Calls `fn` for each message, in order. `i` is its place in c->steps. A message that was deleted meanwhile
 * is passed over. No connection is held while `fn` runs. */
typedef enum rc conversation_fn(void *arg, struct arena *a, size_t i, const struct message *m, struct err *e);
enum rc conversation_each(struct store *s, int64_t owner, const struct conversation *c, conversation_fn *fn,
    void *arg, struct err *e);

struct conversation_options {
    enum conversation_format format;
    bool reasoning; /* of the models, too */
    struct locale locale;
};

/* Writes any format but HTML. */
enum rc conversation_write(struct store *s, int64_t owner, const struct conversation *c,
    const struct conversation_options *options, export_put_fn *put, void *arg, struct err *e);

/* "Trip to Naxos.md": the title as a file name that every system accepts, in the arena. */
const char *conversation_file_name(
    struct arena *a, const char *title, const char *otherwise, enum conversation_format f);

#endif
