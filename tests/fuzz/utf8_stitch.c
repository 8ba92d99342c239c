/*
 * A string cut into two events at any byte. The output is always valid text. A valid string without escapes
 * is unchanged.
 */
#include <jansson.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "codec/utf8_stitch.h"

#define TEXT_MAX 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* False: the event is no JSON string, so utf8_stitch does not change it. */
static bool pass(struct utf8_stitch *m, struct str text, struct strbuf *out)
{
    AUTO_STRBUF event, room;
    strbuf_init(&event, TEXT_MAX);
    strbuf_init(&room, 4 * TEXT_MAX);
    strbuf_addc(&event, '"');
    strbuf_addstr(&event, text);
    strbuf_addc(&event, '"');
    struct str whole = utf8_stitch_json(strbuf_str(&event), &room);
    json_t *v = json_loadb(whole.s, whole.len, JSON_DECODE_ANY, NULL);
    bool string = json_is_string(v);
    if (string)
        utf8_stitch_text(m, (struct str){json_string_value(v), json_string_length(v)}, out);
    json_decref(v);
    return string;
}

static bool is_plain(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.s[i] < ' ' || s.s[i] == '"' || s.s[i] == '\\')
            return false;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > TEXT_MAX / 2)
        return 0;
    struct str text = {(const char *)data + 1, size - 1};
    size_t at = data[0] % size;
    struct utf8_stitch m = {0};
    AUTO_STRBUF out;
    strbuf_init(&out, 4 * TEXT_MAX);
    bool read = pass(&m, (struct str){text.s, at}, &out) && pass(&m, str_from(text, at), &out);
    utf8_stitch_end(&m, &out);
    if (out.failed || !utf8_valid_text(strbuf_str(&out)))
        abort();
    if (is_plain(text) && (!read || (utf8_valid_text(text) && !str_eq(text, strbuf_str(&out)))))
        abort();
    return 0;
}
