/*
 * The format of a compiled template. Only mustache*.c include this.
 *
 * A template is a flat array of nodes in the order of its source. The nodes inside another one follow it, up
 * to `end`. Names point into the template's copy of the source; so do texts that were not dedented.
 *
 * Indentation. A partial or parent that is alone on its line indents every line of its template, as if the
 * source had been indented; values are never changed. Line starts are therefore known: a TEXT node knows
 * whether it begins a line (`starts_line`; an empty one marks a line that begins with a tag), and every
 * newline inside it begins one.
 *
 * Blocks. A block whose opening tag ends its line has its content on separate lines (`own_lines`). The
 * content is stored without its common indentation, which is kept in `indent`. The content shown at this
 * place is indented by it: the default content looks as in the source, and replaced content is aligned with
 * it.
 */
#ifndef ALFRED_CODEC_MUSTACHE_MUSTACHE_NODE_H
#define ALFRED_CODEC_MUSTACHE_MUSTACHE_NODE_H

#include "codec/mustache/mustache.h"

enum node_op {
    NODE_TEXT,
    NODE_VAR,
    NODE_RAW,
    NODE_SECTION,
    NODE_INVERTED,
    NODE_PARTIAL,
    NODE_PARENT,
    NODE_BLOCK
};

struct node {
    enum node_op op;
    uint32_t line;               /* in the source, from 1 */
    uint32_t end;                /* index after the node and the nodes inside it */
    bool starts_line;            /* TEXT */
    bool own_lines;              /* PARTIAL, PARENT: alone on its line; BLOCK: see above */
    bool replaces;               /* BLOCK directly inside a PARENT: content for the parent's block */
    struct str text;             /* TEXT: itself, else the name */
    struct str indent;           /* PARTIAL, PARENT, BLOCK */
    const struct view_key *path; /* VAR, RAW, SECTION, INVERTED: the name's parts; none for "." */
    uint32_t path_n;
    const struct mustache_template *target; /* PARTIAL, PARENT */
};

struct mustache_template {
    struct mustache_template *next;
    struct str name;
    bool defined; /* false: only referenced so far */
    struct node *nodes;
    uint32_t n;
};

struct mustache_set {
    struct arena *arena;
    struct mustache_template *templates;
    struct str constant_tag, constant_text; /* no tag: none */
    mustache_text *text;                    /* NULL: no texts */
    const void *text_arg;
};

/* Appends the source with the texts of the set's language (mustache_texts.c). */
enum rc mustache_texts(
    struct mustache_set *set, const char *name, struct str source, struct strbuf *out, struct err *e);

/* Finds the template or adds an undefined one, so that nodes can point to later templates. */
struct mustache_template *mustache_slot(struct mustache_set *set, struct str name);

/* Compiles into `t`, which stays undefined on failure. `source` must live as long as the set. */
enum rc mustache_compile(
    struct mustache_set *set, struct mustache_template *t, struct str source, struct err *e);

/* Moves the common indentation of the lines in the block at `nodes[at]` to the block's indent. */
void mustache_dedent(struct arena *a, struct node *nodes, uint32_t at);

#endif
