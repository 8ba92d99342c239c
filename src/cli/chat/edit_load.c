#include "cli/chat/edit_load.h"

#include <dlfcn.h>

#define LIBRARY "libedit.so.2"

static struct edit_library loaded; /* written by edit_load(), before the first use */

const struct edit_library *edit_library(void)
{
    return &loaded;
}

enum rc edit_load(struct err *e)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return err_tell(e, RC_UNAVAILABLE,
            "A conversation needs libedit: install the package libedit2. "
            "`alfred chat \"Hello\"` works without it.");
#define FIND(member, name)                                                  \
    if (!(loaded.member = (__typeof__(loaded.member))dlsym(library, name))) \
    return err_tell(e, RC_UNAVAILABLE, "%s has no function %s.", LIBRARY, name)
    FIND(init, "el_init");
    FIND(end, "el_end");
    FIND(set, "el_set");
    FIND(get, "el_get");
    FIND(gets, "el_gets");
    FIND(getc, "el_getc");
    FIND(push, "el_push");
    FIND(line, "el_line");
    FIND(insertstr, "el_insertstr");
    FIND(deletestr, "el_deletestr");
    FIND(source, "el_source");
    FIND(history_init, "history_init");
    FIND(history_end, "history_end");
    FIND(history, "history");
#undef FIND
    return RC_OK;
}
