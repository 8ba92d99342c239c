#include "codec/base64.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#define VARIANT sodium_base64_VARIANT_ORIGINAL
#define SCHEME  "data:"
#define MARK    ";base64,"

struct str base64_of(struct arena *a, struct str bytes)
{
    size_t room = sodium_base64_ENCODED_LEN(bytes.len, VARIANT);
    char *to = arena_take(a, room);
    sodium_bin2base64(to, room, (const unsigned char *)bytes.s, bytes.len, VARIANT);
    return (struct str){to, room - 1}; /* without NUL */
}

void base64_add(struct strbuf *out, struct str bytes)
{
    size_t room = sodium_base64_ENCODED_LEN(bytes.len, VARIANT);
    char *to = strbuf_reserve(out, room);
    if (!to)
        return;
    sodium_bin2base64(to, room, (const unsigned char *)bytes.s, bytes.len, VARIANT);
    strbuf_grown(out, room - 1); /* without NUL */
}

char *base64_decode(struct str text, size_t *bytes)
{
    size_t room = text.len / 4 * 3 + 3;
    char *out = xmalloc(room);
    if (sodium_base642bin((unsigned char *)out, room, text.s, text.len, NULL, bytes, NULL, VARIANT) == 0)
        return out;
    free(out);
    return NULL;
}

bool base64_of_data_url(struct str url, struct str *text)
{
    const char *mark = str_starts(url, STR(SCHEME)) ? memmem(url.s, url.len, MARK, sizeof MARK - 1) : NULL;
    if (mark)
        *text = str_from(url, (size_t)(mark - url.s) + sizeof MARK - 1);
    return mark != NULL;
}
