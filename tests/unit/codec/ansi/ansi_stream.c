#include "unit.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/ansi/ansi_markdown.h"
#include "codec/ansi/ansi_stream.h"

#define OUT_MAX (1 << 20)
#define ROWS    200

/* A terminal: lines, of which the last is the cursor's. Escape sequences of styles are kept as text. */
struct screen {
    char *lines[4096];
    size_t n; /* the cursor's line */
};

static void screen_write(struct screen *t, const char *s)
{
    while (*s) {
        size_t up = 0;
        char end = 0;
        int used = 0;
        if (sscanf(s, "\x1b[%zu%c%n", &up, &end, &used) == 2 && end == 'A') {
            assert_true(up <= t->n);
            t->n -= up;
            s += used;
        } else if (strncmp(s, "\r\x1b[J", 4) == 0) {
            for (size_t i = t->n; i < 4096; i++) {
                free(t->lines[i]);
                t->lines[i] = NULL;
            }
            s += 4;
        } else {
            size_t len = strcspn(s, "\n");
            assert_true(s[len] == '\n'); /* whole lines only */
            free(t->lines[t->n]);
            t->lines[t->n++] = strndup(s, len + 1);
            s += len + 1;
        }
    }
}

static void screen_text(struct screen *t, struct strbuf *out)
{
    strbuf_init(out, OUT_MAX);
    for (size_t i = 0; i < t->n; i++)
        strbuf_adds(out, t->lines[i]);
    for (size_t i = 0; i < 4096; i++)
        free(t->lines[i]);
}

static void grows_to_the_same(const char *text, size_t step, size_t columns)
{
    static const struct ansi_look no_look;
    struct ansi_look look = no_look;
    struct screen t = {.n = 0};
    AUTO(ansi_stream) s = ansi_stream_new();
    AUTO_STRBUF out, screen, whole;
    setlocale(LC_CTYPE, "C.UTF-8");
    look.columns = columns;
    strbuf_init(&out, OUT_MAX);
    for (size_t at = 0, n; at < strlen(text); at += n) {
        n = strlen(text) - at < step ? strlen(text) - at : step;
        while (at + n < strlen(text) && (text[at + n] & 0xC0) == 0x80)
            n++;
        ansi_stream_add(s, (struct str){text + at, n});
        strbuf_clear(&out);
        ansi_stream_update(s, look, ROWS, &out);
        screen_write(&t, out.s);
    }
    strbuf_clear(&out);
    ansi_stream_end(s, look, ROWS, &out);
    screen_write(&t, out.s);
    screen_text(&t, &screen);
    strbuf_init(&whole, OUT_MAX);
    ansi_markdown(str_of(text), look, &whole);
    assert_string_equal(screen.s, whole.s);
}

static const char example[] =
    "# Title\n\nSome **bold** text with a [link](https://a.b) and more words to wrap.\n\n"
    "- one\n- two\n\n  more\n- three\n\n1. a\n\nText\n\n```c\nint x;\n\n- y\n```\nAfter the code\n\n"
    "| a | b |\n|---|---|\n| longer cell | 2 |\n\n> quote\n> more\n\nÜmläut $x^2$ end";

TEST(ansi_stream_shows_what_the_whole_text_shows)
{
    for (size_t step = 1; step < 40; step += 3) {
        grows_to_the_same(example, step, 30);
        grows_to_the_same(example, step, 80);
    }
}

TEST(ansi_stream_leaves_finished_blocks_alone)
{
    struct ansi_look look = {.columns = 40};
    AUTO(ansi_stream) s = ansi_stream_new();
    AUTO_STRBUF out;
    strbuf_init(&out, OUT_MAX);
    ansi_stream_add(s, STR("one\n\ntwo"));
    ansi_stream_update(s, look, 24, &out);
    assert_string_equal(out.s, "one\n\ntwo\n");
    strbuf_clear(&out);
    ansi_stream_update(s, look, 24, &out);
    assert_string_equal(out.s, "");
    ansi_stream_add(s, STR(" three"));
    ansi_stream_update(s, look, 24, &out);
    assert_string_equal(out.s, "\x1b[1A\r\x1b[Jtwo three\n");
}

TEST(ansi_stream_never_writes_above_the_window)
{
    struct ansi_look look = {.columns = 10};
    AUTO(ansi_stream) s = ansi_stream_new();
    AUTO_STRBUF out;
    strbuf_init(&out, OUT_MAX);
    ansi_stream_add(s, STR("| a |\n|---|\n| 1 |\n| 2 |\n| 3 |\n| 4 |\n"));
    ansi_stream_update(s, look, 4, &out);
    strbuf_clear(&out);
    ansi_stream_add(s, STR("| longer |\n"));
    ansi_stream_update(s, look, 4, &out);
    assert_true(strncmp(out.s, "\x1b[", 2) == 0);
    assert_true(atoi(out.s + 2) <= 3);
}

TEST(ansi_stream_without_cursor_movement_shows_finished_blocks)
{
    struct ansi_look look = {.columns = 40};
    AUTO(ansi_stream) s = ansi_stream_new();
    AUTO_STRBUF out;
    strbuf_init(&out, OUT_MAX);
    ansi_stream_add(s, STR("one\n\ntwo"));
    ansi_stream_update(s, look, 0, &out);
    ansi_stream_end(s, look, 0, &out);
    assert_string_equal(out.s, "one\n\ntwo\n");
}
