/* Arguments that are headers, too: "x-mcp-header" in a tool's schema. A header may be set only for a text, a
 * whole number or a truth value that is reached from the root by "properties" alone. */
#include "mcp/mcp_tools.h"

#include <stdlib.h>
#include <strings.h>

#include "base/str.h"
#include "mcp/mcp_message.h"

#define MARK        "x-mcp-header"
#define TOKEN_CHARS "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define NAME_MAX_   64
#define SAFE_MAX    INT64_C(9007199254740991)

struct walk {
    struct arena *arena;
    struct http_header *out; /* NULL: only checks */
    size_t n;                /* headers in `out` */
    const char *names[MCP_PARAMS_MAX];
    size_t names_n;
};

static bool is_new_name(struct walk *w, const char *name)
{
    size_t len = strlen(name);
    if (!len || len > NAME_MAX_ || strspn(name, TOKEN_CHARS) != len || w->names_n == MCP_PARAMS_MAX)
        return false;
    for (size_t i = 0; i < w->names_n; i++)
        if (strcasecmp(w->names[i], name) == 0)
            return false;
    w->names[w->names_n++] = name;
    return true;
}

static bool is_simple(const json_t *schema)
{
    static const char *const types[] = {"string", "integer", "boolean"};
    struct str type = {0};
    return json_get_str(schema, "type", &type) && STR_IN(type, types);
}

static const char *value_text(struct arena *a, const json_t *value)
{
    if (json_is_string(value))
        return mcp_header_value(a, (struct str){json_string_value(value), json_string_length(value)});
    if (json_is_boolean(value))
        return json_is_true(value) ? "true" : "false";
    if (json_is_integer(value) && llabs(json_integer_value(value)) <= SAFE_MAX)
        return arena_printf(a, "%lld", (long long)json_integer_value(value));
    return NULL;
}

static bool take_mark(struct walk *w, const json_t *schema, const json_t *mark, const json_t *value)
{
    if (!json_is_string(mark) || !is_simple(schema) || !is_new_name(w, json_string_value(mark)))
        return false;
    const char *text = w->out && value ? value_text(w->arena, value) : NULL;
    if (text)
        w->out[w->n++] =
            (struct http_header){arena_printf(w->arena, "Mcp-Param-%s", json_string_value(mark)), text};
    return true;
}

static bool holds_data(const char *key)
{
    static const char *const keys[] = {"enum", "const", "default", "examples"};
    return STR_IN(str_of(key), keys);
}

/* True when a schema in a place that no chain of properties reaches has a mark. */
static bool has_mark(const json_t *schema)
{
    const char *key;
    const json_t *one;
    size_t i;
    if (json_object_get(schema, MARK))
        return true;
    json_object_foreach((json_t *)schema, key, one)
    {
        if (!holds_data(key) && has_mark(one))
            return true;
    }
    json_array_foreach(schema, i, one)
    {
        if (has_mark(one))
            return true;
    }
    return false;
}

static bool walk(struct walk *w, const json_t *schema, const json_t *value, bool root)
{
    const char *key, *name;
    const json_t *one, *of;
    json_object_foreach((json_t *)schema, key, one)
    {
        if (strcmp(key, MARK) == 0) {
            if (root || !take_mark(w, schema, one, value))
                return false;
        } else if (strcmp(key, "properties") == 0) {
            json_object_foreach((json_t *)one, name, of)
            {
                if (!walk(w, of, json_object_get(value, name), false))
                    return false;
            }
        } else if (!holds_data(key) && has_mark(one)) {
            return false;
        }
    }
    return true;
}

bool mcp_param_headers(
    struct arena *a, const json_t *schema, const json_t *args, struct http_header *out, size_t *n)
{
    struct walk w = {.arena = a, .out = args ? out : NULL};
    bool fine = walk(&w, schema, args, true);
    *n = w.n;
    return fine;
}
