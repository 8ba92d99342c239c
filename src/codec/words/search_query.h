/*
 * The language of the search box: words, "phrases", beginnings* of words, -without, and operators such as
 * tag:garden, -is:archived, workspace:"two words", before:2026-03. Any bytes are a query. Everything else is
 * a word: a sign alone, an unknown name before a colon, a quotation mark without its partner.
 *
 * A value of an operator can have straight quotation marks of its own: tag:"the ""old"" wall". Without
 * doubled ones, names of users with such a mark could not be written.
 *
 * Names of operators are English and German. Their values are not checked here (app/search/search_query.h).
 */
#ifndef ALFRED_CODEC_WORDS_SEARCH_QUERY_H
#define ALFRED_CODEC_WORDS_SEARCH_QUERY_H

#include "base/mem.h"
#include "base/str.h"

enum query_op {
    QUERY_WORD,
    QUERY_PHRASE,
    QUERY_BEGINNING, /* of a word: at least QUERY_BEGINNING_MIN characters and a "*" */
    QUERY_TAG,
    QUERY_WORKSPACE,
    QUERY_CHANNEL,
    QUERY_ROLE,
    QUERY_MODEL,
    QUERY_BEFORE,
    QUERY_AFTER,
    QUERY_IS,
    QUERY_OPS
};

#define QUERY_PARTS_MAX     32 /* the rest of a longer query is one part of words */
#define QUERY_BEGINNING_MIN 2

struct query_part {
    enum query_op op;
    bool negated;
    bool doubled;      /* each straight quotation mark within `value` is written twice */
    struct str value;  /* without quotation marks, "-", "*" and the name; not empty */
    struct str source; /* the whole part in the query */
};

struct query_parts {
    struct query_part part[QUERY_PARTS_MAX];
    size_t n;
};

/* Cannot fail. The parts point into `text`. */
void query_parse(struct str text, struct query_parts *out);

/* The English name of an operator: "tag". NULL for words, phrases and beginnings. */
const char *query_op_name(enum query_op op);

/* The value of an operator as it is meant, in the arena. */
const char *query_value(struct arena *a, const struct query_part *part);
/* A value as it is written behind an operator, in the arena. */
const char *query_quoted(struct arena *a, struct str value);

/* The query without one of its parts, in the arena. */
struct str query_without(struct arena *a, struct str text, const struct query_part *part);

#endif
