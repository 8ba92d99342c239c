/*
 * What a process knows of a provider's embeddings of questions: the vectors of the last few, and that the
 * provider did not answer a moment ago.
 *
 * One request may put the same question to messages, sessions and facts; the provider is asked once. One
 * that hangs holds up one search for as long as the embedder waits (app/models/embedder.c) and then nobody
 * for EMBEDDER_DOWN_MS; after that one question tries it while the others still go without it. A failure that
 * came at once is not kept, as asking again costs nobody anything, except RC_RATE_LIMITED.
 *
 * At most QUESTIONS_PLACES threads of a process wait for a provider at once. The next one waits up to
 * QUESTIONS_PLACE_MS for a place and then goes without a vector, so that a provider that hangs cannot hold
 * all threads of a program.
 *
 * A question's text is not kept, only a hash of it with the model's name, so a vector does not say who asked.
 * Shared between threads: everything in here, under its own lock, which is never held while a provider is
 * asked.
 */
#ifndef ALFRED_APP_MODELS_QUERY_VECTOR_CACHE_H
#define ALFRED_APP_MODELS_QUERY_VECTOR_CACHE_H

#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

#define EMBEDDER_DOWN_MS   20000
#define EMBEDDER_SLOW_MS   500 /* a failure that took longer held somebody up */
#define QUESTIONS_KEPT     8
#define QUESTIONS_KEPT_MS  60000 /* of what was not asked meanwhile; a provider may change a model */
#define QUESTIONS_DIMS_MAX 8192
#define QUESTIONS_PLACES   2
#define QUESTIONS_PLACE_MS 300

struct questions;
struct questions *questions_new(void);
void questions_free(struct questions *q); /* NULL is fine */
DEFINE_AUTO(questions);

#define QUESTION_KEY_SIZE 32

/* Which question, to which model of which provider. */
struct question {
    unsigned char maker[QUESTION_KEY_SIZE], key[QUESTION_KEY_SIZE];
};
struct question question_of(const char *provider, const char *model, int64_t dimension, struct str text);

struct question_vector {
    int8_t *v; /* [dimension], in the arena */
    float scale;
    size_t dimension;
};

enum question_state {
    QUESTION_KNOWN, /* `out` is its vector */
    QUESTION_ASK,   /* ask the provider, then say how it went: questions_answered() or questions_failed() */
    QUESTION_DOWN,  /* the provider is left alone */
};

/* `now`: clock_mono_ms(). */
enum question_state questions_find(struct questions *q, const struct question *of, int64_t now,
    struct arena *a, struct question_vector *out);
/* After QUESTION_ASK: takes a place. False: there was none in time. */
bool questions_enter(struct questions *q);
/* Gives the place back, after questions_answered() or questions_failed(). */
void questions_leave(struct questions *q);
void questions_answered(
    struct questions *q, const struct question *of, int64_t now, const struct question_vector *v);
/* `asked`: when QUESTION_ASK was said. */
void questions_failed(
    struct questions *q, const struct question *of, int64_t asked, int64_t now, enum rc why);

#endif
