/* Addresses in text. A normal form is its own normal form, and it is found in itself and within a sentence.
 */
#include <stdlib.h>

#include "codec/web_address.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) a = arena_new();
    struct str text = {(const char *)data, size};
    web_address_in(text, "https://example.org/a_(b)?c=d");
    const char *normal = web_address_normal(a, text);
    if (!normal || strlen(normal) > WEB_ADDRESS_MAX)
        return 0;
    const char *again = web_address_normal(a, str_of(normal));
    if (!again || strcmp(normal, again) != 0 || !web_address_host(normal).len)
        abort();
    if (!web_address_any(str_of(normal)) || !web_address_in(str_of(normal), normal) ||
        !web_address_in(str_of(arena_printf(a, "(see %s), please", normal)), normal))
        abort();
    return 0;
}
