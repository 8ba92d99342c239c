/*
 * Hostile Markdown costs linear time. Each input is rendered at one size and at four times that size, in
 * processor time of this thread, and the ratio counts: it is 4 when the cost is linear and 16 when it is
 * quadratic. Other programs on the machine and its speed change both times alike.
 */
#include "unit.h"

#include "base/clock.h"
#include "base/mem.h"
#include "codec/markdown/growing/markdown_stream.h"
#include "codec/markdown/markdown.h"
#include "codec/markdown/markdown_cost.h"
#include "codec/markdown/markdown_html.h"

#ifdef __SANITIZE_ADDRESS__ /* looks for faults; the release's run measures, with sizes beyond the bounds */
#define SIZE      ((size_t)4 * 1000)
#define LIVE_SIZE ((size_t)4 * 1000)
#define MEASURES  false
#else
#define SIZE      ((size_t)64 * 1000)
#define LIVE_SIZE ((size_t)20 * 1000)
#define MEASURES  true
#endif
#define FACTOR    4
#define RATIO_MAX 8
#define SLACK_US  20000 /* first use of memory */
#define TRIES     4     /* a measurement that was disturbed is repeated */
#define HTML_MAX  ((size_t)32 << 20)

struct hostile {
    const char *before, *unit, *after;
};

/* Repetitions of `.unit` alone, unless a prefix or suffix is needed. */
static const struct hostile inputs[] = {
    /* bare addresses */
    {.unit = "www.a.b "},
    {.unit = "www.a.b\n"},
    {.unit = "http://a.b "},
    {.unit = "http://a.b("},
    {.unit = "(http://a.b"},
    {.unit = "*www.a.b* "},
    {.unit = "a@b.cc "},
    {.unit = "a@"},
    {.unit = "www."},
    {.unit = "http://"},
    {.unit = "www.a.b/~a~\n"},
    {.unit = "http://a&amp;"},
    /* links and images */
    {.unit = "["},
    {.unit = "[]("},
    {.unit = "[a]("},
    {.unit = "!["},
    {.unit = "[a]\n"},
    {.unit = "[a](b)\n"},
    {.unit = "[a](<b\n"},
    {.unit = "[a](b \"\n"},
    {.unit = "[a](b \"c\n\")\n"},
    {.unit = "[a\n]\n"},
    {.unit = "![a]\n"},
    {.unit = "> [a](b)\n"},
    {.unit = "[![a](b)](c)\n"},
    {.unit = "[a](`b`)\n"},
    {.unit = "[ab][c]"},
    {.unit = " [ab][c"},
    {"", "[ab", "][c]"},
    {.unit = "<http://a"},
    {.unit = "<a@"},
    {.unit = "<"},
    /* link definitions */
    {.unit = "[a]: b\n"},
    {.unit = "[a]:b\n[a]"},
    {.unit = "[x]: y\n[x] "},
    {.unit = "[a]: <"},
    {.unit = "[a]: b \""},
    {"[a]: /s/a\n\n", "[a]\n", ""},
    {"[a]: /s/a\n\n", "[x][a]\n", ""},
    /* emphasis, code, references, escapes */
    {.unit = "*"},
    {.unit = "_"},
    {.unit = "*a_ "},
    {.unit = "**a *"},
    {.unit = "*a**b***"},
    {.unit = "~"},
    {.unit = "~~a"},
    {.unit = "`"},
    {.unit = "`a``"},
    {.unit = "`a\n"},
    {.unit = "&"},
    {.unit = "&#1"},
    {.unit = "\\"},
    /* blocks */
    {.unit = ">"},
    {.unit = "> - "},
    {.unit = "> a\n"},
    {.unit = "- "},
    {.unit = "- a\n"},
    {.unit = "1. a\n"},
    {.unit = "* a\n   * b\n"},
    {.unit = "- [ ] a\n"},
    {.unit = "#"},
    {.unit = "# a\n"},
    {.unit = "a\n=\n"},
    {.unit = "```\n"},
    {.unit = "    a\n"},
    {.unit = "\t"},
    {.unit = " \n"},
    {.unit = "\r"},
    {.unit = "a\n"},
    {.unit = "<!--\n"},
    /* tables */
    {.unit = "|"},
    {.unit = "a|b\n---|---\n"},
    {"a|b\n-|-\n", "[a](b)|c\n", ""},
    {"", "|a", "\n---|---\n"},
    {"a|b\n---|---\n", "|", ""},
    /* formulas */
    {.unit = "$"},
    {.unit = "$$\n"},
    {.unit = "$a$ "},
    {.unit = "$a "},
    {.unit = "*$$\n"},
    {.unit = "> *$$\n"},
    {.unit = "1. $$\n"},
    {.unit = "\\("},
    {.unit = "\\(a\\) "},
    {.unit = "\\[\n"},
    {.unit = "- \\[\n"},
    {.unit = "*\\[\n"},
    {"", "*$$\n", "`\n$$\n"},
    {"", "*\\[\n", "`\n\\]\n"},
    {.unit = "\\begin{align}\n"},
    {.unit = "- \\begin{align}"},
    {.unit = "\\begin{align}x\\end{align}\n"},
    {"", "\\begin{align}x\n", "`\n\\end{align}\n"},
    {.unit = "\\[ $$ \\( "},
    {.unit = "[$$a$$]("},
    {.unit = "*a$`"},
    {"", "$a", "`$"},
};

