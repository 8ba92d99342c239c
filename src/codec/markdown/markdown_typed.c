#include "codec/markdown/markdown_typed.h"

#include <string.h>

#include "codec/html.h"
#include "codec/markdown/markdown.h"
#include "codec/markdown/markdown_line.h"
#include "codec/markdown/markdown_write.h"
#include "codec/url.h"

/* Addresses. */

static bool is_word(char c)
{
    unsigned char u = (unsigned char)c;
    return u >= 0x80 || (u >= '0' && u <= '9') || ((u | 0x20) >= 'a' && (u | 0x20) <= 'z');
}

/* Punctuation of Chinese and Japanese (U+3000 to U+303F, U+FF00 to U+FF3F) ends an address like a space. */
static bool ends_address(const char *s, size_t len)
{
    return (unsigned char)*s <= ' ' || strchr("<>\"`\x7F", *s) ||
           (len >= 3 && (memcmp(s, "\xE3\x80", 2) == 0 || memcmp(s, "\xEF\xBC", 2) == 0));
}

/* The length of the address at the start of `s`, without punctuation that belongs to the sentence. As in
 * GitHub's Markdown a ')' at its end belongs to the address only with its '('. */
static size_t address_len(struct str s)
{
    size_t n = 0;
    while (n < s.len && !ends_address(s.s + n, s.len - n))
        n++;
    int open = 0;
    for (size_t i = 0; i < n; i++)
        open += s.s[i] == '(' ? 1 : s.s[i] == ')' ? -1 : 0;
    while (n && (strchr("?!.,:;*_~'", s.s[n - 1]) || (s.s[n - 1] == ')' && open < 0)))
        open += s.s[--n] == ')';
    return n;
}

static void add_line(struct str line, struct strbuf *out)
{
    static const char begin[] = "https://";
    size_t from = 0; /* of what is not written */
    for (size_t at = 0; at < line.len;) {
        const char *found = memmem(line.s + at, line.len - at, begin, sizeof begin - 1);
        if (!found)
            break;
        at = (size_t)(found - line.s);
        struct str address = {found, address_len((struct str){found, line.len - at})};
        if ((at && is_word(found[-1])) || !url_link_allowed(address)) {
            at += sizeof begin - 1;
            continue;
        }
        html_escape(out, (struct str){line.s + from, at - from});
        strbuf_adds(out, "<a href=\"");
        html_escape(out, address);
        strbuf_adds(out, "\" rel=\"noopener noreferrer nofollow\" target=\"_blank\">");
        html_escape(out, address);
        strbuf_adds(out, "</a>");
        from = at += address.len;
    }
    html_escape(out, (struct str){line.s + from, line.len - from});
}

/* Code. */

#define FENCE_INDENT 3 /* spaces before a fence, at most */

#define FILE_ENDING_BYTES_MAX 10

/* The next line without its end and the spaces that a fence may have before it. */
static struct str take_line(struct str *rest)
{
    struct str line = str_cut(rest, '\n');
    if (line.len && line.s[line.len - 1] == '\r')
        line.len--;
    for (int i = 0; i < FENCE_INDENT && line.len && *line.s == ' '; i++)
        line = str_from(line, 1);
    return line;
}

/* Kinds of fences for which a search for the closing one has failed. It would fail again further down, so it
 * is not repeated. */
struct unclosed {
    bool backtick, tilde;
};

/* The length of the code block that begins with `text`; 0: there is none. */
static size_t code_len(struct str text, struct unclosed *unclosed)
{
    struct str rest = text, open = take_line(&rest);
    size_t width = line_fence_width(open);
    bool *seen = width && *open.s == '`' ? &unclosed->backtick : &unclosed->tilde;
    if (!width || *seen)
        return 0;
    while (rest.s) {
        struct str line = take_line(&rest);
        if (line_closes_fence(line, *open.s, width))
            return (size_t)(line.s + line.len - text.s);
    }
    *seen = true;
    return 0;
}

/* ---- */

static void close_paragraph(bool *open, struct strbuf *out)
{
    if (*open)
        strbuf_adds(out, "</p>");
    *open = false;
}

/* The lines of a quotation at the start of `*rest`, without their marks. */
static void take_quotation(struct str *rest, struct strbuf *out)
{
    while (rest->s && str_starts(*rest, STR(">"))) {
        struct str line = str_from(str_cut(rest, '\n'), 1);
        strbuf_addstr(out, str_from(line, str_starts(line, STR(" ")) ? 1 : 0));
        strbuf_addc(out, '\n');
    }
}

