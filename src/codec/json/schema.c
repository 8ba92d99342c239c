#include "codec/json/schema.h"

#include "base/utf8.h"

#define ANY       (-1)
#define NAMES_MAX ((size_t)1024)

static enum rc check(const json_t *schema, const char *name, const json_t *value, struct err *e);

static json_int_t bound(const json_t *schema, const char *key)
{
    const json_t *v = json_object_get(schema, key);
    return v ? json_integer_value(v) : ANY;
}

static bool knows_keywords(const json_t *schema)
{
    static const char *const known[] = {"type", "properties", "required", "additionalProperties", "items",
        "maxItems", "enum", "minLength", "maxLength", "minimum", "maximum", "description"};
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)(uintptr_t)schema, key, v)
    {
        size_t i = 0;
        while (i < ARRAY_LEN(known) && strcmp(known[i], key) != 0)
            i++;
        if (i == ARRAY_LEN(known))
            return false;
    }
    return json_is_object(schema);
}

static bool is_one_of(const json_t *list, const json_t *value)
{
    size_t i;
    json_t *v;
    json_array_foreach(list, i, v)
    {
        if (json_equal(v, value))
            return true;
    }
    return false;
}

static enum rc check_string(const json_t *schema, const char *name, const json_t *value, struct err *e)
{
    json_int_t least = bound(schema, "minLength"), most = bound(schema, "maxLength");
    const json_t *words = json_object_get(schema, "enum");
    if (!json_is_string(value))
        return err_say(e, RC_BAD_INPUT, "form.string", arg_text("field", name));
    json_int_t n = (json_int_t)utf8_count((struct str){json_string_value(value), json_string_length(value)});
    if (least != ANY && n < least)
        return err_tell(
            e, RC_BAD_INPUT, "\"%s\" must have at least %lld characters.", name, (long long)least);
    if (most != ANY && n > most)
        return err_say(e, RC_BAD_INPUT, "form.too_long", arg_text("field", name), arg_int("max", most));
    if (words && !is_one_of(words, value))
        return err_tell(e, RC_BAD_INPUT, "\"%s\" has a value that is not allowed.", name);
    return RC_OK;
}

static enum rc check_integer(const json_t *schema, const char *name, const json_t *value, struct err *e)
{
    json_int_t least = bound(schema, "minimum"), most = bound(schema, "maximum"),
               n = json_integer_value(value);
    if (!json_is_integer(value) || (least != ANY && n < least) || (most != ANY && n > most))
        return most == ANY ? err_tell(e, RC_BAD_INPUT, "\"%s\" must be a whole number from %lld on.", name,
                                 (long long)(least == ANY ? 0 : least))
                           : err_tell(e, RC_BAD_INPUT, "\"%s\" must be a whole number from %lld to %lld.",
                                 name, (long long)(least == ANY ? 0 : least), (long long)most);
    return RC_OK;
}

static enum rc check_array(const json_t *schema, const char *name, const json_t *value, struct err *e)
{
    json_int_t most = bound(schema, "maxItems");
    size_t i;
    json_t *v;
    if (!json_is_array(value))
        return err_tell(e, RC_BAD_INPUT, "\"%s\" must be a list.", name);
    if (most != ANY && json_array_size(value) > (size_t)most)
        return err_tell(e, RC_BAD_INPUT, "\"%s\" may have at most %lld entries.", name, (long long)most);
    json_array_foreach(value, i, v)
    {
        enum rc rc = check(json_object_get(schema, "items"), name, v, e);
        if (rc != RC_OK)
            return rc;
    }
    return RC_OK;
}

/* Names the members that exist, because a model may have invented the other. */
static enum rc refuse_unknown(const json_t *properties, struct err *e)
{
    AUTO_STRBUF names;
    const char *key;
    json_t *v;
    strbuf_init(&names, NAMES_MAX);
    json_object_foreach((json_t *)(uintptr_t)properties, key, v)
    {
        strbuf_addf(&names, "%s\"%s\"", names.len ? ", " : "", key);
    }
    return names.len ? err_tell(e, RC_BAD_INPUT, "One of the arguments is unknown. Known are %s.", names.s)
                     : err_tell(e, RC_BAD_INPUT, "No arguments are expected.");
}

static enum rc check_object(const json_t *schema, const char *name, const json_t *value, struct err *e)
{
    const json_t *properties = json_object_get(schema, "properties"), *member;
    bool closed = json_is_false(json_object_get(schema, "additionalProperties"));
    const char *key;
    size_t i;
    json_t *v;
    if (!json_is_object(value))
        return err_tell(e, RC_BAD_INPUT, "\"%s\" must be a JSON object.", name);
    json_array_foreach(json_object_get(schema, "required"), i, v)
    {
        if (!json_object_get(value, json_string_value(v)))
            return err_say(e, RC_BAD_INPUT, "form.missing", arg_text("field", json_string_value(v)));
    }
    json_object_foreach((json_t *)(uintptr_t)value, key, v)
    {
        if (!(member = json_object_get(properties, key))) {
            if (closed)
                return refuse_unknown(properties, e);
            continue;
        }
        enum rc rc = check(member, key, v, e);
        if (rc != RC_OK)
            return rc;
    }
    return RC_OK;
}

static enum rc check(const json_t *schema, const char *name, const json_t *value, struct err *e)
{
    static const struct {
        const char *type;
        enum rc (*fn)(const json_t *schema, const char *name, const json_t *value, struct err *e);
    } types[] = {{"string", check_string}, {"integer", check_integer}, {"array", check_array},
        {"object", check_object}};
    struct str type;
    if (!knows_keywords(schema) || !json_get_str(schema, "type", &type))
        return err_set(e, RC_INTERNAL, "the schema of %s has no type or an unknown keyword", name);
    if (str_is(type, "boolean"))
        return json_is_boolean(value)
                   ? RC_OK
                   : err_say(e, RC_BAD_INPUT, "form.true_or_false", arg_text("field", name));
    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if (str_is(type, types[i].type))
            return types[i].fn(schema, name, value, e);
    return err_set(e, RC_INTERNAL, "the schema of %s has an unknown type", name);
}

enum rc schema_check(const json_t *schema, const json_t *value, struct err *e)
{
    return check(schema, "arguments", value, e);
}
