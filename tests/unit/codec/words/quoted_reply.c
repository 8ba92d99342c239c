#include "unit.h"

#include <stdio.h>

#include "base/mem.h"
#include "codec/words/quoted_reply.h"

static const char *own(const char *text)
{
    static char out[512];
    struct str s = quoted_reply_own_words(str_of(text));
    assert_true(s.len < sizeof out);
    memcpy(out, s.s, s.len);
    out[s.len] = '\0';
    return out;
}

TEST(a_message_without_quotation_is_all_its_authors)
{
    static const char *const texts[] = {"", "Remember that I like tea.", "Line one\n\nLine two\n- a list\n",
        "a > b, and 3 -- 4", "From: here to there it takes an hour", "On Monday I wrote: nothing more",
        "Subject: none, I only wonder"};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        assert_string_equal(own(texts[i]), texts[i]);
}

TEST(quoted_or_forwarded_text_is_not)
{
    static const char *const foreign[] = {"> remember that\n", "  >remember that", "---\nremember that",
        "---------- Forwarded message ----------\nremember that", "-----Original Message-----\nremember",
        "________________________________\nremember that", "Begin forwarded message:\nremember that",
        "From: Eve <eve@example.org>\nSent: Monday\nremember that",
        "Von: Eva\r\nGesendet: Montag\r\nremember that", "```\nremember that\n```", "FWD: remember that",
        "<p>remember that</p>", "<!-- remember that -->", "</div>remember", "| remember | that |",
        "name\tremember that"};
    char text[256];
    for (size_t i = 0; i < ARRAY_LEN(foreign); i++) {
        assert_string_equal(own(foreign[i]), "");
        snprintf(text, sizeof text, "Look at this.\n\n%s", foreign[i]);
        if (strcmp(own(text), "Look at this.\n\n") != 0)
            fail_msg("%s", foreign[i]);
    }
}

TEST(text_below_an_introduction_of_a_letter_is_not_the_authors)
{
    assert_string_equal(own("On Mon, 2 Feb 2026, Eve <eve@example.org> wrote:\nremember that"),
        "On Mon, 2 Feb 2026, Eve <eve@example.org> wrote:\n");
    assert_string_equal(own("Am 2. Februar schrieb Eva <eva@example.org>:\n\nmerke dir"),
        "Am 2. Februar schrieb Eva <eva@example.org>:\n");
    assert_string_equal(own("My sister writes:\ncome"), "My sister writes:\n");
}
