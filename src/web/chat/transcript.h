/*
 * A part of a conversation for page and API: the session, consecutive messages of one branch, and the running
 * turn. Everything is in the request's arena.
 */
#ifndef ALFRED_WEB_CHAT_TRANSCRIPT_H
#define ALFRED_WEB_CHAT_TRANSCRIPT_H

#include "store/memory/compaction.h"
#include "store/message/message.h"
#include "store/message/turn.h"
#include "store/session/session.h"
#include "web/chat/annotations.h"
#include "web/chat/comparison_view.h"
#include "web/http/request.h"

#define TRANSCRIPT_STEPS     50 /* messages per page */
#define TRANSCRIPT_STEPS_MAX 200

struct transcript_part {
    const char *session; /* public id */
    int64_t at;          /* the branch through this message; 0: the session's head */
    int64_t around;      /* this message, with half of `limit` after it */
    int64_t before;      /* otherwise: only up to this message */
    int64_t after;       /* otherwise: only after this message; all three 0: the end of the branch */
    int limit;           /* 0: TRANSCRIPT_STEPS */
};

struct transcript {
    struct session session;
    const char *turn; /* id of the running turn, NULL: none */
    struct message *messages;
    size_t n;
    struct message_annotations annotations;
    struct compaction *compactions; /* those whose borders are in this part */
    size_t compactions_n;
    int64_t older;                      /* the message before the first one; 0: the beginning is included */
    int64_t newer;                      /* the last message here; 0: the end of the branch is included */
    int64_t leaf;                       /* end of the branch; 0: it is empty */
    struct comparison_columns compared; /* asked_id 0: this part does not end in an open comparison */
    size_t above;                       /* messages above the columns */
};

/* RC_NOT_FOUND for a session or message that is absent, foreign, or of another session. */
enum rc transcript_read(
    const struct req *r, const struct transcript_part *part, struct transcript *out, struct err *e);

/* Reads a message with its place among its siblings, in a session of the user. Also sets out->session. */
enum rc transcript_one(
    const struct req *r, const char *session, int64_t id, struct transcript *out, struct err *e);

/* Adds the messages as list "messages" for the page. */
void transcript_view(const struct req *r, const struct transcript *t, struct view *v);
/* The same for the API, with "older" (the message to continue before; null at the beginning) and "newer" (the
 * message to continue after; null at the end). */
void transcript_resource(const struct req *r, const struct transcript *t, struct view *v);
/* Adds the message of transcript_one() as "message". */
void transcript_message_resource(const struct req *r, const struct transcript *t, struct view *v);

/*
 * A message with its place among its siblings. An answer that called tools is several messages. Its versions
 * branch off at the first one, but the arrows are at the last one, so the last one gets the first one's
 * place. `above` (may be NULL) gets the user's message that it answers directly, with its place, else id 0.
 * RC_NOT_FOUND.
 */
enum rc message_placed(struct db *db, struct arena *a, int64_t owner, int64_t session_id, int64_t id,
    struct message *out, struct message *above, struct err *e);

#endif
