#include "codec/json/json.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "codec/view.h"

void json_begin(void)
{
    json_set_alloc_funcs(xmalloc, free);
}

static enum rc fail_at(struct err *e, enum rc rc, const char *what, int line, int column)
{
    return err_say(
        e, rc, "json.unreadable", arg_key("what", what), arg_int("line", line), arg_int("column", column));
}

/* Line and column of a byte, as jansson counts them. */
static enum rc fail_at_byte(struct err *e, enum rc rc, const char *what, struct str text, size_t at)
{
    int line = 1;
    struct str rest = {text.s, at};
    for (const char *newline; rest.len && (newline = memchr(rest.s, '\n', rest.len)); line++)
        rest = (struct str){newline + 1, rest.len - (size_t)(newline + 1 - rest.s)};
    return fail_at(e, rc, what, line, (int)utf8_count(rest) + 1);
}

/* Checks depth and containers without parsing: outside of strings a bracket is a bracket, also in invalid
 * text. */
static enum rc check_shape(struct str text, struct json_limits most, struct err *e)
{
    size_t depth = 0, containers = 0;
    bool in_string = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.s[i];
        if (in_string) {
            if (c == '\\')
                i++;
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            if (++depth > most.depth)
                return fail_at_byte(e, RC_TOO_BIG, "json.too_deep", text, i);
            if (++containers > most.containers)
                return fail_at_byte(e, RC_TOO_BIG, "json.too_many", text, i);
        } else if ((c == '}' || c == ']') && depth > 0) {
            depth--;
        }
    }
    return RC_OK;
}

size_t json_values(struct str text)
{
    size_t n = 1;
    bool in_string = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.s[i];
        if (in_string && c == '\\')
            i++;
        else if (c == '"')
            in_string = !in_string;
        else
            n += !in_string && (c == ',' || c == '{' || c == '[');
    }
    return n;
}

/* The key of a sentence of ours. jansson's own messages are not used, because they quote the text. */
static const char *what_failed(enum json_error_code code)
{
    switch (code) {
    case json_error_premature_end_of_input: return "json.early_end";
    case json_error_end_of_input_expected: return "json.more_follows";
    case json_error_invalid_utf8: return "json.bad_utf8";
    case json_error_null_character:
    case json_error_null_byte_in_key: return "json.nul";
    case json_error_duplicate_key: return "json.same_name";
    case json_error_numeric_overflow: return "json.big_number";
    default: return "json.mistake";
    }
}

enum rc json_parse_within(struct str text, size_t cap, struct json_limits most, json_t **out, struct err *e)
{
    if (text.len > cap)
        return err_say(e, RC_TOO_BIG, "json.too_big", arg_limit("max", (int64_t)cap));
    enum rc rc = check_shape(text, most, e);
    if (rc != RC_OK)
        return rc;
    json_error_t error;
    json_t *v = json_loadb(text.len ? text.s : "", text.len, JSON_REJECT_DUPLICATES, &error);
    if (!v)
        return fail_at(e, RC_BAD_INPUT, what_failed(json_error_code(&error)), error.line, error.column);
    *out = v;
    return RC_OK;
}

enum rc json_parse(struct str text, size_t cap, json_t **out, struct err *e)
{
    return json_parse_within(text, cap, JSON_LIMITS, out, e);
}

/* For valid JSON: outside of strings whitespace has no meaning. */
static void add_without_spaces(struct strbuf *out, struct str text)
{
    bool in_string = false;
    size_t from = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.s[i];
        if (in_string && c == '\\') {
            i++;
        } else if (c == '"') {
            in_string = !in_string;
        } else if (!in_string && str_is_space(c)) {
            strbuf_add(out, text.s + from, i - from);
            from = i + 1;
        }
    }
    strbuf_add(out, text.s + from, text.len - from);
}

bool json_compact(struct strbuf *out, struct str text, struct json_limits most)
{
    AUTO(json_t) v = NULL;
    if (json_parse_within(text, text.len, most, &v, NULL) != RC_OK)
        return false;
    add_without_spaces(out, text);
    return true;
}

void json_add_compact(struct strbuf *out, struct str text, struct json_limits most)
{
    if (!json_compact(out, text, most))
        json_add_string(out, text);
}

bool json_get_str(const json_t *obj, const char *key, struct str *out)
{
    const json_t *v = json_object_get(obj, key);
    if (!json_is_string(v))
        return false;
    *out = (struct str){json_string_value(v), json_string_length(v)};
    return true;
}

bool json_get_int(const json_t *obj, const char *key, int64_t *out)
{
    const json_t *v = json_object_get(obj, key);
    if (!json_is_integer(v))
        return false;
    *out = json_integer_value(v);
    return true;
}
