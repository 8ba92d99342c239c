/*
 * Templates: one input holds three, separated by NUL. They are rendered with a view of every kind. Text is
 * always escaped, and two renderings are equal.
 */
#include <stdlib.h>
#include <string.h>

#include "codec/mustache/mustache.h"

#define OUT_MAX 65536
#define EVIL    "<\x01>" /* never part of a template: inputs with this control character are skipped */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct view *make_view(struct arena *a)
{
    struct view *v = view_new(a), *list = view_list(v, "l"), *o = view_obj(v, "o");
    view_text(v, "t", EVIL);
    view_html(v, "h", (struct markup){STR("<b>\n</b>")});
    view_int(v, "i", -1);
    view_bool(v, "b", true);
    view_null(v, "n");
    view_text(view_item(list), "t", EVIL);
    view_item_text(list, EVIL "\n");
    view_obj(o, "o");
    view_text(o, "t", "x");
    return v;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"a", "p", "q"};
    if (memchr(data, 1, size))
        return 0;
    AUTO(mustache_set) set = mustache_set_new();
    AUTO(arena) a = arena_new();
    struct str rest = {(const char *)data, size};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        mustache_set_add(set, names[i], i + 1 < ARRAY_LEN(names) ? str_cut(&rest, '\0') : rest, NULL);
    const struct view *v = make_view(a);
    AUTO_STRBUF first, second;
    strbuf_init(&first, OUT_MAX);
    strbuf_init(&second, OUT_MAX);
    enum rc one = mustache_render(set, "a", v, &first, NULL),
            two = mustache_render(set, "a", v, &second, NULL);
    if (one != two || !str_eq(strbuf_str(&first), strbuf_str(&second)))
        abort();
    if (memmem(first.s, first.len, EVIL, sizeof EVIL - 1))
        abort();
    return 0;
}
