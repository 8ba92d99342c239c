#include "cli/chat/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/utf8.h"
#include "cli/chat/screen.h"
#include "codec/ansi/terminal_text.h"

#define NOTE_MAX    2048
#define PIECE_MAX   ((size_t)64 * 1024 * 1024)
#define THOUGHT_MAX 400 /* bytes of reasoning that the status line chooses from */
#define STEP_MAX    400

struct output {
    enum output_mode mode;
    struct screen *screen; /* of a terminal, else NULL */
    struct strbuf text;    /* to write next */
    struct strbuf thought; /* the end of the model's reasoning */
    bool begun;            /* the answer has text */
    char last;             /* its last byte */
    bool failed;
    output_ask_fn *ask;
    void *ask_arg;
    struct loop *loop; /* between output_begin() and output_end() */
};

struct output *output_new(enum output_mode mode)
{
    struct output *o = xcalloc(1, sizeof *o);
    o->mode = mode;
    o->screen = mode == OUTPUT_TERMINAL ? screen_new() : NULL;
    strbuf_init(&o->text, PIECE_MAX);
    strbuf_init(&o->thought, PIECE_MAX);
    return o;
}

void output_free(struct output *o)
{
    if (!o)
        return;
    screen_free(o->screen);
    strbuf_release(&o->text);
    strbuf_release(&o->thought);
    free(o);
}

void output_restore_terminal(void)
{
    screen_restore();
}

enum output_mode output_mode(const struct output *o)
{
    return o->mode;
}

bool output_failed(const struct output *o)
{
    return o->failed || (o->screen && screen_failed(o->screen));
}

static void write_out(struct output *o)
{
    if (o->text.len && !o->failed && fs_write_all(STDOUT_FILENO, o->text.s, o->text.len, NULL) != RC_OK)
        o->failed = true;
    strbuf_clear(&o->text);
}

/* ---- one turn ---- */

static void on_event(void *arg, struct str name, struct str json)
{
    struct output *o = arg;
    bool empty = json.len < 3; /* "{}" */
    strbuf_addf(&o->text, "{\"event\":\"%.*s\"%s", STR_FMT(name), empty ? "" : ",");
    strbuf_add(&o->text, json.s + 1, json.len - 1);
    strbuf_addc(&o->text, '\n');
    write_out(o);
}

static void on_text(void *arg, struct str piece)
{
    struct output *o = arg;
    strbuf_clear(&o->thought);
    if (o->screen) {
        screen_text(o->screen, piece);
        return;
    }
    terminal_text_add(&o->text, piece);
    if (o->text.len) {
        o->begun = true;
        o->last = o->text.s[o->text.len - 1];
    }
    write_out(o);
}

static void end_line(struct output *o)
{
    if (o->begun && o->last != '\n')
        strbuf_addc(&o->text, '\n');
    o->begun = false;
    write_out(o);
}

/* "· search_sessions {"query":"bread"}" for each call. */
static void on_step(void *arg, const json_t *step)
{
    struct output *o = arg;
    const json_t *results = json_object_get(step, "results");
    strbuf_clear(&o->thought);
    end_line(o);
    for (size_t i = 0; o->screen && i < json_array_size(results); i++) {
        struct str tool = {"", 0}, arguments = {"", 0};
        AUTO_STRBUF line;
        json_get_str(json_array_get(results, i), "tool", &tool);
        json_get_str(json_array_get(results, i), "arguments", &arguments);
        strbuf_init(&line, PIECE_MAX);
        strbuf_addf(&line, "· %.*s %.*s", STR_FMT(tool), STR_FMT(arguments));
        strbuf_truncate(&line, utf8_cut_bytes(strbuf_str(&line), STEP_MAX));
        screen_note(o->screen, strbuf_str(&line));
    }
}

