/* Secrets and headers that a section of alfred.toml names: [provider.NAME], [mcp.NAME]. */
#ifndef ALFRED_APP_CONFIG_CONFIG_HEADERS_H
#define ALFRED_APP_CONFIG_CONFIG_HEADERS_H

#include "app/config/config.h"
#include "net/http.h"

/* A secret that `section` ("provider.NAME") needs, in the arena. RC_BAD_INPUT, with a sentence: it is
 * missing; else as config_secret(). */
enum rc config_needed_secret(const struct config *c, struct arena *a, const char *section, const char *name,
    const char **out, struct err *e);
/* The list "Name: value" as headers, with `more` unset ones behind them. A value "$NAME" becomes that secret.
 * Failures as above. */
enum rc config_headers(const struct config *c, struct arena *a, const char *section,
    const struct config_list *list, size_t more, struct http_header **out, struct err *e);

#endif
