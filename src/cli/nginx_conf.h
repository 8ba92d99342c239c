/*
 * Writes nginx's configuration from nginx/alfred.conf.in: every @NAME@ is replaced. The owner's values are
 * checked first, because a path with a quote or a $ would be syntax.
 */
#ifndef ALFRED_CLI_NGINX_CONF_H
#define ALFRED_CLI_NGINX_CONF_H

#include "app/config/config.h"
#include "base/strbuf.h"
#include "cli/listen.h"

#define NGINX_CONF_MAX (64 * 1024)

struct nginx_setup {
    const char *run_dir;
    const char *user;       /* "www-data", or NULL: as we are */
    const char *errors_dir; /* the small pages for what nginx itself refuses */
    const char *certificate, *certificate_key;
    bool hsts; /* browsers trust the certificate under the name of public_url */
    const struct listen_tcp *listeners;
    size_t listeners_n;
};

/* Appends to `out` (born with NGINX_CONF_MAX). RC_BAD_INPUT (to be shown) for a path that nginx cannot have,
 * RC_INTERNAL for a @NAME@ that nobody knows. */
enum rc nginx_conf(const struct config *c, const struct nginx_setup *s, struct str template,
    struct strbuf *out, struct err *e);

#endif
