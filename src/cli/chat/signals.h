/*
 * Signals of the terminal client. Ctrl-C is counted, and stops the loop that is running. SIGTERM and SIGHUP
 * restore the terminal and end the program. Writing to a closed pipe is an error of write(), not a signal.
 */
#ifndef ALFRED_CLI_CHAT_SIGNALS_H
#define ALFRED_CLI_CHAT_SIGNALS_H

#include "net/loop.h"

void signals_init(void (*restore)(void)); /* async-signal-safe; called before the program ends by a signal */
void signals_wake(struct loop *l);        /* the loop that Ctrl-C stops; NULL: none */

/* The number of Ctrl-C since signals_forget(). */
int signals_interrupts(void);
void signals_forget(void);

#endif
