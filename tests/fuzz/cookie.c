/* Cookie headers. A value that was found can be set again, and the same value is found then. */
#include <stdlib.h>

#include "codec/cookie.h"

#define NAME "__Host-a"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str found, again;
    if (cookie_get((struct str){(const char *)data, size}, NAME, &found, NULL) != RC_OK)
        return 0;
    AUTO_STRBUF b;
    strbuf_init(&b, size + 256);
    if (cookie_set_host(&b, NAME, found, 60, NULL) != RC_OK || b.failed)
        abort();
    if (cookie_get(strbuf_str(&b), NAME, &again, NULL) != RC_OK || !str_eq(found, again))
        abort();
    return 0;
}
