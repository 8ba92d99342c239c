#include "unit.h"

#include "codec/markdown/tex_text.h"

static void reads(const char *tex, const char *expected)
{
    AUTO_STRBUF out;
    strbuf_init(&out, 4096);
    tex_text(str_of(tex), &out);
    assert_string_equal(out.s, expected);
}

static void rewrites(const char *text, const char *expected)
{
    AUTO_STRBUF out;
    strbuf_init(&out, 4096);
    tex_text_markdown(str_of(text), &out);
    assert_string_equal(out.s, expected);
}

TEST(tex_scripts_are_small_characters_when_there_are_some)
{
    reads("x^2 + y_{10}", "x² + y₁₀");
    reads("x^{2n-1}", "x²ⁿ⁻¹");
    reads("e^{i\\pi}", "e^(iπ)");
    reads("f^{[n]}", "f^([n])");
    reads("x_q", "x_q");
    reads("90^\\circ", "90°");
}

TEST(tex_fractions_and_roots_have_brackets_when_needed)
{
    reads("\\frac{1}{2}", "1/2");
    reads("\\dfrac{a+b}{\\sqrt{2}}", "(a+b)/√2");
    reads("\\sqrt[3]{x+1}", "³√(x+1)");
    reads("\\frac12", "1/2");
}

TEST(tex_symbols_and_words_are_read)
{
    reads("\\sum_{i=1}^{n} \\alpha_i \\cdot \\beta", "∑ᵢ₌₁ⁿ αᵢ · β");
    reads("\\text{if } x \\in \\mathbb{R}", "if x ∈ ℝ");
    reads("\\left( \\sin x \\right)", "( sin x )");
    reads("\\hat{x} \\to \\vec{v}", "x\u0302 → v\u20D7");
    reads("\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}", "( a b \nc d )");
    reads("50\\%", "50%");
    reads("\\unknown{x}", "\\unknownx");
}

TEST(tex_broken_formulas_are_no_harm)
{
    static const char *const broken[] = {
        "\\frac", "\\frac{", "{{{{", "}}}", "^", "_", "\\", "\\sqrt[", "x^{y^{z^{", "\\begin{", "\\left"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        AUTO_STRBUF out;
        strbuf_init(&out, 4096);
        tex_text(str_of(broken[i]), &out);
        assert_false(out.failed);
    }
}

TEST(tex_formulas_of_a_text_become_text)
{
    rewrites("Let $a_1 < b$ be", "Let a₁ \\< b be\n");
    rewrites("`$x$` and $5", "`$x$` and $5\n");
    rewrites("So\n\\begin{align}\na &= b \\\\\n&= c_1\n\\end{align}\nthen", "So\na = b\\\n= c₁\nthen\n");
}
