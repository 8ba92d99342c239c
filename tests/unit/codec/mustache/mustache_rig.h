/* Shared by the tests of templates. */
#ifndef ALFRED_TESTS_CODEC_MUSTACHE_MUSTACHE_RIG_H
#define ALFRED_TESTS_CODEC_MUSTACHE_MUSTACHE_RIG_H

#include "unit.h"

#include "base/mem.h"
#include "codec/mustache/mustache.h"

#define OUT_MAX 65536

static void add(struct mustache_set *set, const char *name, const char *source)
{
    struct err e = ERR_INIT;
    if (mustache_set_add(set, name, str_of(source), &e) != RC_OK)
        fail_msg("%s", e.text);
}

static void renders(struct mustache_set *set, const char *name, const struct view *v, const char *expected)
{
    AUTO_STRBUF out;
    strbuf_init(&out, OUT_MAX);
    struct err e = ERR_INIT;
    if (mustache_render(set, name, v, &out, &e) != RC_OK)
        fail_msg("%s", e.text);
    assert_string_equal(out.s, expected);
}

#endif
