/*
 * The output of a handed-over FastCGI connection. Answers are framed as FCGI_STDOUT records (FastCGI
 * specification 1.0, 3.3 and 5.3). Writes never block: unsent data waits in a capped buffer. A reader that
 * lets it overflow is dropped.
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
/* Sends now as much as the socket accepts. */
enum rc fcgi_stream_send(struct fcgi_stream *s, struct str data);
enum rc fcgi_stream_flush(struct fcgi_stream *s);       /* call it when the socket is writable again */
bool fcgi_stream_waiting(const struct fcgi_stream *s);  /* unsent data exists */
size_t fcgi_stream_unsent(const struct fcgi_stream *s); /* its bytes */
enum rc fcgi_stream_end(struct fcgi_stream *s); /* the answer is complete; free it once nothing waits */

#endif
