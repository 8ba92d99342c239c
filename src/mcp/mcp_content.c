/* The result of a call as text. */
#include "mcp/mcp_tools.h"

#include <stdlib.h>

#include "base/humanize.h"
#include "base/strbuf.h"
#include "base/utf8.h"

#define LINE_MAX 200 /* bytes of a name or address */

struct content {
    struct arena *arena;
    struct strbuf out;
    bool has_text;
};

static const char *line(struct content *c, const json_t *of, const char *key)
{
    struct str text = STR("");
    json_get_str(of, key, &text);
    return humanize_line(c->arena, text, LINE_MAX).s;
}

/* A text that does not fit is cut between characters. */
static void add(struct content *c, struct str text)
{
    size_t room = c->out.cap - c->out.len;
    if (!text.len)
        return;
    if (c->out.len && room > 2) {
        strbuf_adds(&c->out, "\n\n");
        room -= 2;
    }
    strbuf_addstr(&c->out, utf8_head(text, room));
}

/* A resource that the server embeds, such as a file of a repository. */
static void add_resource(struct content *c, const json_t *resource)
{
    const char *uri = line(c, resource, "uri");
    struct str text = STR("");
    if (!json_get_str(resource, "text", &text)) {
        add(c, str_of(arena_printf(c->arena, "[The resource %s, which Alfred does not pass on]", uri)));
        return;
    }
    c->has_text = true;
    add(c, str_of(arena_printf(c->arena, "[The resource %s]", uri)));
    add(c, text);
}

static void add_block(struct content *c, const json_t *block)
{
    const char *type = line(c, block, "type"), *kind = line(c, block, "mimeType");
    struct str text = {0};
    if (strcmp(type, "text") == 0 && json_get_str(block, "text", &text)) {
        c->has_text = true;
        add(c, text);
    } else if (strcmp(type, "image") == 0) {
        add(c, str_of(arena_printf(c->arena, "[An image %s]", kind)));
    } else if (strcmp(type, "audio") == 0) {
        add(c, str_of(arena_printf(c->arena, "[A sound %s, which Alfred does not pass on]", kind)));
    } else if (strcmp(type, "resource") == 0) {
        add_resource(c, json_object_get(block, "resource"));
    } else if (strcmp(type, "resource_link") == 0) {
        add(c, str_of(arena_printf(c->arena, "[A link to the resource \"%s\": %s]", line(c, block, "name"),
                   line(c, block, "uri"))));
    } else {
        add(c, STR("[A part of a kind that Alfred does not know]"));
    }
}

static enum rc check_type(const json_t *result, struct err *e)
{
    struct str type = STR("complete");
    json_get_str(result, "resultType", &type);
    if (str_is(type, "complete"))
        return RC_OK;
    if (str_is(type, "input_required"))
        return err_tell(
            e, RC_UPSTREAM, "The server wants further input during the call, which Alfred does not support.");
    return err_tell(e, RC_UPSTREAM, "The server returned a result of an unknown kind.");
}

enum rc mcp_content(
    struct arena *a, const json_t *result, size_t room, struct str *text, bool *failed, struct err *e)
{
    struct content c = {.arena = a};
    const json_t *all = json_object_get(result, "content"), *block;
    const json_t *structured = json_object_get(result, "structuredContent");
    size_t i;
    *text = STR("");
    *failed = json_is_true(json_object_get(result, "isError"));
    enum rc rc = check_type(result, e);
    if (rc != RC_OK)
        return rc;
    if (all && !json_is_array(all))
        return err_tell(e, RC_UPSTREAM, "The server returned a malformed result.");
    strbuf_init(&c.out, room);
    json_array_foreach(all, i, block)
    {
        if (c.out.len < room)
            add_block(&c, block);
    }
    if (structured && !c.has_text) { /* else the text has the same content */
        AUTO_FREE char *dumped = json_dumps(structured, JSON_COMPACT | JSON_ENCODE_ANY);
        if (dumped)
            add(&c, str_of(dumped));
    }
    *text = arena_str(a, strbuf_str(&c.out));
    strbuf_release(&c.out);
    return RC_OK;
}

size_t mcp_images(const json_t *result, struct str *base64, size_t max)
{
    size_t n = 0, i;
    const json_t *block;
    json_array_foreach(json_object_get(result, "content"), i, block)
    {
        struct str type = {0};
        if (n < max && json_get_str(block, "type", &type) && str_is(type, "image") &&
            json_get_str(block, "data", &base64[n]))
            n++;
    }
    return n;
}
