/*
 * Writes nginx's configuration from nginx/alfred.conf.in: every @NAME@ is replaced. Values from the settings
 * are checked first, because quotes or $ in a path would be syntax.
 */
#ifndef ALFRED_CLI_SERVE_NGINX_CONF_H
#define ALFRED_CLI_SERVE_NGINX_CONF_H

#include "app/config/config.h"
#include "base/strbuf.h"
#include "cli/serve/listen.h"

#define NGINX_CONF_MAX (64 * 1024)

struct nginx_setup {
    const char *run_dir;
    const char *user;       /* "www-data", or NULL: the current user */
    const char *errors_dir; /* the short pages for errors of nginx itself */
    const char *certificate, *certificate_key;
    bool hsts; /* browsers trust the certificate under the name of public_url */
    const struct listen_tcp *listeners;
    size_t listeners_n;
};

/* Appends to `out` (initialised with NGINX_CONF_MAX). RC_BAD_INPUT (with a sentence): a path that nginx
 * does not support. RC_INTERNAL: an unknown @NAME@. */
enum rc nginx_conf(const struct config *c, const struct nginx_setup *s, struct str template,
    struct strbuf *out, struct err *e);

#endif
