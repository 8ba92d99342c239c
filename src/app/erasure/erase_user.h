/*
 * Erasing a user with all data: sessions, messages, vectors, memories, tasks, exports, files, logins.
 *
 * The account is disabled first, so that nothing is added meanwhile and running answers end. Then transfers
 * are deleted, which ends imports, and sessions, in short steps, so that other users' writes do not wait for
 * long. The account is deleted last. An interrupted run leaves a disabled account; erasing it again
 * continues. The helper removes the words from the text index soon after.
 *
 * Rows of the audit trail are kept; the last one names the user.
 */
#ifndef ALFRED_APP_ERASURE_ERASE_USER_H
#define ALFRED_APP_ERASURE_ERASE_USER_H

#include "app/account/auth.h"

struct erasure {
    struct store *store;
    const struct config *config;
    int64_t by; /* the user who requests it, 0: the command line */
    int64_t user_id;
    const struct auth_client *from;
    int stop_fd; /* as in struct mass */
};

/* `out`: what was deleted. RC_CONFLICT with a sentence: the last active admin, before any change; or a
 * command line has imported a conversation meanwhile. RC_CANCELLED: stop_fd is readable. RC_NOT_FOUND. */
enum rc erase_user(const struct erasure *x, struct user_holdings *out, struct err *e);

#endif
