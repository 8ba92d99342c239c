/* The decisions of a send before its transaction. Shared by turn_send.c, turn_choose.c, turn_commit.c and
 * turn_compare.c. */
#ifndef ALFRED_APP_TURN_TURN_PLAN_H
#define ALFRED_APP_TURN_TURN_PLAN_H

#include "app/suggestion/typed_answer.h"
#include "app/turn/turn_private.h"
#include "store/account/setting.h"

struct plan {
    struct turn_engine *en;
    const struct turn_request *req;
    struct turn *turn;
    struct turn *second; /* of the second model; NULL: none */
    struct turn_ticket *out;
    int64_t now;
    const char *settings[SETTING_COUNT]; /* of the user, while prepare() runs; NULL: the default */
    struct session session;              /* id 0: a new one */
    int64_t parent_id;                   /* parent of the first message that is added */
    int64_t asked_id;                    /* TURN_REGENERATE, TURN_CONTINUE: the question of the answer */
    int64_t beside_id;        /* first message of the answer beside which the new one is shown; 0: none */
    struct picture *pictures; /* of the question, new or asked again; in the turn's arena */
    size_t pictures_n;
    struct message unfinished; /* TURN_CONTINUE: the answer to continue */
    bool temporary;            /* the session is a temporary chat */
    bool repeated;
    int64_t pasted_from;        /* becomes message.pasted_from of the new message */
    struct typed_answer answer; /* the decision in the message; then no model is asked */
    const char *workspace;      /* workspace of a new session; NULL: none */
    int64_t persona_id;         /* of this turn and the next ones; 0: none */
    bool persona_model;         /* the persona brings its model */
    bool replaced;              /* the session's model no longer exists; another replaces it */
};

bool plan_adds_message(const struct turn_request *r); /* a question, not only another answer */
/* Finds the turn that this client id has started. */
enum rc plan_find_repeated(struct db *db, struct arena *a, struct plan *p, struct err *e);
/* Refuses the send, because the sender has not seen the newest messages: RC_CONFLICT with out->gone_on, so
 * that the user can choose where the text goes: below `head`, or below `branch` (0: not possible). */
enum rc plan_gone_on(const struct plan *p, int64_t head, int64_t branch, struct err *e);

/* ---- turn_choose.c ---- */

/* Chooses the persona, the model and the effort of p->turn. RC_BAD_INPUT, with a sentence: one of them does
 * not exist, or the model does not support the pictures of the question. */
enum rc plan_choose(struct db *db, struct plan *p, struct err *e);
/* Reads the connected tools of the user into `t`, one of the plan's turns. */
enum rc plan_read_connected(struct db *db, struct plan *p, struct turn *t, struct err *e);
/* Whether the user may ask this model, after what was spent this month. */
enum rc plan_check_budget(
    struct db *db, const struct plan *p, const struct provider_choice *c, struct err *e);
/* Refuses a question with pictures, because the model does not support them. */
enum rc plan_cannot_see(const struct provider_choice *c, struct err *e);

/* ---- turn_commit.c ---- */

/* One transaction: session, message, the empty answer, the turn. The text index and the job for the vectors
 * follow at the turn's end. Two sends with one client id may both have found it unused; here they run one
 * after the other. */
enum rc plan_commit(struct db *db, void *plan, struct err *e);

/* ---- turn_compare.c: the second answer ---- */

/* True when this send begins a comparison. */
bool plan_compares(const struct plan *p);
/* TURN_REGENERATE: checks that another answer can be shown beside the answer that ends in `m` and begins with
 * message `begins`. That answer must be the last one of its branch. */
enum rc plan_beside(struct db *db, struct plan *p, const struct message *m, int64_t begins, struct err *e);
/* The model of an answer beside an existing one. */
enum rc plan_choose_beside(struct plan *p, struct err *e);
/* Makes p->second, with its context, after the context of p->turn is built. */
enum rc plan_second(struct db *db, struct plan *p, struct err *e);
/* In the transaction of the send: the second answer and its turn. */
enum rc plan_add_second(
    struct db *db, const struct plan *p, int64_t session_id, int64_t asked_id, struct err *e);

#endif
