/* Internal: shared by markdown.c, the renderer and markdown_stream.c. */
#ifndef ALFRED_CODEC_MARKDOWN_MARKDOWN_HTML_H
#define ALFRED_CODEC_MARKDOWN_MARKDOWN_HTML_H

#include <md4c.h>

#include "codec/markdown/markdown.h"
#include "codec/markdown/markdown_math.h"

/* For md4c: GitHub's extensions, raw HTML off. Formulas are handled here (markdown_math.h). */
#define MARKDOWN_FLAGS (MD_DIALECT_GITHUB | MD_FLAG_NOHTML)

/* Quotations, lists and their items. */
static inline bool markdown_is_container(MD_BLOCKTYPE type)
{
    return type == MD_BLOCK_QUOTE || type == MD_BLOCK_UL || type == MD_BLOCK_OL || type == MD_BLOCK_LI;
}

/* A text as md4c needs it: guarded and adapted (markdown_adapt.h), and with the end of its
 * last line. Inits `copy`. */
struct str markdown_guarded_copy(struct str text, struct strbuf *copy);

/* The limits for rendering one text. */
struct markdown_budget {
    int64_t cpu_us;       /* the limit, from the first check of the clock on */
    int64_t cpu_until_us; /* limit for clock_cpu_us(); 0 before the first check */
    unsigned calls;
    bool over; /* sticky */
};

/* For the parsers' callbacks: true when the time is used up. Reads the clock at every 256th call. */
bool markdown_budget_over(struct markdown_budget *b);

/* The ends of the top-level blocks in the output. */
struct ends {
    size_t *at; /* owned by the caller */
    size_t n, room;
};

void ends_add(struct ends *ends, size_t len);

/*
 * Parses and renders once. `text` is guarded. `math` is NULL or the result of math_rewrite() for `text`.
 * False: one of its formulas did not come back as a formula (math_note_lost() tells which); the caller then
 * removes the output and tries again. `ends` may be NULL. Rendering stops early, with incomplete HTML in
 * `out`, when the cap is reached (`out->failed`) or the time is used up (`budget->over`).
 */
bool markdown_render(struct str text, struct math *math, unsigned md_flags, struct markdown_budget *budget,
    struct strbuf *out, struct ends *ends);

/* markdown_blocks() with a limit of `cpu_us` microseconds of processor time. */
enum rc markdown_blocks_within(
    int64_t cpu_us, struct str text, struct strbuf *out, markdown_end_fn *end, void *arg, struct err *e);

/* For a code span in a table, which writes a bar as `\|`: md4c keeps the backslash. Cuts `*rest` before its
 * first such bar; `*before` ends before the backslash. False: there is none. */
bool markdown_cut_bar(struct str *rest, struct str *before);

/* Writes the HTML before the text of a code block. `lang` as in the text. */
void markdown_code_head(struct strbuf *out, struct str lang);
#define MARKDOWN_CODE_FOOT "</code></pre></div>\n"

#endif
