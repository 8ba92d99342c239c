/* Pictures in the messages of a request: parts of the kind image_url, with the picture itself as a data URL
 * (RFC 2397). Other addresses are refused, because Alfred loads nothing from other servers. */
#include <sodium.h>

#include "app/picture/picture.h"
#include "codec/picture.h"
#include "web/http/web.h"
#include "web/stream/completions_place.h"
#include "web/stream/completions_request_private.h"

#define BASE64_MARK ";base64,"

/* NULL: the text is no base64. The caller frees it. */
static char *decode(struct str base64, size_t *bytes)
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
    AUTO_FREE char *data = decode(rest, &bytes);
    if (!data || !picture_look((struct str){data, bytes}, &look))
        return completion_bad(p, param, "v1.no_picture");
    *out = (struct llm_picture){.media_type = look.media_type,
        .base64 = arena_str(p->a, rest),
        .width = look.width,
        .height = look.height};
    return RC_OK;
}

static enum rc store_one(struct req *r, const struct llm_picture *p, struct picture *out, struct err *e)
{
    size_t bytes = 0;
    AUTO_FREE char *data = decode(p->base64, &bytes);
    if (!data)
        return err_set(e, RC_INTERNAL, "a picture that was read cannot be decoded again");
    return picture_store(
        r->web->store, r->web->config, r->arena, r->who.user_id, (struct str){data, bytes}, out, e);
}

enum rc completion_store_pictures(
    struct req *r, const struct completion_request *c, size_t from, struct err *e)
{
    for (size_t i = from; i < c->messages_n; i++) {
        const struct llm_message *m = &c->messages[i];
        if (!m->pictures_n || c->stored[i])
            continue;
        struct picture *list = ARENA_ARRAY(r->arena, struct picture, m->pictures_n);
        for (size_t k = 0; k < m->pictures_n; k++) {
            enum rc rc = store_one(r, &m->pictures[k], &list[k], e);
            if (rc != RC_OK)
                return rc;
        }
        c->stored[i] = list;
    }
    return RC_OK;
}
