#include "cli/chat/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fs.h"
#include "codec/ansi/terminal_text.h"

#define NOTE_MAX  2048
#define PIECE_MAX ((size_t)64 * 1024 * 1024)

struct output {
    enum output_mode mode;
    struct strbuf text; /* to write next */
    bool begun;         /* the answer has text */
    char last;          /* its last byte */
    bool failed;
};

struct output *output_new(enum output_mode mode)
{
    struct output *o = xcalloc(1, sizeof *o);
    o->mode = mode;
    strbuf_init(&o->text, PIECE_MAX);
    return o;
}

void output_free(struct output *o)
{
    if (!o)
        return;
    strbuf_release(&o->text);
    free(o);
}

void output_restore_terminal(void)
{
}

enum output_mode output_mode(const struct output *o)
{
    return o->mode;
}

bool output_failed(const struct output *o)
{
    return o->failed;
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

static void on_step(void *arg, const json_t *step)
{
    (void)step;
    end_line(arg);
}

static void on_lost(void *arg, const struct err *why)
{
    output_note(arg, "%s Connecting again.", why->text);
}

struct remote_reader output_reader(struct output *o)
{
    if (o->mode == OUTPUT_JSON)
        return (struct remote_reader){.arg = o, .event = on_event};
    return (struct remote_reader){.arg = o, .text = on_text, .step = on_step, .lost = on_lost};
}

void output_end(struct output *o, const struct remote_end *end)
{
    (void)end;
    end_line(o);
}

/* ---- other text ---- */

void output_note(struct output *o, const char *fmt, ...)
{
    char line[NOTE_MAX];
    AUTO_STRBUF clean;
    va_list args;
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    if (o->mode == OUTPUT_JSON)
        return;
    strbuf_init(&clean, 4 * sizeof line);
    terminal_text_add_line(&clean, str_of(line), SIZE_MAX);
    fprintf(stderr, "alfred: %s\n", clean.s);
}

void output_markdown(struct output *o, struct str text)
{
    on_text(o, text);
    end_line(o);
}

void output_error(struct output *o, const struct err *e)
{
    const char *words = *e->text ? e->text : rc_name(e->rc);
    end_line(o);
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
