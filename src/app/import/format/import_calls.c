/* Calls of tools that other services made, in the form of the store. */
#include "app/import/format/import_format_private.h"

#include "app/context/context.h"
#include "base/utf8.h"

#define CUT       "\xE2\x80\xA6" /* ends a string that was cut */
#define CUT_BYTES ((size_t)3)
#define CUT_LEAST ((size_t)256) /* bytes; ids and names are shorter */

json_t *import_json(struct arena *a, struct str text)
{
    AUTO(json_t) list = NULL;
    json_t *inner = NULL;
    struct str json = str_of(arena_printf(a, "[%.*s]", STR_FMT(text)));
    if (json_parse_within(json, IMPORT_VALUE_MAX, JSON_LIMITS, &list, NULL) != RC_OK ||
        json_array_size(list) != 1)
        return NULL;
    json_t *v = json_array_get(list, 0);
    struct str string = {json_string_value(v), json_string_length(v)};
    if (string.s && json_parse_within(string, IMPORT_VALUE_MAX, JSON_LIMITS, &inner, NULL) == RC_OK)
        return inner;
    return json_incref(v);
}

json_t *import_args(struct arena *a, struct str text)
{
    AUTO(json_t) args = text.len ? import_json(a, text) : json_object();
    return json_is_object(args) ? json_incref(args) : json_pack("{s:s%}", "input", text.s, text.len);
}

/* A copy whose strings have at most `most` bytes. The depth of `v` is limited (IMPORT_NESTED_LIMITS). */
static json_t *shortened(const json_t *v, size_t most)
{
    const char *key;
    json_t *part, *out;
    size_t i;
    struct str s = {json_string_value(v), json_string_length(v)};
    if (s.s && s.len > most) {
        s.len = utf8_cut_bytes(s, most - CUT_BYTES);
        AUTO_STRBUF cut;
        strbuf_init(&cut, most);
        strbuf_addstr(&cut, s);
        strbuf_adds(&cut, CUT);
        return json_stringn(cut.s, cut.len);
    }
    if (json_is_object(v)) {
        out = json_object();
        json_object_foreach((json_t *)(uintptr_t)v, key, part)
        {
            json_object_set_new(out, key, shortened(part, most));
        }
        return out;
    }
    if (!json_is_array(v))
        return json_deep_copy(v);
    out = json_array();
    json_array_foreach(v, i, part)
    {
        json_array_append_new(out, shortened(part, most));
    }
    return out;
}

static json_t *without_args(const json_t *calls)
{
    size_t i;
    json_t *call, *out = json_deep_copy(calls);
    json_array_foreach(out, i, call)
    {
        json_object_set_new(call, "args", json_object());
    }
    return out;
}

/* Turns refuse stored calls beyond these limits. */
static bool is_storable(const char *json)
{
    AUTO(json_t) v = NULL;
    return json_parse_within(str_of(json), IMPORT_CALLS_MAX, CONTEXT_CALLS_LIMITS, &v, NULL) == RC_OK;
}

const char *import_calls(struct arena *a, const json_t *calls)
{
    AUTO_FREE char *json = json_array_size(calls) ? json_dumps(calls, JSON_COMPACT) : NULL;
    for (size_t most = IMPORT_CALLS_MAX; json && strlen(json) > IMPORT_CALLS_MAX && most >= CUT_LEAST;
         most /= 2) {
        AUTO(json_t) less = shortened(calls, most);
        free(json);
        json = json_dumps(less, JSON_COMPACT);
    }
    if (!json || is_storable(json))
        return arena_strdup(a, json);
    AUTO(json_t) bare = without_args(calls);
    free(json);
    json = json_dumps(bare, JSON_COMPACT);
    return is_storable(json) ? arena_strdup(a, json) : NULL;
}

const char *import_call(struct arena *a, const char *id, const char *name, const json_t *args)
{
    AUTO(json_t)
    calls = json_pack("[{s:s, s:s, s:O}]", "id", id, "name", name, "args", (json_t *)(uintptr_t)args);
    return import_calls(a, calls);
}
