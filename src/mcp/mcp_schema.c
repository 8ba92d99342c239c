/*
 * The schema of a tool's arguments, as models' providers take it. They refuse a whole request because of one
 * schema: OpenAI one without "properties", and a list without "items"; OpenAI and Anthropic one with oneOf,
 * anyOf, allOf, enum or not at its top, and Anthropic names of arguments with other characters. What is added
 * or left out only says less: the server checks the arguments.
 */
#include "mcp/mcp_tools.h"

#include <stdlib.h>
#include <string.h>

#define KEY_MAX   64
#define KEY_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

static bool is_text(const json_t *v, const char *text)
{
    return json_is_string(v) && strcmp(json_string_value(v), text) == 0;
}

/* Lists get "items". */
static void complete(json_t *schema)
{
    const char *key;
    json_t *one;
    size_t i;
    if (is_text(json_object_get(schema, "type"), "array") && !json_object_get(schema, "items"))
        json_object_set_new(schema, "items", json_object());
    json_object_foreach(schema, key, one)
    {
        complete(one);
    }
    json_array_foreach(schema, i, one)
    {
        complete(one);
    }
}

static bool are_keys(const json_t *properties)
{
    const char *key;
    const json_t *one;
    json_object_foreach((json_t *)properties, key, one)
    {
        size_t len = strlen(key);
        if (!len || len > KEY_MAX || strspn(key, KEY_CHARS) != len || !json_is_object(one))
            return false;
    }
    return true;
}

char *mcp_schema_text(const json_t *from)
{
    static const char *const dropped[] = {"$schema", "oneOf", "anyOf", "allOf", "enum", "not"};
    if (!is_text(json_object_get(from, "type"), "object"))
        return NULL;
    AUTO(json_t) schema = json_deep_copy(from);
    for (size_t i = 0; i < ARRAY_LEN(dropped); i++)
        json_object_del(schema, dropped[i]);
    if (!json_object_get(schema, "properties"))
        json_object_set_new(schema, "properties", json_object());
    const json_t *properties = json_object_get(schema, "properties");
    if (!json_is_object(properties) || !are_keys(properties))
        return NULL;
    complete(schema);
    return json_dumps(schema, JSON_COMPACT);
}
