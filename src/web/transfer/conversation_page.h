/* One conversation as an HTML file that loads nothing and prints well (app/export/conversation.h has the
 * other formats). */
#ifndef ALFRED_WEB_TRANSFER_CONVERSATION_PAGE_H
#define ALFRED_WEB_TRANSFER_CONVERSATION_PAGE_H

#include "app/export/conversation.h"
#include "web/http/web.h"

enum rc conversation_page(const struct web *w, int64_t owner, const struct conversation *c,
    const struct conversation_options *options, export_put_fn *put, void *arg, struct err *e);

#endif
