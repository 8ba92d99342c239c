/*
 * All examples of the CommonMark specification. Alfred renders some things differently on purpose; its rules
 * are applied to the expected HTML (own_rules()), and then every example must match byte for byte, but for
 * those that docs/markdown.md lists by number with a reason. The same page lists which examples each rule
 * touches; both lists are checked in both directions, so that the page stays current: an example that begins
 * to match must leave its list.
 */
#include "unit.h"

#include "codec/html.h"
#include "codec/markdown/markdown.h"
#include "codec/url.h"
#include "commonmark_spec.h"
#include "without_dir.h"

#define PAGE     "docs/markdown.md"
#define HTML_MAX (1 << 16)

enum rule { HEADINGS, CODE, LINKS, IMAGES, RULES };

static const char *const rule_names[RULES] = {"headings", "code-blocks", "links", "images"};

struct ours {
    bool touched[RULES];
    bool in_code, in_link;
};

static struct str attribute(struct str tag, const char *name)
{
    const char *at = memmem(tag.s, tag.len, name, strlen(name));
    if (!at)
        return STR("");
    struct str rest = {at + strlen(name), tag.len - (size_t)(at - tag.s) - strlen(name)};
    return str_cut(&rest, '"');
}

static void add_link(struct strbuf *out, struct str href, struct str title)
{
    strbuf_addf(out, "<a href=\"%.*s\"", STR_FMT(href));
    if (title.len)
        strbuf_addf(out, " title=\"%.*s\"", STR_FMT(title));
    strbuf_adds(out, " rel=\"noopener noreferrer nofollow\" target=\"_blank\">");
}

static void our_image(struct ours *h, struct str tag, struct strbuf *out)
{
    struct str src = attribute(tag, "src=\""), alt = attribute(tag, "alt=\"");
    bool link = url_link_allowed(src) && !h->in_link;
    h->touched[IMAGES] = true;
    if (link)
        add_link(out, src, attribute(tag, " title=\""));
    strbuf_addstr(out, alt);
    if (link)
        strbuf_adds(out, "</a>");
}

static void our_code(struct ours *h, struct str tag, struct strbuf *out)
{
    struct str lang = attribute(tag, "class=\"language-");
    h->touched[CODE] = true;
    char word[32];
    size_t n = 0;
    for (size_t i = 0; i < lang.len && n < sizeof word; i++)
        if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+#._-", lang.s[i]))
            word[n++] = lang.s[i];
    strbuf_addf(out,
        "<div class=\"code\"><div class=\"code-head\"><span class=\"code-lang\">%.*s</span>"
        "<button type=\"button\" class=\"code-copy\" hidden>Copy</button></div><pre tabindex=\"0\"><code",
        (int)n, word);
    if (n)
        strbuf_addf(out, " class=\"language-%.*s\"", (int)n, word);
    strbuf_addc(out, '>');
    h->in_code = true;
}

static void our_tag(struct ours *h, struct str tag, struct strbuf *out)
{
    if (tag.len >= 4 && (tag.s[1] == 'h' || tag.s[2] == 'h') && strchr("123456", tag.s[tag.len - 2])) {
        char level = (char)(tag.s[tag.len - 2] + 2);
        h->touched[HEADINGS] = true;
        strbuf_add(out, tag.s, tag.len - 2);
        strbuf_addf(out, "%c>", level > '6' ? '6' : level);
    } else if (str_starts(tag, STR("<pre><code"))) {
        our_code(h, tag, out);
    } else if (h->in_code && str_is(tag, "</pre>")) {
        strbuf_adds(out, "</pre></div>");
        h->in_code = false;
    } else if (str_starts(tag, STR("<a href="))) {
        struct str href = attribute(tag, "href=\"");
        h->touched[LINKS] = true;
        h->in_link = url_link_allowed(href);
        if (h->in_link)
            add_link(out, href, attribute(tag, " title=\""));
    } else if (str_is(tag, "</a>")) {
        strbuf_adds(out, h->in_link ? "</a>" : "");
        h->in_link = false;
    } else if (str_starts(tag, STR("<img "))) {
        our_image(h, tag, out);
    } else {
        strbuf_addstr(out, tag);
    }
}

static void own_rules(struct ours *h, struct str html, struct strbuf *out)
{
    for (size_t at = 0, n; at < html.len; at += n) {
        const char *end = html.s[at] == '<' ? memchr(html.s + at, '>', html.len - at) : NULL;
        n = 1;
        if (end) {
            n = (size_t)(end - (html.s + at)) + 1;
            if (n == 5 && memcmp(html.s + at, "<pre>", 5) == 0 &&
                (end = memchr(end + 1, '>', html.len - at - 5)))
                n = (size_t)(end - (html.s + at)) + 1; /* <pre><code ...> is one thing here */
            our_tag(h, (struct str){html.s + at, n}, out);
        } else {
            html_escape(out, html.s[at] == '\'' ? STR("'") : STR(""));
            if (html.s[at] != '\'')
                strbuf_addc(out, html.s[at]);
        }
    }
}

