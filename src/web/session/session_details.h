/* The page of one session: its figures and branches, and the same in the API. */
#ifndef ALFRED_WEB_SESSION_SESSION_DETAILS_H
#define ALFRED_WEB_SESSION_SESSION_DETAILS_H

#include "store/session/session.h"
#include "store/session/session_stats.h"
#include "store/session/tag.h"
#include "web/http/request.h"

extern const struct route_table session_details_routes;

struct session_details {
    struct session session;
    struct session_stats stats;
    struct tag *tags;
    size_t tags_n;
    int64_t *costs; /* by model, millionths of the currency; -1: no price */
    int64_t cost;   /* of all; -1: no model has a price */
    int64_t bytes;  /* on disk: texts, summaries, transcripts; without the search index */
};

/* RC_NOT_FOUND: not a session of the user. */
enum rc session_details_read(struct req *r, struct session_details *out, struct err *e);
void session_details_resource(struct req *r, struct view *v, const struct session_details *d);

#endif
