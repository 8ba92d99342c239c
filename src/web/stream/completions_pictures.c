/* Pictures in the messages of a request: parts of the kind image_url, with the picture itself as a data URL
 * (RFC 2397). Other addresses are refused, because Alfred loads nothing from other servers. */
#include <sodium.h>

#include "codec/picture.h"
#include "web/stream/completions_request_private.h"

#define BASE64_MARK ";base64,"

char *completion_picture_bytes(struct str base64, size_t *bytes)
{
    char *out = xmalloc(base64.len / 4 * 3 + 3);
    if (sodium_base642bin((unsigned char *)out, base64.len / 4 * 3 + 3, base64.s, base64.len, NULL, bytes,
            NULL, sodium_base64_VARIANT_ORIGINAL) == 0)
        return out;
    free(out);
    return NULL;
}

enum rc completion_read_picture(
    struct completion_parser *p, const json_t *part, const char *param, struct llm_picture *out)
{
    const json_t *address = json_object_get(part, "image_url"); /* an object, or the address alone */
    struct str url = STR(""), rest;
    struct picture_look look;
    size_t bytes;
    if (json_is_string(address))
        url = (struct str){json_string_value(address), json_string_length(address)};
    else
        json_get_str(address, "url", &url);
    const char *mark = memmem(url.s, url.len, BASE64_MARK, strlen(BASE64_MARK));
    if (!str_starts(url, STR("data:")) || !mark)
        return completion_bad(p, param, "v1.only_data_url");
    rest = str_from(url, (size_t)(mark - url.s) + strlen(BASE64_MARK));
    AUTO_FREE char *data = completion_picture_bytes(rest, &bytes);
    if (!data || !picture_look((struct str){data, bytes}, &look))
        return completion_bad(p, param, "v1.no_picture");
    *out = (struct llm_picture){.media_type = look.media_type,
        .base64 = arena_str(p->a, rest),
        .width = look.width,
        .height = look.height};
    return RC_OK;
}