static void fill(const struct hostile *h, size_t size, struct strbuf *text)
{
    strbuf_init(text, size + 256);
    strbuf_adds(text, h->before ? h->before : "");
    while (text->len < size)
        strbuf_adds(text, h->unit);
    strbuf_adds(text, h->after ? h->after : "");
}

typedef void cost_fn(struct str text);

static int64_t time_of(const struct hostile *h, size_t size, cost_fn *run)
{
    AUTO_STRBUF text;
    fill(h, size, &text);
    int64_t start = clock_cpu_us();
    run(strbuf_str(&text));
    return clock_cpu_us() - start;
}

static void expect_linear(const struct hostile *h, size_t size, cost_fn *run)
{
    int64_t small = 0, large = 0;
    for (int i = 0; i < TRIES; i++) {
        small = time_of(h, size, run);
        large = time_of(h, size * FACTOR, run);
        if (!MEASURES || large <= small * RATIO_MAX + SLACK_US)
            return;
    }
    fail_msg("'%s': %lld us for %zu bytes, %lld us for %zu", h->unit, (long long)small, size,
        (long long)large, size * FACTOR);
}

static void render_page(struct str text)
{
    AUTO_STRBUF out;
    strbuf_init(&out, HTML_MAX);
    assert_int_equal(markdown_html(text, &out, NULL), RC_OK);
}

TEST(markdown_costs_linear_time_for_any_text)
{
    for (size_t i = 0; i < ARRAY_LEN(inputs); i++)
        expect_linear(&inputs[i], SIZE, render_page);
}

static void ignore_block(void *arg, const struct markdown_stream_block *b)
{
    (void)arg;
    (void)b;
}

static void stream_answer(struct str text)
{
    AUTO(markdown_stream) l = markdown_stream_new(text.len);
    for (size_t at = 0, n; at < text.len; at += n) {
        n = text.len - at < 100 ? text.len - at : 100;
        assert_int_equal(markdown_stream_add(l, (struct str){text.s + at, n}, NULL), RC_OK);
        assert_int_equal(markdown_stream_update(l, ignore_block, NULL, NULL), RC_OK);
    }
}

TEST(a_live_answer_costs_about_linear_time_for_any_text)
{
    static const struct hostile some[] = {{.unit = "www.a.b "}, {.unit = "*$$\n"}, {.unit = "[a]\n"},
        {.unit = "[a](b "}, {.unit = "- a\n"}, {.unit = "**a *"}, {.unit = "|a|b\n"}};
    for (size_t i = 0; i < ARRAY_LEN(some); i++)
        expect_linear(&some[i], LIVE_SIZE, stream_answer);
}

/* ---- the effect of the bounds ---- */

static size_t count(const char *s, const char *what)
{
    size_t n = 0;
    for (; (s = strstr(s, what)); s++)
        n++;
    return n;
}

static void render(const struct hostile *h, size_t size, struct strbuf *out)
{
    AUTO_STRBUF text;
    fill(h, size, &text);
    strbuf_init(out, HTML_MAX);
    assert_int_equal(markdown_html(strbuf_str(&text), out, NULL), RC_OK);
}

TEST(a_paragraph_of_a_thousand_bare_addresses_has_a_thousand_links)
{
    AUTO_STRBUF out;
    render(&(struct hostile){.unit = "https://x.example/a/page/of/some/length?and=query\n"}, 50000, &out);
    assert_int_equal(count(out.s, "<a href"), 1000);
}

