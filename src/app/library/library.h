/* Personas and prompts: checks and changes. Only admins share entries. */
#ifndef ALFRED_APP_LIBRARY_LIBRARY_H
#define ALFRED_APP_LIBRARY_LIBRARY_H

#include "app/models/providers.h"
#include "store/account/library.h"

/* Checks `x` and normalises its texts. RC_BAD_INPUT, RC_TOO_BIG, RC_FORBIDDEN, RC_CONFLICT (the name is
 * taken), all with a sentence. x->id 0: adds it for `who`, and sets the id; else RC_NOT_FOUND too. */
enum rc library_save(struct store *s, const struct providers *p, struct library_reader who,
    enum library_kind kind, struct library_entry *x, struct arena *a, struct err *e);
enum rc library_delete(
    struct store *s, struct library_reader who, enum library_kind kind, int64_t id, struct err *e);

/* "0.7" as hundredths; an empty text is TEMPERATURE_NONE. RC_BAD_INPUT. */
enum rc temperature_parse(struct str text, int *out, struct err *e);
const char *temperature_text(struct arena *a, int temperature); /* NULL: TEMPERATURE_NONE */

#endif
