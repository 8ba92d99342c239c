#include "unit.h"

#include "codec/ansi/ansi_markdown.h"
#include "codec/markdown/markdown.h"
#include "codec/markdown/markdown_adapt.h"
#include "codec/markdown/markdown_cjk.h"
#include "without_dir.h"

#define OUT_MAX 4096

static void expect(const char *text, const char *html)
{
    AUTO_STRBUF out;
    strbuf_init(&out, OUT_MAX);
    assert_int_equal(markdown_html(str_of(text), &out, NULL), RC_OK);
    without_dir(&out);
    assert_string_equal(out.s, html);
}

TEST(bold_text_ends_and_begins_beside_punctuation_of_scripts_without_spaces)
{
    expect("**「重要」**です。これは**重要。**です。",
        "<p><strong>「重要」</strong>です。これは<strong>重要。</strong>です。</p>\n");
    expect("**中文（括号）**后面", "<p><strong>中文（括号）</strong>后面</p>\n");
    expect("그는**\"인용\"**을 말했다", "<p>그는<strong>&quot;인용&quot;</strong>을 말했다</p>\n");
    expect("คำ**“สำคัญ”**ที่สุด", "<p>คำ<strong>“สำคัญ”</strong>ที่สุด</p>\n");
    expect("**`代码`**是", "<p><strong><code>代码</code></strong>是</p>\n");
    expect("***注意：***请看", "<p><em><strong>注意：</strong></em>请看</p>\n");
    expect("> - **日本語。**テスト\n",
        "<blockquote>\n<ul>\n<li><strong>日本語。</strong>テスト</li>\n</ul>\n</blockquote>\n");
    expect("|名|値|\n|-|-|\n|a|**重要。**です|\n",
        "<div class=\"table-scroll\" role=\"region\" aria-label=\"名, 値\" "
        "tabindex=\"0\"><table>\n<thead>\n<tr>\n"
        "<th>名</th>\n<th>値</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>a</td>\n"
        "<td><strong>重要。</strong>です</td>\n</tr>\n</tbody>\n</table></div>\n");
}

TEST(other_text_is_as_commonmark_has_it)
{
    expect("a**\"b\"**c", "<p>a**&quot;b&quot;**c</p>\n");
    expect("「** 重要**です", "<p>「** 重要**です</p>\n");
    expect("速度（m/s）*时间*", "<p>速度（m/s）<em>时间</em></p>\n");
    expect("\\**「重要」\\**です", "<p>**「重要」**です</p>\n");
}

TEST(code_and_addresses_stay_as_they_are)
{
    static const char *const texts[] = {
        "`は**「重要」**で`", "```\nは**「重要」**で\n```", "[あ](https://x.example/は**「a」**で)"};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        AUTO_STRBUF out;
        strbuf_init(&out, OUT_MAX);
        markdown_cjk_adapt(&out, str_of(texts[i]));
        assert_string_equal(out.s, texts[i]);
    }
    expect("    は**「重要」**で", "<div class=\"code\"><div class=\"code-head\"><span "
                                   "class=\"code-lang\"></span><button type=\"button\" "
                                   "class=\"code-copy\" hidden>Copy</button></div><pre "
                                   "tabindex=\"0\"><code>は**「重要」**で\n</code></pre></div>\n");
}

TEST(a_mark_is_never_shown)
{
    expect("a" MARKDOWN_CJK_MARK "b", "<p>ab</p>\n");
    AUTO_STRBUF plain, terminal;
    strbuf_init(&plain, OUT_MAX);
    assert_true(markdown_plain(STR("は**「重要」**で"), &plain));
    assert_string_equal(plain.s, "は「重要」で");
    strbuf_init(&terminal, OUT_MAX);
    ansi_markdown(STR("は**「重要」**で"), (struct ansi_look){.columns = 40}, &terminal);
    assert_null(strstr(terminal.s, MARKDOWN_CJK_MARK));
    assert_null(strstr(terminal.s, "**"));
}

TEST(an_adapted_text_is_not_changed_again)
{
    AUTO_STRBUF once, twice;
    strbuf_init(&once, OUT_MAX);
    strbuf_init(&twice, OUT_MAX);
    markdown_adapt(&once, STR("**「重要」**です\n|は|\n|-|\n|**あ。**い|\n"));
    markdown_adapt(&twice, strbuf_str(&once));
    assert_string_equal(once.s, twice.s);
}
