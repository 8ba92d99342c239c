/*
 * Erasing a user with all data: sessions, messages, vectors, memories, tasks, exports, files, logins.
 *
 * The account is disabled first, so that nothing is added meanwhile. Then sessions and transfers are deleted,
 * one per transaction, so that other users' writes do not wait for long. The account is deleted last. An
 * interrupted run leaves a disabled account; erasing it again continues. The helper removes the words from
 * the text index soon after.
 *
 * Rows of the audit trail are kept; the last one names the user.
 */
#ifndef ALFRED_APP_ERASURE_ERASE_USER_H
#define ALFRED_APP_ERASURE_ERASE_USER_H

#include "app/account/auth.h"

/* `out`: what was deleted. `by`: who does it, 0: the command line. Answers that are being written end when it
 * is the user. RC_CONFLICT with a sentence, before any change: the last active admin, or an answer is being
 * written. RC_NOT_FOUND. */
enum rc erase_user(struct store *s, const struct config *c, int64_t by, int64_t user_id,
    const struct auth_client *from, struct user_holdings *out, struct err *e);

#endif
