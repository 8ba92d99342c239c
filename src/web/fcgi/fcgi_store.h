/*
 * Opens the database for a FastCGI program, before fcgi_serve().
 *
 * While a program cannot answer yet, its connections wait in the backlog of its socket, and people wait for a
 * page. The upgrade of a large database takes minutes. During one (CONFIG_UPGRADE_ENV), after FCGI_REFUSE_MS,
 * a thread accepts connections and closes them: nginx takes this for a program that does not run (502), and
 * answers itself.
 */
#ifndef ALFRED_WEB_FCGI_FCGI_STORE_H
#define ALFRED_WEB_FCGI_FCGI_STORE_H

#include "app/config/config.h"
#include "store/store.h"

#define FCGI_REFUSE_MS 1000

/* `readers` as for store_open(). Errors of store_open(). RC_IO: descriptor 0 is not a listening socket.
 * RC_UNAVAILABLE: the thread cannot be started. */
enum rc fcgi_store_open(const struct config *c, int readers, struct store **out, struct err *e);

#endif
