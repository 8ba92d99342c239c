/*
 * A growing answer on a terminal. Each update writes what changes: the lines of finished blocks stay as they
 * are, the lines of the last block from the first changed one on are written again (CSI A, CSI J). Lines that
 * have scrolled out of the window are never written again.
 *
 * Between updates the cursor is at the start of the line below the text. A caller that writes there removes
 * its text before the next update.
 */
#ifndef ALFRED_CODEC_ANSI_ANSI_STREAM_H
#define ALFRED_CODEC_ANSI_ANSI_STREAM_H

#include "base/mem.h"
#include "codec/ansi/ansi_wrap.h"

struct ansi_stream;

struct ansi_stream *ansi_stream_new(void);
void ansi_stream_free(struct ansi_stream *s); /* NULL is fine */
DEFINE_AUTO(ansi_stream);

/* `piece` is complete UTF-8. */
void ansi_stream_add(struct ansi_stream *s, struct str piece);

/* Appends the output that brings the terminal up to date. `rows` of the window; 0: the terminal cannot
 * move its cursor, so it gets finished blocks only. A block that has begun keeps its columns. */
void ansi_stream_update(struct ansi_stream *s, struct ansi_look look, size_t rows, struct strbuf *out);

/* Appends the output for the end of the text. The stream is empty afterwards and can be used for another
 * text, which begins after a blank line. */
void ansi_stream_end(struct ansi_stream *s, struct ansi_look look, size_t rows, struct strbuf *out);

/* True when text was added since the last end. */
bool ansi_stream_has_text(const struct ansi_stream *s);

#endif
