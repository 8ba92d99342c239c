/* Questions on the terminal. Without a terminal the answers are lines of standard input, for scripts. */
#ifndef ALFRED_CLI_TERMINAL_H
#define ALFRED_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* Reads one line without its end, at most size - 2 bytes. False: the input has ended, or the line is too
 * long. The question goes to standard error. */
bool terminal_ask(const char *question, char *out, size_t size);
/* Reads a line that is not shown while it is typed. The question is written only on a terminal. */
bool terminal_ask_secret(const char *question, char *out, size_t size);

#endif
