/* An entry of the trash, in the API and on its page. */
#ifndef ALFRED_WEB_TRASH_TRASH_RESOURCE_H
#define ALFRED_WEB_TRASH_TRASH_RESOURCE_H

#include "app/trash/trash.h"
#include "base/locale.h"
#include "codec/view.h"

void trash_resource(struct arena *a, struct view *v, const struct config *c, const struct trash_entry *t);
/* The same with labels and times in words, for the page. */
void trash_view(struct arena *a, struct view *v, const struct config *c, const struct locale *l,
    const struct trash_entry *t);

/* The key of the next page, and back. False: it is malformed. */
#define TRASH_KEY_CHARS_MAX 50
const char *trash_key_text(struct arena *a, const struct trash_entry *last);
bool trash_key_parse(struct str text, struct trash_key *out);

#endif