/* The numbers in the page's row for `name`: "| name | words | 1, 3-5 |". */
static void read_row(const char *page, const char *name, bool listed[SPEC_EXAMPLES])
{
    char start[64];
    snprintf(start, sizeof start, "\n| %s |", name);
    const char *row = strstr(page, start);
    assert_non_null(row);
    row = strchr(row + strlen(start), '|');
    assert_non_null(row);
    for (char *at = (char *)(uintptr_t)row + 1; *at != '|' && *at != '\n';) {
        if (*at < '0' || *at > '9') {
            at++;
            continue;
        }
        unsigned long from = strtoul(at, &at, 10), to = *at == '-' ? strtoul(at + 1, &at, 10) : from;
        assert_true(from >= 1 && from <= to && to <= SPEC_EXAMPLES);
        for (; from <= to; from++)
            listed[from - 1] = true;
    }
}

static void print_row(const char *name, const bool is[SPEC_EXAMPLES])
{
    print_error("%s:", name);
    for (size_t i = 0, j; i < SPEC_EXAMPLES; i = j + 1) {
        for (j = i; is[i] && j + 1 < SPEC_EXAMPLES && is[j + 1]; j++)
            ;
        if (is[i])
            print_error(j > i ? " %zu-%zu," : " %zu,", i + 1, j + 1);
    }
    print_error("\n");
}

static void read_page(struct strbuf *page)
{
    FILE *f = fopen(PAGE, "r");
    assert_non_null(f);
    for (int c; (c = getc(f)) != EOF;)
        strbuf_addc(page, (char)c);
    fclose(f);
}

static bool renders_as(struct str markdown, struct str want)
{
    AUTO_STRBUF have;
    strbuf_init(&have, HTML_MAX);
    assert_int_equal(markdown_html(markdown, &have, NULL), RC_OK);
    without_dir(&have);
    return str_eq(strbuf_str(&have), want);
}

static const char *const reasons[] = {"raw-html", "references", "extensions", "strict-links", "old-md4c"};

TEST(commonmark_examples_match_but_for_those_the_page_lists)
{
    AUTO(arena) a = arena_new();
    const struct spec_example *all = spec_examples(a);
    AUTO_STRBUF page;
    strbuf_init(&page, 1 << 18);
    read_page(&page);
    static bool listed[SPEC_EXAMPLES], differs[SPEC_EXAMPLES];
    for (size_t r = 0; r < ARRAY_LEN(reasons); r++) {
        static bool one[SPEC_EXAMPLES];
        memset(one, 0, sizeof one);
        read_row(page.s, reasons[r], one);
        for (size_t i = 0; i < SPEC_EXAMPLES; i++) {
            assert_false(one[i] && listed[i]); /* one reason each */
            listed[i] |= one[i];
        }
    }
    for (size_t i = 0; i < SPEC_EXAMPLES; i++) {
        struct ours h = {0};
        AUTO_STRBUF want;
        strbuf_init(&want, HTML_MAX);
        own_rules(&h, all[i].html, &want);
        differs[i] = !renders_as(all[i].markdown, strbuf_str(&want));
        if (differs[i] != listed[i]) {
            AUTO_STRBUF have;
            strbuf_init(&have, HTML_MAX);
            markdown_html(all[i].markdown, &have, NULL);
            print_error("%zu %s\n<<<%.*s>>>\nhave %s\nwant %s\n", i + 1,
                listed[i] ? "matches now" : "differs", STR_FMT(all[i].markdown), have.s, want.s);
        }
    }
    if (memcmp(listed, differs, sizeof listed) != 0)
        print_row("differ", differs);
    assert_memory_equal(listed, differs, sizeof listed);
}

TEST(commonmark_page_lists_the_examples_of_each_rule)
{
    AUTO(arena) a = arena_new();
    const struct spec_example *all = spec_examples(a);
    AUTO_STRBUF page;
    strbuf_init(&page, 1 << 18);
    read_page(&page);
    for (int r = 0; r < RULES; r++) {
        static bool listed[SPEC_EXAMPLES], touched[SPEC_EXAMPLES];
        memset(listed, 0, sizeof listed);
        for (size_t i = 0; i < SPEC_EXAMPLES; i++) {
            struct ours h = {0};
            AUTO_STRBUF want;
            strbuf_init(&want, HTML_MAX);
            own_rules(&h, all[i].html, &want);
            touched[i] = h.touched[r];
        }
        read_row(page.s, rule_names[r], listed);
        if (memcmp(listed, touched, sizeof listed) != 0)
            print_row(rule_names[r], touched);
        assert_memory_equal(listed, touched, sizeof listed);
    }
}
