/*
 * Loads libedit for the first prompt. Every program of the family is the same executable file, so a linked
 * library would cost each of them memory and start time (net/curl_load.h).
 *
 * The functions have libedit's types; el_set() and history() take variable arguments, so there are pointers
 * instead of functions of the same names.
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
    __typeof__(&el_getc) getc;
    __typeof__(&el_push) push;
    __typeof__(&el_line) line;
    __typeof__(&el_insertstr) insertstr;
    __typeof__(&el_deletestr) deletestr;
    __typeof__(&el_source) source;
    __typeof__(&history_init) history_init;
    __typeof__(&history_end) history_end;
    __typeof__(&history) history;
};

/* RC_UNAVAILABLE (with a sentence): the library is missing. It stays loaded until the process ends. */
enum rc edit_load(struct err *e);
/* What edit_load() has loaded. */
const struct edit_library *edit_library(void);

#endif
