#include "unit.h"

#include <string.h>

#include "codec/qr_code.h"

TEST(a_text_becomes_a_picture_with_its_margin)
{
    AUTO(arena) a = arena_new();
    struct markup svg;
    assert_int_equal(qr_code_svg(a, "otpauth://totp/Alfred:anna?secret=MZXW6YTB", &svg, NULL), RC_OK);
    assert_int_equal(strlen(svg.html.s), svg.html.len);
    /* 42 bytes at level M are a code of version 3, which has 29 modules; 4 more on each side */
    assert_non_null(strstr(svg.html.s, "viewBox=\"0 0 37 37\""));
    /* the finder pattern in the corner: 7 dark modules, then 1, 5 light ones and 1 */
    assert_non_null(strstr(svg.html.s, "d=\"M4 4h7v1h-7z"));
    assert_non_null(strstr(svg.html.s, "M4 5h1v1h-1zM10 5h1v1h-1z"));
}

TEST(a_text_that_is_too_long_is_refused)
{
    AUTO(arena) a = arena_new();
    struct markup svg;
    char text[4000];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_int_equal(qr_code_svg(a, text, &svg, NULL), RC_TOO_BIG);
}
