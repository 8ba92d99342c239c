/* What markdown.c, the renderer and live.c share; internal to them. */
#ifndef ALFRED_CODEC_MARKDOWN_HTML_H
#define ALFRED_CODEC_MARKDOWN_HTML_H

#include "codec/markdown/markdown.h"
#include "codec/markdown/markdown_math.h"

/* For md4c: GitHub's extensions, raw HTML off. Formulas are ours (markdown_math.h). */
#define MARKDOWN_FLAGS (MD_DIALECT_GITHUB | MD_FLAG_NOHTML)

/* Where each top-level block ends in the output. */
struct ends {
    size_t *at; /* the caller frees it */
    size_t n, room;
};

/*
 * Parses and renders once. `text` is guarded. `math` is NULL or what math_rewrite() made of `text`; false
 * when one of its formulas did not come back as one (math_note_lost() tells which), and then the caller drops
 * what was added and tries again. `ends` may be NULL. `out->failed` says whether the cap was reached.
 */
bool markdown_render(struct str text, struct math *math, struct strbuf *out, struct ends *ends);

/* What stands around the text of a code block. `lang` as it is in the text. */
void markdown_code_head(struct strbuf *out, struct str lang);
#define MARKDOWN_CODE_FOOT "</code></pre></div>\n"

#endif
