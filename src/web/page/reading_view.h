/* A message for reading only (templates/partials/reading.mustache): in the page of a shared link, and in the
 * export of a conversation as HTML. */
#ifndef ALFRED_WEB_PAGE_READING_VIEW_H
#define ALFRED_WEB_PAGE_READING_VIEW_H

#include "base/locale.h"
#include "codec/view.h"
#include "store/message/message.h"
#include "web/page/html_cache.h"

struct reading {
    const struct locale *locale;
    const char *you;         /* the label of a user without a name: "You", "Question" */
    const char *name;        /* of the user; NULL: none */
    bool models;             /* with the names of models */
    bool reasoning;          /* with the models' reasoning */
    const char *pictures;    /* address before the id of a picture; NULL: a data URL without its data */
    struct html_cache *html; /* for answers; NULL: nothing is cached */
    int64_t html_id;         /* the ids in the cache are html_id + place */
};

/* False: the message has nothing to read. */
bool reading_has_text(const struct reading *r, const struct message *m);
/* The end of the addresses of pictures when reading.pictures is NULL. They are in order, before the text. */
#define READING_NO_DATA ";base64,\""
/* `place`: number in the file. */
void reading_view(
    struct arena *a, struct view *v, const struct reading *r, const struct message *m, size_t place);

#endif
