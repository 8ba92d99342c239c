#include "codec/markdown/tex_text.h"

#include <ctype.h>
#include <md4c.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "codec/markdown/markdown.h"
#include "codec/markdown/markdown_html.h"

#define DEPTH_MAX 16 /* of groups; deeper ones stay TeX */
#define ARG_MAX   4096

struct word {
    const char *name, *is;
};

static const struct word symbols[] = {
#include "codec/markdown/tex_symbols.inc"
};
/* Commands of which only the argument is text. */
static const char *const wrappers[] = {"text", "textbf", "textit", "textrm", "mathrm", "mathbf", "mathit",
    "mathsf", "mathtt", "mathcal", "mathfrak", "boldsymbol", "bm", "operatorname", "mbox", "boxed",
    "underbrace", "overbrace", "overline", "underline"};
/* Commands without text. */
static const char *const dropped[] = {"left", "right", "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl",
    "Bigr", "middle", "displaystyle", "textstyle", "limits", "nolimits", "nonumber", "notag", "hline"};
static const struct word accents[] = {{"hat", "\u0302"}, {"bar", "\u0304"}, {"vec", "\u20D7"},
    {"tilde", "\u0303"}, {"dot", "\u0307"}, {"ddot", "\u0308"}};
static const struct word doubled[] = {
    {"R", "ℝ"}, {"N", "ℕ"}, {"Z", "ℤ"}, {"Q", "ℚ"}, {"C", "ℂ"}, {"P", "ℙ"}, {"E", "𝔼"}, {"1", "𝟙"}};
static const struct word openers[] = {
    {"pmatrix", "("}, {"bmatrix", "["}, {"vmatrix", "|"}, {"cases", "{ "}, {"Bmatrix", "{"}};
static const struct word closers[] = {{"pmatrix", ")"}, {"bmatrix", "]"}, {"vmatrix", "|"}, {"Bmatrix", "}"}};
static const struct word superscripts[] = {{"0", "⁰"}, {"1", "¹"}, {"2", "²"}, {"3", "³"}, {"4", "⁴"},
    {"5", "⁵"}, {"6", "⁶"}, {"7", "⁷"}, {"8", "⁸"}, {"9", "⁹"}, {"+", "⁺"}, {"-", "⁻"}, {"=", "⁼"},
    {"(", "⁽"}, {")", "⁾"}, {"n", "ⁿ"}, {"i", "ⁱ"}, {"k", "ᵏ"}, {"m", "ᵐ"}, {"x", "ˣ"}, {"y", "ʸ"},
    {"t", "ᵗ"}, {"a", "ᵃ"}, {"b", "ᵇ"}, {"c", "ᶜ"}, {"d", "ᵈ"}, {"e", "ᵉ"}, {"j", "ʲ"}, {"p", "ᵖ"},
    {"T", "ᵀ"}, {"−", "⁻"}, {"f", "ᶠ"}, {"g", "ᵍ"}, {"h", "ʰ"}, {"l", "ˡ"}, {"o", "ᵒ"}, {"r", "ʳ"},
    {"s", "ˢ"}, {"u", "ᵘ"}, {"v", "ᵛ"}, {"w", "ʷ"}, {"z", "ᶻ"}, {"∘", "°"}, {"′", "′"}, {"*", "*"}};
static const struct word subscripts[] = {{"0", "₀"}, {"1", "₁"}, {"2", "₂"}, {"3", "₃"}, {"4", "₄"},
    {"5", "₅"}, {"6", "₆"}, {"7", "₇"}, {"8", "₈"}, {"9", "₉"}, {"+", "₊"}, {"-", "₋"}, {"=", "₌"},
    {"(", "₍"}, {")", "₎"}, {"i", "ᵢ"}, {"j", "ⱼ"}, {"k", "ₖ"}, {"n", "ₙ"}, {"m", "ₘ"}, {"a", "ₐ"},
    {"e", "ₑ"}, {"o", "ₒ"}, {"x", "ₓ"}, {"p", "ₚ"}, {"s", "ₛ"}, {"t", "ₜ"}, {"r", "ᵣ"}, {"u", "ᵤ"},
    {"−", "₋"}, {"h", "ₕ"}, {"l", "ₗ"}, {"v", "ᵥ"}};

struct tex {
    struct str rest;
    struct strbuf *out;
    int depth;
};

#define FIND(list, name) find((list), ARRAY_LEN(list), (name))
static const char *find(const struct word *list, size_t n, struct str name)
{
    for (size_t i = 0; i < n; i++)
        if (str_is(name, list[i].name))
            return list[i].is;
    return NULL;
}

