/* Pictures of a message in the API and on pages. */
#ifndef ALFRED_WEB_PICTURE_PICTURE_RESOURCE_H
#define ALFRED_WEB_PICTURE_PICTURE_RESOURCE_H

#include "codec/view.h"
#include "store/message/message.h"
#include "web/http/request.h"

/* Adds to `v`: id, url, media_type, width, height, bytes. */
void picture_resource(struct arena *a, struct view *v, const struct picture *p);
/* Adds the list `pictures` of them. */
void pictures_resource(struct arena *a, struct view *v, const struct picture *list, size_t n);

/* For a page: adds the list `pictures` of a message with url, alt, width and height. */
void pictures_view(struct arena *a, struct view *v, const struct message *m);
/* Adds the width and the height with which the picture fits a box, both in pixels, and never more than it
 * has. The page reserves this place before the bytes come. */
void picture_view_fit(struct view *v, const struct picture *p, int width, int height);

/* The browser has the bytes already. */
bool picture_is_kept(const struct req *r, const char *pub);
/* Answers with the bytes; `data` NULL: 304. */
void picture_answer(struct resp *out, const char *pub, const char *media_type, const struct str *data);

#endif
