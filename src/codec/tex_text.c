/*
 * Formulas as text. One pass from left to right; groups recurse, at most DEPTH_MAX deep: a deeper group is
 * written as it is.
 */
#include "codec/tex_text.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/mem.h"

#define DEPTH_MAX    16
#define NAME_MAX_LEN 24

struct symbol {
    const char *name, *is;
};

/* Sorted by name. Names without a sign of their own (\left, \displaystyle) have "". */
static const struct symbol SYMBOLS[] = {{" ", " "}, {"!", ""}, {"#", "#"}, {"$", "$"}, {"%", "%"}, {"&", "&"},
    {",", " "}, {":", " "}, {";", " "}, {"Big", ""}, {"Bigg", ""}, {"Bigl", ""}, {"Bigr", ""}, {"Delta", "Δ"},
    {"Gamma", "Γ"}, {"Im", "ℑ"}, {"Lambda", "Λ"}, {"Leftarrow", "⇐"}, {"Leftrightarrow", "⇔"},
    {"Longrightarrow", "⟹"}, {"Omega", "Ω"}, {"Phi", "Φ"}, {"Pi", "Π"}, {"Pr", "Pr"}, {"Psi", "Ψ"},
    {"Re", "ℜ"}, {"Rightarrow", "⇒"}, {"Sigma", "Σ"}, {"Theta", "Θ"}, {"Upsilon", "Υ"}, {"Vert", "‖"},
    {"Xi", "Ξ"}, {"\\", "\n"}, {"_", "_"}, {"aleph", "ℵ"}, {"alpha", "α"}, {"angle", "∠"}, {"approx", "≈"},
    {"arccos", "arccos"}, {"arcsin", "arcsin"}, {"arctan", "arctan"}, {"arg", "arg"}, {"ast", "∗"},
    {"backslash", "\\"}, {"because", "∵"}, {"beta", "β"}, {"big", ""}, {"bigg", ""}, {"bigl", ""},
    {"bigr", ""}, {"blacksquare", "■"}, {"bmod", "mod"}, {"bullet", "•"}, {"cap", "∩"}, {"cdot", "·"},
    {"cdots", "⋯"}, {"checkmark", "✓"}, {"chi", "χ"}, {"circ", "∘"}, {"cong", "≅"}, {"cos", "cos"},
    {"cosh", "cosh"}, {"cot", "cot"}, {"csc", "csc"}, {"cup", "∪"}, {"deg", "deg"}, {"degree", "°"},
    {"delta", "δ"}, {"det", "det"}, {"dim", "dim"}, {"displaystyle", ""}, {"div", "÷"}, {"dots", "…"},
    {"downarrow", "↓"}, {"ell", "ℓ"}, {"emptyset", "∅"}, {"epsilon", "ϵ"}, {"equiv", "≡"}, {"eta", "η"},
    {"exists", "∃"}, {"exp", "exp"}, {"forall", "∀"}, {"gamma", "γ"}, {"gcd", "gcd"}, {"ge", "≥"},
    {"geq", "≥"}, {"gets", "←"}, {"gg", "≫"}, {"hbar", "ℏ"}, {"iff", "⇔"}, {"iint", "∬"}, {"implies", "⇒"},
    {"in", "∈"}, {"inf", "inf"}, {"infty", "∞"}, {"int", "∫"}, {"iota", "ι"}, {"kappa", "κ"}, {"ker", "ker"},
    {"lambda", "λ"}, {"land", "∧"}, {"langle", "⟨"}, {"lbrace", "{"}, {"lceil", "⌈"}, {"ldots", "…"},
    {"le", "≤"}, {"left", ""}, {"leftarrow", "←"}, {"leftrightarrow", "↔"}, {"leq", "≤"}, {"lfloor", "⌊"},
    {"lim", "lim"}, {"limits", ""}, {"ll", "≪"}, {"ln", "ln"}, {"lnot", "¬"}, {"log", "log"},
    {"longrightarrow", "⟶"}, {"lor", "∨"}, {"mapsto", "↦"}, {"max", "max"}, {"mid", "|"}, {"middle", ""},
    {"min", "min"}, {"mod", "mod"}, {"mp", "∓"}, {"mu", "μ"}, {"nabla", "∇"}, {"ne", "≠"}, {"neg", "¬"},
    {"neq", "≠"}, {"newline", "\n"}, {"nexists", "∄"}, {"ni", "∋"}, {"nolimits", ""}, {"nonumber", ""},
    {"notin", "∉"}, {"nu", "ν"}, {"oint", "∮"}, {"omega", "ω"}, {"oplus", "⊕"}, {"otimes", "⊗"},
    {"parallel", "∥"}, {"partial", "∂"}, {"perp", "⊥"}, {"phi", "ϕ"}, {"pi", "π"}, {"pm", "±"},
    {"pmod", "mod "}, {"prime", "′"}, {"prod", "∏"}, {"propto", "∝"}, {"psi", "ψ"}, {"qquad", "  "},
    {"quad", "  "}, {"rangle", "⟩"}, {"rbrace", "}"}, {"rceil", "⌉"}, {"rfloor", "⌋"}, {"rho", "ρ"},
    {"right", ""}, {"rightarrow", "→"}, {"sec", "sec"}, {"setminus", "∖"}, {"sigma", "σ"}, {"sim", "∼"},
    {"simeq", "≃"}, {"sin", "sin"}, {"sinh", "sinh"}, {"square", "□"}, {"star", "⋆"}, {"subset", "⊂"},
    {"subseteq", "⊆"}, {"sum", "∑"}, {"sup", "sup"}, {"supset", "⊃"}, {"supseteq", "⊇"}, {"tan", "tan"},
    {"tanh", "tanh"}, {"tau", "τ"}, {"textstyle", ""}, {"therefore", "∴"}, {"theta", "θ"}, {"times", "×"},
    {"to", "→"}, {"triangle", "△"}, {"uparrow", "↑"}, {"upsilon", "υ"}, {"varepsilon", "ε"},
    {"varnothing", "∅"}, {"varphi", "φ"}, {"varpi", "ϖ"}, {"varrho", "ϱ"}, {"varsigma", "ς"},
    {"vartheta", "ϑ"}, {"vdots", "⋮"}, {"vee", "∨"}, {"vert", "|"}, {"wedge", "∧"}, {"xi", "ξ"},
    {"zeta", "ζ"}, {"{", "{"}, {"|", "‖"}, {"}", "}"}};