/* `quotes`: false within a quotation, so that the depth of calls has a limit. */
static void add_text(struct str text, bool quotes, struct strbuf *out)
{
    bool open = false;
    struct unclosed unclosed = {0};
    for (struct str rest = text; rest.s;) {
        size_t code = code_len(rest, &unclosed);
        if (code) {
            close_paragraph(&open, out);
            struct str block = {rest.s, code};
            size_t at = out->len;
            if (markdown_html(block, out, NULL) == RC_OK) {
                rest = (struct str){rest.s + code, rest.len - code};
                str_cut(&rest, '\n');
                continue;
            }
            strbuf_rewind(out, at);
        }
        if (quotes && str_starts(rest, STR(">"))) {
            AUTO_STRBUF quoted;
            strbuf_init(&quoted, rest.len + 2);
            take_quotation(&rest, &quoted);
            close_paragraph(&open, out);
            strbuf_adds(out, "<blockquote>");
            add_text(strbuf_str(&quoted), false, out);
            strbuf_adds(out, "</blockquote>");
            continue;
        }
        struct str line = str_cut(&rest, '\n');
        if (str_trim(line).len == 0) {
            close_paragraph(&open, out);
            continue;
        }
        strbuf_adds(out, open ? "<br>" : "<p dir=\"auto\">");
        open = true;
        add_line(line, out);
    }
    close_paragraph(&open, out);
}

void markdown_typed(struct str text, struct strbuf *out)
{
    add_text(text, true, out);
}

/* Before the name of a file without an ending, such as Dockerfile. */
static struct str without_folder(struct str line)
{
    return str_starts(line, STR("./")) ? str_from(line, 2) : line;
}

/* True for a line like "notes.txt" or "./Dockerfile". Any other line above a block introduces it. */
static bool is_file_name(struct str line)
{
    struct str name = without_folder(line);
    if (name.s != line.s)
        return name.len > 0 && name.len <= MARKDOWN_FILE_NAME_MAX;
    size_t dot = line.len;
    while (dot && line.s[dot - 1] != '.')
        dot--;
    size_t ending = line.len - dot;
    if (dot < 2 || line.len > MARKDOWN_FILE_NAME_MAX || ending < 1 || ending > FILE_ENDING_BYTES_MAX)
        return false;
    for (size_t i = dot; i < line.len; i++)
        if ((unsigned char)line.s[i] >= 0x80 || !is_word(line.s[i]))
            return false;
    return true;
}

/* The content of a block that begins with its opening fence and ends with its closing one. */
static struct str content_of(struct str block)
{
    str_cut(&block, '\n');
    while (block.len && block.s[block.len - 1] != '\n')
        block.len--;
    return block;
}

static bool has_language(struct str block)
{
    struct str line = take_line(&block);
    return str_trim(str_from(line, line_fence_width(line))).len > 0;
}

size_t markdown_typed_files(
    struct str text, size_t from, struct typed_file *out, size_t max, struct str *before)
{
    struct unclosed unclosed = {0};
    struct str name = {0}; /* the previous line, if it may be the name of a file */
    bool begins = true;    /* a paragraph */
    size_t n = 0, end = 0;
    for (struct str rest = text; rest.s && rest.len;) {
        struct str block = {rest.s, code_len(rest, &unclosed)};
        if (block.len) {
            bool is_file = name.s && !has_language(block);
            if (n == max)
                n = 0;
            if (is_file && !n)
                end = (size_t)(name.s - text.s);
            if (is_file)
                out[n] = (struct typed_file){without_folder(str_trim(name)), block, content_of(block)};
            n = is_file ? n + 1 : 0;
            rest = str_from(rest, block.len);
            str_cut(&rest, '\n');
            name = (struct str){0};
            begins = true;
            continue;
        }
        struct str line = str_cut(&rest, '\n'), words = str_trim(line);
        bool may = begins && (size_t)(line.s - text.s) >= from && is_file_name(words);
        if (name.s || (words.len && !may)) /* another text */
            n = 0;
        name = may ? line : (struct str){0};
        begins = !words.len;
    }
    if (name.s)
        n = 0;
    *before = (struct str){text.s, n ? end : text.len};
    return n;
}

void markdown_typed_file_write(struct strbuf *out, struct str name, struct str content)
{
    bool is_clear = is_file_name(name) && !line_fence_width(name);
    strbuf_addf(out, "%s%.*s\n", is_clear ? "" : "./", STR_FMT(name));
    markdown_write_fenced(out, STR(""), content);
}

size_t markdown_typed_code_end(struct str text)
{
    struct unclosed unclosed = {0};
    size_t end = 0;
    for (struct str rest = text; rest.s; str_cut(&rest, '\n')) {
        size_t code = code_len(rest, &unclosed);
        if (code) {
            rest = str_from(rest, code);
            end = (size_t)(rest.s - text.s);
        }
    }
    return end;
}