#define HAS(list, name) has((list), ARRAY_LEN(list), (name))
static bool has(const char *const *list, size_t n, struct str name)
{
    for (size_t i = 0; i < n; i++)
        if (str_is(name, list[i]))
            return true;
    return false;
}

static void skip(struct tex *t, size_t n)
{
    t->rest = str_from(t->rest, n);
}

static void skip_blanks(struct tex *t)
{
    while (t->rest.len && isspace((unsigned char)t->rest.s[0]))
        skip(t, 1);
}

static void one(struct tex *t);

/* Adds the text up to the closing brace, and skips the brace. */
static void group(struct tex *t)
{
    while (t->rest.len && t->rest.s[0] != '}')
        one(t);
    if (t->rest.len)
        skip(t, 1);
}

/* Sets `arg` to the text of the next group or character. */
static void argument(struct tex *t, struct strbuf *arg)
{
    strbuf_init(arg, ARG_MAX);
    struct tex inner = {t->rest, arg, t->depth + 1};
    skip_blanks(&inner);
    if (inner.rest.len && inner.depth <= DEPTH_MAX)
        one(&inner);
    t->rest = inner.rest;
    strbuf_truncate(arg, str_trim(strbuf_str(arg)).len);
}

static bool is_simple(struct str s)
{
    for (struct str rest = s; rest.len;) {
        uint32_t c = utf8_next(&rest, NULL);
        if (c < 0x80 && !isalnum((int)c))
            return false;
    }
    return s.len > 0;
}

static void add_grouped(struct strbuf *out, struct str s)
{
    bool bare = is_simple(s);
    strbuf_adds(out, bare ? "" : "(");
    strbuf_addstr(out, s);
    strbuf_adds(out, bare ? "" : ")");
}

void tex_script(enum tex_line line, struct str text, struct strbuf *out)
{
    AUTO_STRBUF small;
    strbuf_init(&small, TEX_SCRIPT_FACTOR * text.len);
    for (struct str rest = text; rest.len;) {
        const char *at = rest.s;
        utf8_next(&rest, NULL);
        struct str c = {at, (size_t)(rest.s - at)};
        const char *is = line == TEX_RAISED ? FIND(superscripts, c) : FIND(subscripts, c);
        if (!is) {
            bool one_char = utf8_count(text) == 1;
            strbuf_addc(out, line == TEX_RAISED ? '^' : '_');
            strbuf_adds(out, one_char ? "" : "(");
            strbuf_addstr(out, text);
            strbuf_adds(out, one_char ? "" : ")");
            return;
        }
        strbuf_adds(&small, is);
    }
    strbuf_addstr(out, strbuf_str(&small));
}

static void script(struct tex *t, enum tex_line line)
{
    AUTO_STRBUF arg;
    argument(t, &arg);
    tex_script(line, strbuf_str(&arg), t->out);
}

static void fraction(struct tex *t)
{
    AUTO_STRBUF above, below;
    argument(t, &above);
    argument(t, &below);
    add_grouped(t->out, strbuf_str(&above));
    strbuf_addc(t->out, '/');
    add_grouped(t->out, strbuf_str(&below));
}

static void root(struct tex *t)
{
    AUTO_STRBUF arg;
    const char *end = t->rest.len && t->rest.s[0] == '[' ? memchr(t->rest.s, ']', t->rest.len) : NULL;
    if (end) {
        struct tex degree = {{t->rest.s + 1, (size_t)(end - t->rest.s) - 1}, t->out, t->depth + 1};
        skip(t, (size_t)(end - t->rest.s) + 1);
        if (str_is(degree.rest, "3"))
            strbuf_adds(t->out, "³");
        else if (str_is(degree.rest, "4"))
            strbuf_adds(t->out, "⁴");
        else if (degree.rest.len)
            script(&degree, TEX_RAISED);
    }
    argument(t, &arg);
    strbuf_adds(t->out, "√");
    add_grouped(t->out, strbuf_str(&arg));
}

/* The name of \begin{name} or \end{name}. */
static struct str environment(struct tex *t)
{
    const char *end = t->rest.len && t->rest.s[0] == '{' ? memchr(t->rest.s, '}', t->rest.len) : NULL;
    if (!end)
        return (struct str){"", 0};
    struct str name = {t->rest.s + 1, (size_t)(end - t->rest.s) - 1};
    skip(t, name.len + 2);
    if (str_is(name, "array") && t->rest.len && t->rest.s[0] == '{')
        environment(t); /* the columns */
    return name;
}

static void add_blank(struct strbuf *out)
{
    if (out->len && out->s[out->len - 1] != ' ' && out->s[out->len - 1] != '\n')
        strbuf_addc(out, ' ');
}

