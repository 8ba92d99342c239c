/*
 * Loads libedit for the first prompt of the terminal client (base/shared_library.h).
 *
 * Callers use pointers of libedit's types. Functions of the same names, as in net/curl_load.h, could not pass
 * on the variable arguments of el_set() and history().
 */
#ifndef ALFRED_CLI_CHAT_EDIT_LOAD_H
#define ALFRED_CLI_CHAT_EDIT_LOAD_H

#include <histedit.h>

#include "base/err.h"

struct edit_library {
    __typeof__(&el_init) init;
    __typeof__(&el_end) end;
    __typeof__(&el_set) set;
    __typeof__(&el_get) get;
    __typeof__(&el_gets) gets;
    __typeof__(&el_wgetc) wgetc;
    __typeof__(&el_push) push;
    __typeof__(&el_line) line;
    __typeof__(&el_insertstr) insertstr;
    __typeof__(&el_deletestr) deletestr;
    __typeof__(&el_source) source;
    __typeof__(&history_init) history_init;
    __typeof__(&history_end) history_end;
    __typeof__(&history) history;
};

/* RC_UNAVAILABLE, with a sentence for the user: the library is missing or too old. */
enum rc edit_load(struct err *e);
/* The functions, set once edit_load() has returned RC_OK. */
const struct edit_library *edit_library(void);

#endif
