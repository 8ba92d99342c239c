/*
 * The terminal on standard output: a growing answer in Markdown, dim lines that report events, and a status
 * line at the end, which later output replaces. Styles are used unless $NO_COLOR is set; a terminal that
 * cannot move its cursor (TERM=dumb) gets whole blocks. While an answer is written, typed keys are not shown.
 */
#ifndef ALFRED_CLI_CHAT_SCREEN_H
#define ALFRED_CLI_CHAT_SCREEN_H

#include "base/mem.h"
#include "base/str.h"
#include "net/loop.h"

struct screen;

struct screen *screen_new(void);
void screen_free(struct screen *s); /* NULL is fine */
DEFINE_AUTO(screen);

/* Async-signal-safe: gives the terminal its echo and styles back. */
void screen_restore(void);

bool screen_failed(const struct screen *s); /* a write failed */

/* Begins an answer. Text that arrives fast is shown some milliseconds later by a timer of the loop, which
 * must outlive `s`. */
void screen_begin(struct screen *s, struct loop *l);
void screen_text(struct screen *s, struct str piece);
void screen_status(struct screen *s, struct str words); /* the last line until the next output */
void screen_end(struct screen *s);

/* A dim line that stays. */
void screen_note(struct screen *s, struct str words);
/* A whole text in Markdown. */
void screen_markdown(struct screen *s, struct str text);

#endif
