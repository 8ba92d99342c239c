/* Shared by the tests of vectors and of their packs: models, and rows with and without a vector. */
#ifndef ALFRED_TESTS_STORE_VECTORS_H
#define ALFRED_TESTS_STORE_VECTORS_H

#include "../rig.h"

#include "store/search/vector_skip.h"

#define DIMS 4

__attribute__((unused)) static int64_t add_model(struct db *db, const char *name, int64_t dimension)
{
    int64_t id;
    struct embedding_model m = {.provider = "test", .model = name, .prefix = "", .dimension = dimension};
    assert_ok(store_embedding_model_add(db, &m, NOW, &id, NULL));
    return id;
}

static inline struct vector_scope messages_of(int64_t model, int64_t owner)
{
    return (struct vector_scope){VECTOR_MESSAGE, model, owner};
}

__attribute__((unused)) static size_t lacking(
    struct db *db, int64_t model, int64_t owner, struct vector_lack *first)
{
    AUTO(arena) a = arena_new();
    struct vector_lack *rows;
    size_t n;
    assert_ok(store_vector_lacking(db, a, messages_of(model, owner), 100, 1 << 20, &rows, &n, NULL));
    if (first && n)
        first->id = rows[0].id;
    return n;
}

__attribute__((unused)) static void mark(
    struct db *db, int64_t model, int64_t id, const char *text, enum vector_skip reason)
{
    struct vector_lack row = {id, str_of(text)};
    assert_ok(store_vector_skip(db, messages_of(model, id >> 32), &row, reason, NULL));
}

__attribute__((unused)) static int64_t skipped(struct db *db, enum vector_skip reason)
{
    int64_t counts[SKIP_REASONS];
    assert_ok(store_vector_skip_counts(db, counts, NULL));
    return counts[reason];
}

#endif
