#include "app/config/config_files.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static enum rc check(const char *section, const char *key, const char *path, struct err *e)
{
    if (!*path || access(path, R_OK) == 0)
        return RC_OK;
    return err_tell(e, RC_NOT_FOUND, "[%s] %s: %.150s: %s", section, key, path, strerror(errno));
}

enum rc config_files_check(const struct config *c, struct err *e)
{
    const struct {
        const char *section, *key, *path;
    } named[] = {
        {"server", "template_dir", c->server.template_dir},
        {"server", "static_dir", c->server.static_dir},
        {"server", "certificate", c->server.certificate},
        {"server", "certificate_key", c->server.certificate_key},
        {"web", "ca_file", c->web.ca_file},
        {"python", "program", c->python.program},
    };
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < ARRAY_LEN(named); i++)
        rc = check(named[i].section, named[i].key, named[i].path, e);
    for (size_t i = 0; rc == RC_OK && i < c->providers_n; i++) {
        const char *section = arena_printf(c->arena, "provider.%s", c->providers[i].name);
        rc = check(section, "ca_file", c->providers[i].ca_file, e);
    }
    return rc;
}
