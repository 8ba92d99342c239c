/* Tokens of programs that use the API as a user. The store has the hash of a token. */
#ifndef ALFRED_STORE_ACCOUNT_API_TOKEN_H
#define ALFRED_STORE_ACCOUNT_API_TOKEN_H

#include "base/id.h"
#include "store/store.h"

#define API_TOKEN_HASH_SIZE  32
#define API_TOKEN_BEGINS_MAX 12 /* bytes of the token that are stored */

enum api_scope { API_SCOPE_READ, API_SCOPE_WRITE, API_SCOPE_CHAT, API_SCOPES };

struct api_token {
    int64_t id, user_id;
    const char *pub, *name, *begins, *address;
    unsigned scopes; /* 1 << API_SCOPE_READ, ... */
    bool use_memory, use_tools;
    int64_t created_at, used_at, expires_at; /* 0: never */
};

/* The rights of a request with a token. id 0: the request has none. */
struct api_rights {
    int64_t id;
    unsigned scopes;
    bool use_memory, use_tools;
    int64_t used_at, expires_at;
};

/* Sets t->pub, in the arena. */
enum rc store_api_token_add(struct db *db, struct arena *a, struct api_token *t,
    const unsigned char hash[API_TOKEN_HASH_SIZE], struct err *e);
/* RC_NOT_FOUND: absent, expired, or the user is disabled. */
enum rc store_api_token_find(struct db *db, const unsigned char hash[API_TOKEN_HASH_SIZE], int64_t now,
    struct api_rights *out, int64_t *user_id, struct err *e);
/* The same check by row id, for streams that stay open. */
enum rc store_api_token_check(struct db *db, int64_t id, int64_t now, struct err *e);
enum rc store_api_token_touch(struct db *db, int64_t id, int64_t now, const char *address, struct err *e);
/* Valid and expired ones, newest first. */
enum rc store_api_token_list(
    struct db *db, struct arena *a, int64_t user_id, struct api_token **out, size_t *n, struct err *e);
enum rc store_api_token_count(struct db *db, int64_t user_id, int64_t *out, struct err *e);
enum rc store_api_token_delete(struct db *db, int64_t user_id, const char *pub, struct err *e);
enum rc store_api_token_delete_all(struct db *db, int64_t user_id, struct err *e);
enum rc store_api_token_sweep(struct db *db, int64_t expired_before, struct err *e);

#endif
