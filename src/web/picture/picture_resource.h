/* Pictures of a message in the API and on pages. */
#ifndef ALFRED_WEB_PICTURE_PICTURE_RESOURCE_H
#define ALFRED_WEB_PICTURE_PICTURE_RESOURCE_H

#include "codec/view.h"
#include "store/message/picture.h"
#include "web/http/request.h"

/* Adds to `v`: id, url, media_type, width, height, bytes. */
void picture_resource(struct arena *a, struct view *v, const struct picture *p);
/* Adds the list `pictures`. Its addresses begin with `prefix`: "/api" for programs, "" for pages. */
void pictures_view(struct arena *a, struct view *v, const char *prefix, const struct picture *list, size_t n);

/* The browser has the bytes already. */
bool picture_is_kept(const struct req *r, const char *pub);
/* Answers with the bytes; `data` NULL: 304. */
void picture_answer(struct resp *out, const char *pub, const char *media_type, const struct str *data);

#endif