/* The newest of the model's reasoning, on one line. */
static void show_thought(struct output *o, struct str piece)
{
    AUTO_STRBUF line;
    strbuf_addstr(&o->thought, piece);
    struct str all = strbuf_str(&o->thought);
    if (all.len > THOUGHT_MAX) {
        size_t from = all.len - THOUGHT_MAX / 2;
        while (from < all.len && ((unsigned char)all.s[from] & 0xC0) == 0x80)
            from++;
        strbuf_drop_front(&o->thought, from);
    }
    strbuf_init(&line, 2 * PIECE_MAX);
    strbuf_adds(&line, "Thinking: ");
    const char *end = memrchr(o->thought.s, '\n', o->thought.len);
    strbuf_adds(&line, end && end[1] ? end + 1 : o->thought.s);
    screen_status(o->screen, strbuf_str(&line));
}

static void on_status(void *arg, struct str status, struct str text)
{
    struct output *o = arg;
    if (str_is(status, "thinking"))
        show_thought(o, text);
    else
        screen_status(o->screen, text);
}

static void on_lost(void *arg, const struct err *why)
{
    struct output *o = arg;
    AUTO_STRBUF line;
    strbuf_init(&line, 2 * ERR_TEXT_MAX);
    strbuf_addf(&line, "%s Connecting again.", why->text);
    if (o->screen)
        screen_status(o->screen, strbuf_str(&line));
    else
        output_note(o, "%s", line.s);
}

void output_when_asked(struct output *o, output_ask_fn *fn, void *arg)
{
    o->ask = fn;
    o->ask_arg = arg;
}

static enum rc on_asks(void *arg, struct err *e)
{
    struct output *o = arg;
    struct loop *l = o->loop;
    output_end(o);
    enum rc rc = o->ask(o->ask_arg, e);
    output_begin(o, l);
    return rc;
}

void output_begin(struct output *o, struct loop *l)
{
    o->loop = l;
    if (!o->screen)
        return;
    screen_begin(o->screen, l);
    screen_status(o->screen, STR("…"));
}

struct remote_reader output_reader(struct output *o)
{
    if (o->mode == OUTPUT_JSON)
        return (struct remote_reader){.arg = o, .event = on_event, .asks = o->ask ? on_asks : NULL};
    return (struct remote_reader){.arg = o,
        .text = on_text,
        .step = on_step,
        .status = o->screen ? on_status : NULL,
        .lost = on_lost,
        .asks = o->ask ? on_asks : NULL};
}

void output_end(struct output *o)
{
    end_line(o);
    if (o->screen)
        screen_end(o->screen);
    strbuf_clear(&o->thought);
}

/* ---- other text ---- */

void output_note(struct output *o, const char *fmt, ...)
{
    char line[NOTE_MAX];
    va_list args;
    if (o->mode == OUTPUT_JSON)
        return;
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    AUTO_STRBUF clean;
    strbuf_init(&clean, 4 * sizeof line);
    terminal_text_add_line(&clean, str_of(line), SIZE_MAX);
    if (o->screen)
        screen_note(o->screen, strbuf_str(&clean));
    else
        fprintf(stderr, "alfred: %s\n", clean.s);
}

void output_markdown(struct output *o, struct str text)
{
    if (o->screen) {
        screen_markdown(o->screen, text);
        screen_end(o->screen);
        return;
    }
    on_text(o, text);
    end_line(o);
}

void output_error(struct output *o, const struct err *e)
{
    const char *words = *e->text ? e->text : rc_name(e->rc);
    output_end(o);
    if (o->mode == OUTPUT_JSON) {
        AUTO(json_t) v = json_object();
        json_object_set_new(v, "code", json_string(rc_name(e->rc)));
        json_object_set_new(v, "message", json_string(words));
        output_event(o, "error", v);
    }
    AUTO_STRBUF clean;
    strbuf_init(&clean, 4 * ERR_TEXT_MAX);
    terminal_text_add_line(&clean, str_of(words), SIZE_MAX);
    fprintf(stderr, "alfred: %s\n", clean.s);
}

void output_event(struct output *o, const char *name, const json_t *v)
{
    if (o->mode != OUTPUT_JSON)
        return;
    AUTO_FREE char *json = json_dumps(v, JSON_COMPACT);
    if (json)
        on_event(o, str_of(name), str_of(json));
}
