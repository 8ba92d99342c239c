/*
 * The tree of an HTML document, by libgumbo (HTML5, as browsers parse). The library is loaded at the first
 * document (base/shared_library.h).
 */
#ifndef ALFRED_CODEC_PAGE_PAGE_TREE_H
#define ALFRED_CODEC_PAGE_PAGE_TREE_H

#include <gumbo.h>

#include "base/err.h"
#include "base/mem.h"

#define PAGE_TREE_DEPTH_MAX  640              /* elements that are open at once; browsers allow 512 */
#define PAGE_TREE_MEMORY_MAX (64 << 20)       /* bytes that the library may take */
#define PAGE_TREE_TIME_MAX   INT64_C(2000000) /* processor time in microseconds */

/* `html`: valid UTF-8. `*root`: the <html> element. The tree is in the arena and refers to `html`.
 * RC_TOO_BIG: one of the limits above. RC_UNAVAILABLE: the library is missing. */
enum rc page_tree_read(struct arena *a, struct str html, const GumboNode **root, struct err *e);

#endif
