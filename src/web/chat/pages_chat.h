/* The chat page, for handlers that show it again. */
#ifndef ALFRED_WEB_CHAT_PAGES_CHAT_H
#define ALFRED_WEB_CHAT_PAGES_CHAT_H

#include "web/http/request.h"

/* What could not be done is said above the box, and the text that was not taken stands in it again. */
struct chat_trouble {
    const struct err *why;
    const char *text;
    bool retry; /* sending the box again is what the person wanted */
};
/* The session of the path ("new" too); `trouble` NULL: none. */
enum rc page_chat_show(struct req *r, struct resp *out, const struct chat_trouble *trouble, struct err *e);

/* The same as a page_form (pages.h): what was typed stands in the box again. */
enum rc page_chat_again(struct req *r, struct resp *out, const struct err *why, struct err *e);

#endif
