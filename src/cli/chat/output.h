/*
 * The output of answers: styled text with a status line on a terminal, plain text in a pipe, or JSON lines
 * for programs. Text by other authors is written without control characters; in JSON they are escaped.
 */
#ifndef ALFRED_CLI_CHAT_OUTPUT_H
#define ALFRED_CLI_CHAT_OUTPUT_H

#include "cli/chat/remote_turn.h"

enum output_mode { OUTPUT_PLAIN, OUTPUT_JSON, OUTPUT_TERMINAL };

struct output;

struct output *output_new(enum output_mode mode);
void output_free(struct output *o); /* NULL is fine; ends what is open and restores the terminal */
DEFINE_AUTO(output);

/* Restores the terminal before the program ends. Async-signal-safe. */
void output_restore_terminal(void);

enum output_mode output_mode(const struct output *o);
bool output_failed(const struct output *o); /* the reader has closed the pipe, or the disk is full */

/* Calls fn(arg) for each question of a turn that waits for the user's decision. Other text may be written
 * meanwhile. NULL: nothing is called. */
typedef enum rc output_ask_fn(void *arg, struct err *e);
void output_when_asked(struct output *o, output_ask_fn *fn, void *arg);

/* The reader of one turn, between output_begin() and output_end(). The loop outlives `o`. */
void output_begin(struct output *o, struct loop *l);
struct remote_reader output_reader(struct output *o);
void output_end(struct output *o);

/* A short line that reports an event: dim on a terminal, on standard error otherwise. */
void output_note(struct output *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Text in Markdown that is no answer, such as the reply to a command. */
void output_markdown(struct output *o, struct str text);
/* A failure: its sentence on standard error, and as event "error" in JSON. */
void output_error(struct output *o, const struct err *e);
/* An object with `name` as its member "event", in JSON only. */
void output_event(struct output *o, const char *name, const json_t *v);

#endif
