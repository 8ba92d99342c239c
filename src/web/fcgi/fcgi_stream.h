/*
 * The far end of a handed-over FastCGI connection: answers are framed as FCGI_STDOUT records (FastCGI
 * specification 1.0, 3.3 and 5.3) and written without ever blocking. What the reader does not take waits in a
 * capped buffer; a reader that lets it overflow is given up.
 *
 * One thread, the loop's. The stream owns the descriptor. Failures: RC_IO (the reader left), RC_TOO_BIG (too
 * slow).
 */
#ifndef ALFRED_WEB_FCGI_FCGI_STREAM_H
#define ALFRED_WEB_FCGI_FCGI_STREAM_H

#include "base/mem.h"
#include "base/strbuf.h"
#include "web/fcgi/fcgi.h"

struct fcgi_stream;

struct fcgi_stream *fcgi_stream_new(struct fcgi_conn c, size_t backlog_max);
void fcgi_stream_free(struct fcgi_stream *s); /* closes at once; NULL is fine */

int fcgi_stream_fd(const struct fcgi_stream *s);
enum rc fcgi_stream_send(struct fcgi_stream *s, struct str data); /* writes now what the socket takes */
enum rc fcgi_stream_flush(struct fcgi_stream *s);                 /* when the socket is writable again */
bool fcgi_stream_waiting(const struct fcgi_stream *s);            /* something is left to write */
size_t fcgi_stream_unsent(const struct fcgi_stream *s);           /* how many bytes */
enum rc fcgi_stream_end(struct fcgi_stream *s); /* the answer is complete; free it once nothing waits */

#endif
