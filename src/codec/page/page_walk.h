/*
 * A walk through the readable part of a tree, without recursion. Skipped are the elements that page_text.h
 * names, and elements that are more than PAGE_WALK_DEPTH_MAX levels below the first one.
 */
#ifndef ALFRED_CODEC_PAGE_PAGE_WALK_H
#define ALFRED_CODEC_PAGE_PAGE_WALK_H

#include <gumbo.h>
#include <stdbool.h>

#include "base/str.h"

#define PAGE_WALK_DEPTH_MAX 1024

/* The first member of a visitor's own struct. */
struct page_visitor {
    /* False: the content is skipped, and leave() is not called. */
    bool (*enter)(struct page_visitor *v, const GumboNode *element);
    void (*leave)(struct page_visitor *v, const GumboNode *element);
    void (*text)(struct page_visitor *v, struct str text);
    bool stop; /* set by the visitor: the walk ends, without calls of leave() */
};

/* `from` is an element and is not skipped itself. */
void page_walk(const GumboNode *from, struct page_visitor *v);

/* GUMBO_TAG_UNKNOWN for elements that the library does not know, and for those of SVG and MathML except
 * <svg> and <math>. */
GumboTag page_tag(const GumboNode *element);
/* The value of an attribute; s is NULL when there is none. */
struct str page_attribute(const GumboNode *element, const char *name);
/* A number from 0 to `max`; `absent` when the attribute is none. A larger one is `max`. */
long page_number(const GumboNode *element, const char *name, long max, long absent);
bool page_has_role(const GumboNode *element, const char *role);

#endif
