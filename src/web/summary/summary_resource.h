/* A session's summaries in the API. */
#ifndef ALFRED_WEB_SUMMARY_SUMMARY_RESOURCE_H
#define ALFRED_WEB_SUMMARY_SUMMARY_RESOURCE_H

#include "store/job.h"
#include "store/memory/summary.h"
#include "store/session/session.h"
#include "web/http/request.h"

#define SUMMARIES_SHOWN 20 /* per page */

struct summaries {
    struct session session;
    struct summary *rows; /* the newest first */
    size_t n;
    int64_t next;                  /* the value of F_BEFORE for the next page; 0: no more */
    struct summary_request *asked; /* requested, not written yet */
    size_t asked_n;
    struct job job; /* the job that writes them; id 0: none */
};

/* Reads those of the session of the path, older than version F_BEFORE. RC_NOT_FOUND. */
enum rc summaries_read(struct req *r, struct summaries *out, struct err *e);

/* Adds to `v`: session, summaries, next, pending. */
void summaries_resource(const struct req *r, struct view *v, const struct summaries *f);

/* ---- for the page, which adds labels ---- */

void summary_resource(const struct req *r, struct view *v, const struct session *s, const struct summary *m);
/* "pending": count and state (waiting, delayed, running, failed). Without a pending summary it is null,
 * and NULL is returned. */
struct view *summary_pending_resource(struct view *v, const struct summaries *f);

#endif
