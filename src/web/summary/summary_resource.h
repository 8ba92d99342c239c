/* A session's summaries as the API answers with them. */
#ifndef ALFRED_WEB_SUMMARY_SUMMARY_RESOURCE_H
#define ALFRED_WEB_SUMMARY_SUMMARY_RESOURCE_H

#include "store/job.h"
#include "store/session.h"
#include "store/summary.h"
#include "web/http/request.h"

#define SUMMARIES_SHOWN 20 /* at once */

struct summaries {
    struct session session;
    struct summary *rows; /* the newest first */
    size_t n;
    int64_t next;                  /* the version that F_BEFORE continues with; 0: no more */
    struct summary_request *asked; /* not written yet */
    size_t asked_n;
    struct job job; /* that writes them; id 0: none */
};

/* Of the session of the path, older than version F_BEFORE. RC_NOT_FOUND. */
enum rc summaries_read(struct req *r, struct summaries *out, struct err *e);

/* Into `v`: session, summaries, next, pending. */
void summaries_resource(const struct req *r, struct view *v, const struct summaries *f);

/* ---- for the page, which adds words ---- */

void summary_resource(const struct req *r, struct view *v, const struct session *s, const struct summary *m);
/* "pending": count and state (waiting, delayed, running, failed); null and NULL when nothing is. */
struct view *summary_pending_resource(struct view *v, const struct summaries *f);

#endif