static void named(struct tex *t, struct str name)
{
    const char *is = FIND(symbols, name);
    AUTO_STRBUF arg = {0};
    if (is) {
        strbuf_adds(t->out, is);
    } else if (str_is(name, "frac") || str_is(name, "dfrac") || str_is(name, "tfrac")) {
        fraction(t);
    } else if (str_is(name, "sqrt")) {
        root(t);
    } else if (str_is(name, "begin")) {
        is = FIND(openers, environment(t));
        strbuf_adds(t->out, is ? is : "");
    } else if (str_is(name, "end")) {
        is = FIND(closers, environment(t));
        strbuf_adds(t->out, is ? is : "");
    } else if (str_is(name, "mathbb")) {
        argument(t, &arg);
        is = FIND(doubled, strbuf_str(&arg));
        strbuf_adds(t->out, is ? is : arg.s);
    } else if ((is = FIND(accents, name)) || HAS(wrappers, name)) {
        argument(t, &arg);
        strbuf_addstr(t->out, strbuf_str(&arg));
        if (is && utf8_count(strbuf_str(&arg)) == 1)
            strbuf_adds(t->out, is);
    } else if (HAS(dropped, name)) {
        if (t->rest.len && t->rest.s[0] == '.') /* \left. is no delimiter */
            skip(t, 1);
    } else {
        strbuf_addc(t->out, '\\');
        strbuf_addstr(t->out, name);
    }
}

static void command(struct tex *t)
{
    skip(t, 1);
    if (!t->rest.len)
        return;
    size_t n = 0;
    while (n < t->rest.len && isalpha((unsigned char)t->rest.s[n]))
        n++;
    if (n) {
        struct str name = {t->rest.s, n};
        skip(t, n);
        named(t, name);
        return;
    }
    char c = t->rest.s[0];
    skip(t, 1);
    if (c == '\\')
        strbuf_addc(t->out, '\n');
    else if (strchr(",:; ", c))
        add_blank(t->out);
    else if (c == '|')
        strbuf_adds(t->out, "‖");
    else if (c != '!')
        strbuf_addc(t->out, c);
}

/* One character, command or group. */
static void one(struct tex *t)
{
    char c = t->rest.s[0];
    if (c == '\\') {
        command(t);
        return;
    }
    struct str at = t->rest;
    if ((unsigned char)c >= 0x80) {
        utf8_next(&t->rest, NULL);
        strbuf_add(t->out, at.s, at.len - t->rest.len);
        return;
    }
    skip(t, 1);
    if (c == '{' && t->depth < DEPTH_MAX) {
        t->depth++;
        group(t);
        t->depth--;
    } else if (c == '^') {
        script(t, TEX_RAISED);
    } else if (c == '_') {
        script(t, TEX_LOWERED);
    } else if (isspace((unsigned char)c) || c == '&' || c == '~') {
        add_blank(t->out);
    } else if (c != '{' && c != '}') {
        strbuf_addc(t->out, c);
    }
}

void tex_text(struct str tex, struct strbuf *out)
{
    struct tex t = {tex, out, 0};
    skip_blanks(&t);
    while (t.rest.len)
        one(&t);
}

/* `tex` has no delimiters. */
static void add_formula(struct strbuf *out, struct str tex, bool display)
{
    AUTO_STRBUF text;
    strbuf_init(&text, TEX_TEXT_FACTOR * (tex.len + 1));
    tex_text(tex, &text);
    struct str rest = str_trim(strbuf_str(&text));
    for (bool first = true; rest.s; first = false) {
        struct str line = str_trim(str_cut(&rest, '\n'));
        if (!line.len)
            continue;
        if (!first)
            strbuf_adds(out, display ? "\\\n" : "; ");
        markdown_add_text(out, line);
    }
}

void tex_text_markdown(struct str text, struct strbuf *out)
{
    struct math_ranges r = {0};
    AUTO_STRBUF copy;
    struct str guarded = markdown_guarded_copy(text, &copy);
    size_t at = 0;
    math_find(guarded, MARKDOWN_FLAGS, &r);
    for (size_t i = 0; i < r.n; i++) {
        const struct math_range *f = &r.ranges[i];
        size_t from = f->at + f->delimiter, to = f->end - f->delimiter;
        strbuf_add(out, guarded.s + at, f->at - at);
        add_formula(out, (struct str){guarded.s + from, to - from}, f->display);
        at = f->end;
    }
    strbuf_add(out, guarded.s + at, guarded.len - at);
    free(r.ranges);
}