struct tex {
    struct str rest;
    struct strbuf *out;
    unsigned depth;
};

static void convert(struct strbuf *out, struct str tex, unsigned depth);

static char peek(const struct tex *t)
{
    return t->rest.len ? t->rest.s[0] : 0;
}

static void advance(struct tex *t, size_t n)
{
    t->rest = (struct str){t->rest.s + n, t->rest.len - n};
}

static void skip_space(struct tex *t)
{
    while (isspace((unsigned char)peek(t)))
        advance(t, 1);
}

/* After a backslash: the letters of a name, or one other character. */
static struct str take_name(struct tex *t)
{
    size_t n = 0;
    while (n < t->rest.len && isalpha((unsigned char)t->rest.s[n]))
        n++;
    if (n == 0 && t->rest.len)
        n = 1;
    struct str name = {t->rest.s, n};
    advance(t, n);
    return name;
}

/* What the next command or script applies to: a group without its braces, a command, or one character. */
static struct str take_argument(struct tex *t)
{
    skip_space(t);
    struct str from = t->rest;
    if (peek(t) == '\\') {
        advance(t, 1);
        take_name(t);
        return (struct str){from.s, (size_t)(t->rest.s - from.s)};
    }
    if (peek(t) != '{') {
        size_t n = t->rest.len > 0;
        while (n < t->rest.len && ((unsigned char)t->rest.s[n] & 0xC0) == 0x80)
            n++;
        advance(t, n);
        return (struct str){from.s, n};
    }
    size_t depth = 0, i = 0;
    for (; i < from.len; i++) {
        if (from.s[i] == '\\' && i + 1 < from.len)
            i++;
        else if (from.s[i] == '{')
            depth++;
        else if (from.s[i] == '}' && --depth == 0)
            break;
    }
    bool closed = i < from.len;
    advance(t, closed ? i + 1 : from.len);
    return (struct str){from.s + 1, (closed ? i : from.len) - 1};
}

/* Whether a converted text is one thing, which needs no parentheses: a number, a word, or one sign. */
static bool is_simple(struct str s)
{
    size_t chars = 0;
    bool word = true;
    for (size_t i = 0; i < s.len; i++) {
        chars += ((unsigned char)s.s[i] & 0xC0) != 0x80;
        word &= isalnum((unsigned char)s.s[i]) || s.s[i] == '.';
    }
    return chars <= 1 || word;
}

/* Appends an argument, in parentheses where it would be misread without. */
static void add_argument(struct tex *t, struct str argument)
{
    AUTO_STRBUF b;
    strbuf_init(&b, TEX_TEXT_MAX(argument.len));
    convert(&b, argument, t->depth + 1);
    struct str s = str_trim(strbuf_str(&b));
    bool simple = is_simple(s);
    strbuf_adds(t->out, simple ? "" : "(");
    strbuf_addstr(t->out, s);
    strbuf_adds(t->out, simple ? "" : ")");
}

static void add_fraction(struct tex *t)
{
    struct str above = take_argument(t), below = take_argument(t);
    add_argument(t, above);
    strbuf_addc(t->out, '/');
    add_argument(t, below);
}

