/*
 * The thread that keeps the lists of tools of MCP servers current. It has every server asked at the start of
 * the helper, every [models] refresh_minutes, MCP_AGAIN_MS after a failure, and when an answer said that the
 * list has changed. The program `models` asks them (helper/models_program.h). It has a thread of its own, so
 * a server that hangs delays no list of models.
 */
#ifndef ALFRED_HELPER_MCP_WATCH_H
#define ALFRED_HELPER_MCP_WATCH_H

#include "app/jobs/task.h"

#define MCP_AGAIN_MS 30000

struct mcp_watch;

/* `h`: config, store and signal_fd are set; the thread ends when signal_fd is readable. Without a server
 * there is no thread. RC_INTERNAL, RC_UNAVAILABLE. */
enum rc mcp_watch_start(const struct helper *h, struct mcp_watch **out, struct err *e);
/* Wakes the thread: a list may be out of date. */
void mcp_watch_wake(struct mcp_watch *w);
/* Waits for the thread; NULL is fine. */
void mcp_watch_free(struct mcp_watch *w);

#endif
