/* What the page "Your data" and the API share: transfers as views, the file of one as an answer. */
#ifndef ALFRED_WEB_TRANSFERS_H
#define ALFRED_WEB_TRANSFERS_H

#include "app/transfer/transfer.h"
#include "web/http/request.h"

/* The newest of the user's, into a list; `*going` (may be NULL): one waits or runs. */
enum rc transfers_view(struct req *r, struct view *list, bool *going, struct err *e);
/* One into `v`; RC_NOT_FOUND. */
enum rc transfer_view_one(struct req *r, struct view *v, const char *pub, struct err *e);

/* The upload of this request becomes an import. RC_BAD_INPUT, with a sentence: there is no file. */
enum rc transfer_take_upload(struct req *r, struct transfer *out, struct err *e);

/* Answers with the file of an export that is done. RC_NOT_FOUND, RC_UNAVAILABLE. */
enum rc transfer_send_file(struct req *r, struct resp *out, struct err *e);

#endif
