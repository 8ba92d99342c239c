/*
 * Addresses of web pages in text that people write, in a form that can be compared.
 *
 * The normal form has the scheme https (http is read as https), the host in lower case without a dot at its
 * end, no port 443 or 80, at least the path "/", and no fragment. Characters that an address cannot have are
 * escaped. Nothing else is changed: two addresses with the same normal form are fetched alike.
 */
#ifndef ALFRED_CODEC_WEB_ADDRESS_H
#define ALFRED_CODEC_WEB_ADDRESS_H

#include "base/mem.h"

#define WEB_ADDRESS_MAX 2048 /* bytes, as written */

/* In the arena. NULL: not an address of the web, or one with a user name. "example.org/a" counts as one. */
const char *web_address_normal(struct arena *a, struct str address);

/* True when the text has this address (a normal form): as a whole word, perhaps without scheme or with a
 * fragment, and without the punctuation around it. The beginning of a longer address does not count. */
bool web_address_in(struct str text, const char *normal);

/* True when the text has any address, which without a scheme begins with "www." or has a path. */
bool web_address_any(struct str text);

/* The host of a normal form. */
struct str web_address_host(const char *normal);

#endif
