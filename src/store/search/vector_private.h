/* Shared by the files of vectors: the table of layers, and SQL with the table names built from it. */
#ifndef ALFRED_STORE_SEARCH_VECTOR_PRIVATE_H
#define ALFRED_STORE_SEARCH_VECTOR_PRIVATE_H

#include "store/row.h"
#include "store/search/vector.h"

#define VECTOR_SQL_MAX 1536

/* `text`: the embedded text. `wanted`: the condition of rows that need a vector. `open`: the condition of
 * rows that will need one when they are finished. `packs`: older ones move into packs. A caller that
 * changes a row's text, or makes it wanted again, calls store_vector_forget(). */
struct vector_layer_row {
    const char *word, *parent, *text, *wanted, *open;
    const char *but_trash; /* of messages: `wanted`, whether they are in the trash or not */
    bool packs;
};
extern const struct vector_layer_row vector_layers[VECTOR_LAYERS];

/* SQL with {T}: the vector table, {K}: the packs, {P}: the parent table, {L}: the layer's word, {M}: the
 * model's number, {X}: text, {W}: wanted, {B}: wanted but for the trash, {O}: open, {N}: lacks a vector; the
 * last four are about a parent row m. They follow from the scope's layer and model; its owner is an argument
 * of the statement, or 0 when the statement is about all owners. The result lives in `out`; the driver
 * compares a statement's text, not only its address. NULL: too long. */
const char *vector_sql(char out[VECTOR_SQL_MAX], const char *sql, struct vector_scope s, struct err *e);
/* db_exec() and db_one_int() with such a statement. */
enum rc vector_exec(
    struct db *db, const char *sql, struct vector_scope s, struct db_args args, struct err *e);
enum rc vector_one_int(
    struct db *db, const char *sql, struct vector_scope s, struct db_args args, int64_t *out, struct err *e);

/* The ids of all models, ascending. */
enum rc embedding_model_ids(struct db *db, struct arena *a, int64_t **out, size_t *n, struct err *e);

/* The id up to which the owner's rows are embedded or skipped. */
enum rc vector_progress(struct db *db, struct vector_scope s, int64_t *done_to, struct err *e);

/* Removes the row's skip mark. */
enum rc vector_unskip(struct db *db, struct vector_scope s, int64_t id, struct err *e);

/* Turns the vectors of the pack around an id, if there is one, into rows again. */
enum rc vector_unpack(struct db *db, struct vector_scope s, int64_t id, struct err *e);

#endif