static void add_root(struct tex *t)
{
    skip_space(t);
    if (peek(t) == '[') {
        advance(t, 1);
        struct str degree = str_cut(&t->rest, ']');
        if (!t->rest.s)
            t->rest = STR("");
        if (str_is(degree, "3"))
            strbuf_adds(t->out, "∛");
        else if (str_is(degree, "4"))
            strbuf_adds(t->out, "∜");
        else {
            add_argument(t, degree);
            strbuf_adds(t->out, "√");
        }
    } else {
        strbuf_adds(t->out, "√");
    }
    add_argument(t, take_argument(t));
}

/* ^ and _ are written as they are, since few letters have a raised form. */
static void add_script(struct tex *t, char mark)
{
    struct str argument = take_argument(t);
    if (mark == '^' && (str_is(argument, "\\circ") || str_is(argument, "\\prime"))) {
        strbuf_adds(t->out, str_is(argument, "\\circ") ? "°" : "′");
        return;
    }
    if (mark == '^' && (str_is(argument, "2") || str_is(argument, "3"))) {
        strbuf_adds(t->out, argument.s[0] == '2' ? "²" : "³");
        return;
    }
    strbuf_addc(t->out, mark);
    add_argument(t, argument);
}

static int compare(const void *key, const void *row)
{
    return strcmp(key, ((const struct symbol *)row)->name);
}

static const struct symbol *find_symbol(struct str name)
{
    char word[NAME_MAX_LEN];
    if (name.len >= sizeof word)
        return NULL;
    memcpy(word, name.s, name.len);
    word[name.len] = 0;
    return bsearch(word, SYMBOLS, ARRAY_LEN(SYMBOLS), sizeof *SYMBOLS, compare);
}

static bool among(struct str name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_is(name, names[i]))
            return true;
    return false;
}

static void add_command(struct tex *t)
{
    static const char *const fractions[] = {"frac", "dfrac", "tfrac", "cfrac"};
    static const char *const plain[] = {"text", "textrm", "textbf", "textit", "mbox"};
    static const char *const wrappers[] = {"mathrm", "mathbf", "mathit", "mathsf", "mathcal", "mathfrak",
        "boldsymbol", "operatorname", "hat", "vec", "bar", "overline", "underline", "tilde", "dot", "ddot",
        "boxed", "mathbb"};
    struct str name = take_name(t);
    if (among(name, fractions, ARRAY_LEN(fractions)))
        return add_fraction(t);
    if (str_is(name, "sqrt"))
        return add_root(t);
    if (among(name, plain, ARRAY_LEN(plain))) {
        strbuf_addstr(t->out, take_argument(t));
        return;
    }
    if (str_is(name, "begin") || str_is(name, "end")) { /* rows and columns are readable without */
        if (str_is(take_argument(t), "array") && peek(t) == '{' && str_is(name, "begin"))
            take_argument(t); /* its columns */
        return;
    }
    const struct symbol *s = find_symbol(name);
    if (s) {
        strbuf_adds(t->out, s->is);
        if (!*s->is)
            skip_space(t);
        return;
    }
    if (among(name, wrappers, ARRAY_LEN(wrappers)) && peek(t) == '{') {
        convert(t->out, take_argument(t), t->depth + 1);
        return;
    }
    strbuf_addc(t->out, '\\');
    strbuf_addstr(t->out, name);
}

static void convert(struct strbuf *out, struct str tex, unsigned depth)
{
    struct tex t = {tex, out, depth};
    if (depth > DEPTH_MAX) {
        strbuf_addstr(out, tex);
        return;
    }
    while (t.rest.len) {
        char c = t.rest.s[0];
        if (c == '{') {
            convert(out, take_argument(&t), depth + 1);
            continue;
        }
        advance(&t, 1);
        if (c == '\\')
            add_command(&t);
        else if (c == '^' || c == '_')
            add_script(&t, c);
        else if (c == '&' || c == '~')
            strbuf_addc(out, ' ');
        else if (c != '}')
            strbuf_addc(out, c);
    }
}

/* Runs of blanks become one. */
void tex_text(struct strbuf *out, struct str tex)
{
    AUTO_STRBUF b;
    strbuf_init(&b, TEX_TEXT_MAX(tex.len));
    convert(&b, tex, 0);
    struct str s = str_trim(strbuf_str(&b));
    for (size_t i = 0; i < s.len; i++) {
        bool blank = s.s[i] == ' ' || s.s[i] == '\t';
        if (blank && out->len && (out->s[out->len - 1] == ' ' || out->s[out->len - 1] == '\n'))
            continue;
        strbuf_addc(out, blank ? ' ' : s.s[i]);
    }
}
