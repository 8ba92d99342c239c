/*
 * The frame in which the canvas shows an HTML or SVG document of a conversation (static/js/text/canvas.js).
 * The text is untrusted: a model wrote it. The server never sees it; the page sends it to the frame.
 *
 * The frame has an origin of its own (sandbox), and its policy allows nothing from outside. The policy of our
 * pages (frame-src) keeps it from going to another server.
 */
#ifndef ALFRED_WEB_CHAT_PREVIEW_H
#define ALFRED_WEB_CHAT_PREVIEW_H

#include "web/http/request.h"

enum rc page_preview(struct req *r, struct resp *out, struct err *e); /* scripts of the document do not run */
enum rc page_preview_scripts(struct req *r, struct resp *out, struct err *e);

#endif
