#include "cli/chat/edit_load.h"

#include "base/shared_library.h"

static struct edit_library edit; /* written by edit_load() */

static const struct shared_function functions[] = {
    {"el_init", &edit.init},
    {"el_end", &edit.end},
    {"el_set", &edit.set},
    {"el_get", &edit.get},
    {"el_gets", &edit.gets},
    {"el_wgetc", &edit.wgetc},
    {"el_push", &edit.push},
    {"el_line", &edit.line},
    {"el_insertstr", &edit.insertstr},
    {"el_deletestr", &edit.deletestr},
    {"el_source", &edit.source},
    {"history_init", &edit.history_init},
    {"history_end", &edit.history_end},
    {"history", &edit.history},
    {0},
};

static struct shared_library libedit = SHARED_LIBRARY("libedit.so.2", functions, NULL);

const struct edit_library *edit_library(void)
{
    return &edit;
}

enum rc edit_load(struct err *e)
{
    struct err cause = ERR_INIT;
    if (shared_library_load(&libedit, &cause))
        return err_tell(e, RC_UNAVAILABLE,
            "A conversation needs libedit (%s): install the package libedit2. "
            "`alfred chat \"Hello\"` works without it.",
            cause.text);
    return RC_OK;
}
