/*
 * The lists of tools of MCP servers. The program `models` writes them, every program reads (app/mcp).
 */
#ifndef ALFRED_STORE_MCP_H
#define ALFRED_STORE_MCP_H

#include "store/store.h"

struct mcp_server_row {
    const char *name, *url;
    int era; /* enum mcp_era */
    const char *tools;
    int64_t asked_at, listed_at; /* 0: never */
    const char *failure;         /* NULL: the last request succeeded */
};

/* By name. */
enum rc store_mcp_read(struct db *db, struct arena *a, struct mcp_server_row **out, size_t *n, struct err *e);
/* Keeps the result of a request. With `failure` the list and the era stay, unless the address is a new one.
 * A failure that repeats is not written. */
enum rc store_mcp_put(struct db *db, const struct mcp_server_row *s, struct err *e);
/* The list has changed at the server. */
enum rc store_mcp_mark_stale(struct db *db, const char *name, struct err *e);
enum rc store_mcp_is_stale(struct db *db, const char *name, bool *out, struct err *e);

#endif
