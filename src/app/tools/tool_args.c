/*
 * Models write arguments in other forms than a schema asks for, above all small ones: null or "" for an
 * argument that they leave out, "5" or 5.0 for 5, the number 2 for the reference "2", "True" for true, "a" or
 * "[\"a\"]" for the list ["a"], "Open" for the word "open" of a list of words. Each of these has one meaning
 * only, so it is put right before the check. Anything else stays and is refused.
 */
#include "app/tools/tools_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define EXACT_MAX 9007199254740992.0 /* 2^53: beyond it a real is not a certain whole number */

/* Each converts a value to the type of the schema. NULL: it has that type already, or cannot be converted. */
static json_t *integer_of(const json_t *v)
{
    int64_t n;
    double real = json_real_value(v);
    struct str text = {json_string_value(v), json_string_length(v)};
    if (json_is_string(v) && str_to_int(text, INT64_MIN, INT64_MAX, &n))
        return json_integer(n);
    bool whole = json_is_real(v) && fabs(real) < EXACT_MAX && floor(real) == real;
    return whole ? json_integer((json_int_t)real) : NULL;
}

/* A word of the list in another case. */
static json_t *word_of(const json_t *words, const json_t *v)
{
    size_t i;
    const json_t *word;
    json_array_foreach(words, i, word)
    {
        if (str_eq_nocase(str_of(json_string_value(word)), str_of(json_string_value(v))))
            return json_string(json_string_value(word));
    }
    return NULL;
}

static json_t *string_of(const json_t *schema, const json_t *v)
{
    char digits[24];
    if (json_is_string(v))
        return word_of(json_object_get(schema, "enum"), v);
    snprintf(digits, sizeof digits, "%" PRId64, (int64_t)json_integer_value(v));
    return json_is_integer(v) ? json_string(digits) : NULL;
}

static json_t *boolean_of(const json_t *v)
{
    struct str text = {json_string_value(v), json_string_length(v)};
    bool yes = str_eq_nocase(text, STR("true")), no = str_eq_nocase(text, STR("false"));
    return yes || no ? json_boolean(yes) : NULL;
}

static json_t *list_of(const json_t *v)
{
    json_t *list = NULL;
    struct str text = {json_string_value(v), json_string_length(v)};
    if (!json_is_string(v))
        return NULL;
    if (json_parse_within(text, text.len, (struct json_limits){1, 1}, &list, NULL) == RC_OK &&
        json_is_array(list))
        return list;
    json_decref(list);
    return json_pack("[s]", text.s);
}

static json_t *put_right(const json_t *schema, const json_t *v)
{
    struct str type = STR("");
    json_get_str(schema, "type", &type);
    return str_is(type, "integer")   ? integer_of(v)
           : str_is(type, "string")  ? string_of(schema, v)
           : str_is(type, "boolean") ? boolean_of(v)
           : str_is(type, "array")   ? list_of(v)
                                     : NULL;
}

static bool is_required(const json_t *schema, const char *key)
{
    size_t i;
    const json_t *name;
    json_array_foreach(json_object_get(schema, "required"), i, name)
    {
        if (strcmp(json_string_value(name), key) == 0)
            return true;
    }
    return false;
}

static bool is_left_out(const json_t *v)
{
    return json_is_null(v) || (json_is_string(v) && json_string_length(v) == 0);
}

void tool_args_put_right(const json_t *schema, json_t *args)
{
    const char *key;
    json_t *v, *right, *item;
    void *next;
    size_t i;
    json_object_foreach_safe(args, next, key, v)
    {
        const json_t *member = json_object_get(json_object_get(schema, "properties"), key);
        if (member && is_left_out(v) && !is_required(schema, key)) {
            json_object_del(args, key);
            continue;
        }
        if ((right = put_right(member, v)))
            json_object_set_new(args, key, v = right);
        json_array_foreach(v, i, item)
        {
            if ((right = put_right(json_object_get(member, "items"), item)))
                json_array_set_new(v, i, right);
        }
    }
}
