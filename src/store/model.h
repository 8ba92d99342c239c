/*
 * The models of all providers: their last lists, and limits learned from refusals. The helper writes lists,
 * the turn engine writes limits, every program reads (app/models/providers.h).
 */
#ifndef ALFRED_STORE_MODEL_H
#define ALFRED_STORE_MODEL_H

#include "base/clock.h"
#include "store/store.h"

#define MODEL_LEARNED_MS (30 * MS_PER_DAY) /* then the limit is tried again */

struct model_row {
    const char *provider, *name;
    bool chat, loaded;
    int64_t window; /* tokens; 0: not known */
    const char *window_from;
    int tools, images, reasoning; /* enum llm_fact */
    int64_t created;
};

struct model_list_row {
    const char *provider, *base_url, *server;
    int64_t asked_at, listed_at; /* 0: never; a failure that repeats leaves them as they are */
    const char *failure;         /* NULL: the last request succeeded */
};

struct model_learned_row {
    const char *provider, *name, *base_url;
    int64_t window;
    /* enum llm_fact. responses: the model is asked at /responses, or there is none; temperature: it takes
     * one; reasoning_back: it wants the reasoning of earlier answers back */
    int tools, responses, temperature, reasoning_back, images;
    int form; /* of requests: provider_learned_form() */
};

/* Grows with every change of the results of the functions below. */
enum rc store_models_version(struct db *db, int64_t *out, struct err *e);

/* Replaces the provider's list when it differs. With `l->failure` the old list stays. asked_at is the time
 * of the change; listed_at is not read. */
enum rc store_models_put(
    struct db *db, const struct model_list_row *l, const struct model_row *models, size_t n, struct err *e);

/* Members of 0 leave the known value. What was learned at another address is forgotten. */
enum rc store_model_learn(struct db *db, const struct model_learned_row *m, int64_t at, struct err *e);

/* In the order of the provider's list. */
enum rc store_models_read(
    struct db *db, struct arena *a, const char *provider, struct model_row **out, size_t *n, struct err *e);
/* RC_NOT_FOUND: the provider was never asked. */
enum rc store_model_list_get(
    struct db *db, struct arena *a, const char *provider, struct model_list_row *out, struct err *e);
enum rc store_models_learned(struct db *db, struct arena *a, const char *provider,
    struct model_learned_row **out, size_t *n, struct err *e);
enum rc store_models_forget(struct db *db, int64_t learned_before, struct err *e);

#endif
