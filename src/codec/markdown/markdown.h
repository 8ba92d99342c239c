/*
 * Converts Markdown of models and users to HTML, for pages and for the live stream. md4c parses, the renderer
 * is ours: CommonMark 0.31 with GitHub's tables, task lists, strikethrough and bare links, and TeX formulas
 * between $ $, $$ $$, \( \) and \[ \]. docs/markdown.md lists the differences from CommonMark's own HTML.
 *
 * The text may be malicious. The HTML is safe to put into a page:
 * - Raw HTML is shown as text.
 * - Links are allowed to addresses of url_link_allowed() (https, mailto), with
 *   rel="noopener noreferrer nofollow", and to places within Alfred (url_link_inside()).
 *   Any other link keeps only its text.
 * - Nothing is loaded: an image becomes a link named by its alt text.
 * - There is no id, style or event attribute, and no class but ours and language-*.
 *
 * Markup that the page's style and scripts use:
 * - A top-level p, h3 to h6, ul, ol, blockquote or table has dir="auto".
 *   Blocks inside it do not, so that its direction comes from all its text.
 * - code: <div class="code"><div class="code-head"><span class="code-lang">python</span><button type="button"
 *   class="code-copy" hidden>Copy</button></div><pre><code class="language-python">...</code></pre></div>.
 *   The script shows the button. The language is cut to [A-Za-z0-9+#._-], at most 32.
 * - table: <div class="table-scroll" role="region" aria-label="NAME" tabindex="0"><table>...</table></div>.
 *   NAME is "place, height", from the head of the table. Without one it is no region.
 * - math: <div class="math" data-display>TEX</div> for a formula that stands alone,
 *   <span class="math" data-display>TEX</span> inside a paragraph, <span class="math" data-tex>TEX</span>
 *   inline. It is readable before KaTeX runs.
 * - task: <li class="task"><label><input type="checkbox" disabled checked> text</label>
 * - heading: h1 becomes h3 and so on down to h6, because h1 and h2 belong to the page.
 */
#ifndef ALFRED_CODEC_MARKDOWN_MARKDOWN_H
#define ALFRED_CODEC_MARKDOWN_MARKDOWN_H

#include "base/err.h"
#include "base/strbuf.h"

#define MARKDOWN_TEXT_MAX (4 * 1024 * 1024) /* bytes of one text */
#define MARKDOWN_CPU_US   INT64_C(500000)   /* processor time for rendering one text */

/*
 * Appends the HTML of `text` (valid UTF-8) to `out`. A text that would take too much time, or whose HTML
 * exceeds the cap of `out`, becomes one block that shows it as typed:
 * <div class="plain"><pre dir="auto">...</pre></div>
 * RC_TOO_BIG when the text exceeds MARKDOWN_TEXT_MAX or even that block exceeds the cap; `out` then
 * holds a part of it. A cap of six times the text and 512 bytes is always enough.
 */
#define MARKDOWN_PLAIN_HTML "<div class=\"plain\">" /* nothing else begins like this */
enum rc markdown_html(struct str text, struct strbuf *out, struct err *e);

/*
 * The same, and calls `end` after each top-level block (paragraph, list, table, ...) with the length that
 * `out` has then; text without a block calls it never. For the live stream, which sends blocks.
 */
typedef void markdown_end_fn(void *arg, size_t out_len);
enum rc markdown_blocks(struct str text, struct strbuf *out, markdown_end_fn *end, void *arg, struct err *e);

/* Adds the words of a text on one line, without markup. `out` needs room for as many bytes as `text` has, and
 * one for each of its blocks: twice as many do. False: the text is too costly to parse, and a part of its
 * words may be there. */
#define MARKDOWN_PLAIN_CPU_US   INT64_C(20000)
#define MARKDOWN_PLAIN_COST_MAX UINT64_C(10000000)
bool markdown_plain(struct str text, struct strbuf *out);

/* The opposite: plain text as one line of Markdown that shows exactly this text. White space of any kind
 * becomes single blanks. */
#define MARKDOWN_ADDED_MAX 5 /* bytes that one of the text may become */
void markdown_add_text(struct strbuf *out, struct str text);

/* Removes white space and one fenced code block around the whole text. Some models put their whole answer
 * into such a block. Returns a slice of `answer`. */
struct str markdown_unfence(struct str answer);

/* True when HTML of this module contains a formula. */
bool markdown_has_formula(struct str html);

#endif