TEST(beyond_the_bound_bare_addresses_stay_text_and_all_else_is_formatted)
{
    AUTO_STRBUF out;
    render(&(struct hostile){"**b** [l](/s/ses_a)\n\n", "www.a.b ", ""}, 100000, &out);
    assert_int_equal(count(out.s, "<a href=\"https"), 0);
    assert_int_equal(count(out.s, "<strong>b</strong>"), 1);
    assert_int_equal(count(out.s, "class=\"plain\""), 0);
}

TEST(a_text_that_is_too_costly_is_shown_as_typed_in_one_block)
{
    AUTO_STRBUF out;
    render(&(struct hostile){"*a* <b>\n", "[a]\n", ""}, 100000, &out);
    assert_int_equal(strncmp(out.s, MARKDOWN_PLAIN_HTML "<pre", sizeof MARKDOWN_PLAIN_HTML "<pre" - 1), 0);
    assert_int_equal(count(out.s, "<pre dir=\"auto\">*a* &lt;b&gt;\n[a]\n[a]\n"), 1);
}

static void note_end(void *arg, size_t len)
{
    size_t *ends = arg;
    ends[0]++;
    ends[1] = len;
}

TEST(a_text_whose_time_is_used_up_is_shown_as_typed)
{
    AUTO_STRBUF out, text;
    size_t ends[2] = {0};
    strbuf_init(&out, 65536);
    strbuf_init(&text, 65536);
    strbuf_adds(&out, "..");
    strbuf_adds(&text, "a\n\n");
    for (int i = 0; i < 1000; i++) /* more than the callbacks before the first check of the clock */
        strbuf_adds(&text, "- *b* $x$\n");
    assert_int_equal(markdown_blocks_within(0, strbuf_str(&text), &out, note_end, ends, NULL), RC_OK);
    assert_int_equal(strncmp(out.s, "..<div class=\"plain\">", 21), 0);
    assert_non_null(strstr(out.s, "<pre dir=\"auto\">a\n\n- *b* $x$\n"));
    assert_int_equal(ends[0], 1);
    assert_int_equal(ends[1], out.len);
}

/* ---- the estimate ---- */

static uint64_t brackets(const char *before, const char *unit, size_t times)
{
    AUTO_STRBUF text;
    strbuf_init(&text, 1 << 20);
    strbuf_adds(&text, before);
    while (times--)
        strbuf_adds(&text, unit);
    return markdown_cost(strbuf_str(&text)).brackets;
}

TEST(no_text_costs_more_than_the_bound_of_its_length)
{
    static const char *const units[] = {
        "]", "]\n", "w.", "://", "a\n", "]w.\n", "]]://", "\r", "w.w.w.]\r\n"};
    for (size_t u = 0; u < ARRAY_LEN(units); u++) {
        AUTO_STRBUF text;
        strbuf_init(&text, 4096);
        for (int i = 0; i < 200; i++) {
            struct markdown_cost c = markdown_cost(strbuf_str(&text));
            assert_true(c.addresses + c.brackets <= markdown_cost_bound(text.len));
            strbuf_adds(&text, units[u]);
        }
    }
}

TEST(brackets_cost_the_lines_up_to_the_next_blank_one)
{
    assert_int_equal(brackets("", "[a]\n", 100), 100 * 100);
    assert_int_equal(brackets("", "[a]\n\n", 100), 100);
    assert_int_equal(brackets("", "[a]\r\n\t\r\n", 100), 100);
    assert_int_equal(brackets("", "a\n", 100), 0);
}

TEST(fenced_code_costs_nothing)
{
    assert_int_equal(brackets("```json\n", "[a]\n", 100), 0);
    assert_int_equal(brackets("~~~~\n~~~\n", "[a]\n", 100), 0);
    assert_int_equal(brackets("```\n   ```\n", "[a]\n", 100), 100 * 100);
}

/* The fence ends with its container, or is not a fence: the brackets are text. */
TEST(a_fence_that_may_not_be_one_hides_nothing)
{
    static const char *const starts[] = {"- a\n  ```\n", "> ```\n", "1. ```\n", "   ```\n```\n",
        "a\n    ```\n", "\t```\n", "- ~~~\n", "``` `\n", "- > ```\n```\n"};
    for (size_t i = 0; i < ARRAY_LEN(starts); i++)
        assert_true(brackets(starts[i], "[a]\n", 100) >= 100 * 100);
}

TEST(addresses_cost_the_bytes_up_to_the_next_blank_line)
{
    assert_int_equal(markdown_cost(STR("www.a http://b\n\nWWW.c\n")).addresses, 2 * 15 + 6);
    assert_int_equal(markdown_cost(STR("a@b.cc a.b\n")).addresses, 0);
}
