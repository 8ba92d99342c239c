#include "cli/chat/screen.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "codec/ansi/ansi_stream.h"
#include "codec/ansi/terminal_text.h"

#define OUTPUT_MAX   ((size_t)64 * 1024 * 1024)
#define UPDATE_MS    30
#define COST_SHARE   4 /* rendering takes at most one part in so many of the time */
#define COLUMNS_ELSE 80
#define ROWS_ELSE    24
#define COLUMNS_MIN  20
#define RESET        "\x1b[0m"
#define DIM          "\x1b[0;2m"
#define CLEAR_LINE   "\r\x1b[J"

struct screen {
    struct ansi_stream *answer;
    struct strbuf text; /* to write next */
    struct loop_timer *timer;
    bool armed;          /* the timer */
    int64_t updated_ms;  /* monotonic */
    int64_t interval_ms; /* between updates */
    bool styled, moves;  /* colours; the cursor */
    bool status;         /* the last line is a status */
    bool failed;
};

/* For screen_restore() in a signal handler: written before `hidden` is set. */
static struct termios echoing;
static volatile sig_atomic_t hidden;

void screen_restore(void)
{
    static const char reset[] = RESET;
    if (!hidden)
        return;
    hidden = 0;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &echoing);
    if (write(STDOUT_FILENO, reset, sizeof reset - 1) < 0)
        return;
}

static void hide_keys(void)
{
    struct termios quiet;
    if (hidden || tcgetattr(STDIN_FILENO, &echoing) != 0)
        return;
    quiet = echoing;
    quiet.c_lflag &= ~(tcflag_t)ECHO;
    hidden = 1;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &quiet);
}

static void show_keys(void)
{
    if (hidden)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &echoing);
    hidden = 0;
}

struct screen *screen_new(void)
{
    const char *colours = getenv("NO_COLOR"), *term = getenv("TERM");
    struct screen *s = xcalloc(1, sizeof *s);
    s->moves = term && *term && strcmp(term, "dumb") != 0;
    s->styled = s->moves && !(colours && *colours);
    s->interval_ms = UPDATE_MS;
    s->answer = ansi_stream_new();
    strbuf_init(&s->text, OUTPUT_MAX);
    return s;
}

void screen_free(struct screen *s)
{
    if (!s)
        return;
    show_keys();
    loop_timer_free(s->timer);
    ansi_stream_free(s->answer);
    strbuf_release(&s->text);
    free(s);
}

bool screen_failed(const struct screen *s)
{
    return s->failed;
}

static void window(size_t *columns, size_t *rows)
{
    struct winsize w = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0)
        w = (struct winsize){0};
    *columns = w.ws_col ? w.ws_col : COLUMNS_ELSE;
    *columns = (*columns < COLUMNS_MIN ? COLUMNS_MIN : *columns) - 1; /* the last one would wrap the line */
    *rows = w.ws_row ? w.ws_row : ROWS_ELSE;
}

static struct ansi_look look_now(const struct screen *s, size_t *rows)
{
    size_t columns;
    window(&columns, rows);
    if (!s->moves)
        *rows = 0;
    return (struct ansi_look){.columns = columns, .styled = s->styled};
}

static void flush(struct screen *s)
{
    if (s->text.len && !s->failed && fs_write_all(STDOUT_FILENO, s->text.s, s->text.len, NULL) != RC_OK)
        s->failed = true;
    strbuf_clear(&s->text);
}

static void clear_status(struct screen *s)
{
    if (s->status)
        strbuf_adds(&s->text, CLEAR_LINE);
    s->status = false;
}

static void update(struct screen *s)
{
    size_t rows;
    struct ansi_look look = look_now(s, &rows);
    int64_t from = clock_mono_ms();
    clear_status(s);
    ansi_stream_update(s->answer, look, rows, &s->text);
    flush(s);
    s->updated_ms = clock_mono_ms();
    s->interval_ms = COST_SHARE * (s->updated_ms - from);
    if (s->interval_ms < UPDATE_MS)
        s->interval_ms = UPDATE_MS;
}

static void on_timer(void *arg)
{
    struct screen *s = arg;
    s->armed = false;
    update(s);
}

void screen_begin(struct screen *s, struct loop *l)
{
    if (!s->timer)
        s->timer = loop_timer_new(l, on_timer, s);
    hide_keys();
}

void screen_text(struct screen *s, struct str piece)
{
    int64_t wait = s->updated_ms + s->interval_ms - clock_mono_ms();
    ansi_stream_add(s->answer, piece);
    if (s->armed)
        return;
    if (wait <= 0 || !s->timer) {
        update(s);
        return;
    }
    s->armed = true;
    loop_timer_set(s->timer, wait);
}

void screen_status(struct screen *s, struct str words)
{
    size_t rows;
    struct ansi_look look = look_now(s, &rows);
    if (!s->moves)
        return;
    clear_status(s);
    strbuf_adds(&s->text, s->styled ? DIM : "");
    terminal_text_add_line(&s->text, words, look.columns);
    strbuf_adds(&s->text, s->styled ? RESET : "");
    s->status = true;
    flush(s);
}

/* Writes the rest of the answer. */
static void finish(struct screen *s)
{
    size_t rows;
    struct ansi_look look = look_now(s, &rows);
    if (s->armed)
        loop_timer_set(s->timer, -1);
    s->armed = false;
    clear_status(s);
    if (ansi_stream_has_text(s->answer))
        ansi_stream_end(s->answer, look, rows, &s->text);
}

void screen_end(struct screen *s)
{
    finish(s);
    flush(s);
    ansi_stream_free(s->answer); /* the next answer begins without a blank line */
    s->answer = ansi_stream_new();
    show_keys();
}

void screen_note(struct screen *s, struct str words)
{
    finish(s);
    strbuf_adds(&s->text, s->styled ? DIM : "");
    terminal_text_add_line(&s->text, words, SIZE_MAX);
    strbuf_adds(&s->text, s->styled ? RESET "\n" : "\n");
    flush(s);
}

void screen_markdown(struct screen *s, struct str text)
{
    finish(s);
    ansi_stream_add(s->answer, text);
    finish(s);
    flush(s);
}
