/* Pictures in the messages of a request: parts of the kind image_url, with the picture itself as a data URL
 * (RFC 2397). Other addresses are refused, because Alfred loads nothing from other servers. */
#include "codec/base64.h"
#include "codec/picture.h"
#include "web/stream/completions_request_private.h"

enum rc completion_read_picture(
    struct completion_parser *p, const json_t *part, const char *param, struct llm_picture *out)
{
    const json_t *address = json_object_get(part, "image_url"); /* an object, or the address alone */
    struct str url = STR(""), base64;
    struct picture_look look;
    size_t bytes;
    if (json_is_string(address))
        url = (struct str){json_string_value(address), json_string_length(address)};
    else
        json_get_str(address, "url", &url);
    if (!base64_of_data_url(url, &base64))
        return completion_bad(p, param, "v1.only_data_url");
    AUTO_FREE char *data = base64_decode(base64, &bytes);
    if (!data || !picture_look((struct str){data, bytes}, &look))
        return completion_bad(p, param, "v1.no_picture");
    *out = (struct llm_picture){.media_type = look.media_type,
        .base64 = arena_str(p->a, base64),
        .width = look.width,
        .height = look.height};
    return RC_OK;
}
