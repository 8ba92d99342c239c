#include "app/config/config_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/config/config_table.h"
#include "app/config/hosts.h"
#include "base/fs.h"
#include "llm/models.h"

#define NAME_SHOWN 80 /* a longer file name is shown by its last bytes */

/* ---- reading one file ---- */

static enum rc no_such_section(const struct reading *r, const struct toml_entry *v, struct err *e)
{
    const char *near = config_nearest_section(v->table);
    if (*v->table == '\0')
        return err_tell(
            e, RC_BAD_INPUT, "%s line %d: %s must stand below a [section]", r->shown, v->line, v->key);
    return err_tell(e, RC_BAD_INPUT, "%s line %d: there is no section [%.60s]%s%s%s", r->shown, v->line,
        v->table, near ? "; did you mean [" : "", near ? near : "", near ? "]?" : "");
}

static enum rc no_such_key(
    const struct reading *r, const struct toml_entry *v, const char *section, struct err *e)
{
    if (config_section_is_named(section) && (strstr(v->key, "key") || strstr(v->key, "token")))
        return err_tell(e, RC_BAD_INPUT,
            "%s line %d: this file must not contain keys; put the key into the environment and name the "
            "variable in key_env",
            r->shown, v->line);
    const char *near = config_nearest_key(section, v->key);
    return err_tell(e, RC_BAD_INPUT, "%s line %d: [%.40s] has no setting %.60s%s%s%s", r->shown, v->line,
        v->table, v->key, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static bool is_section_name(const char *name)
{
    size_t len = strlen(name);
    return len > 0 && len <= SECTION_NAME_MAX && strspn(name, SECTION_NAME_CHARS) == len;
}

/* The server of [mcp.NAME]; added when it is new. */
static enum rc mcp_of(struct reading *r, const struct toml_entry *v, struct config_mcp **out, struct err *e)
{
    const char *name = v->table + strlen(CONFIG_MCP_PREFIX);
    for (size_t i = 0; i < r->c->mcp_n; i++)
        if (strcmp(r->mcp[i].name, name) == 0) {
            *out = &r->mcp[i];
            return RC_OK;
        }
    if (!is_section_name(name))
        return err_tell(e, RC_BAD_INPUT,
            "%s line %d: the name of an MCP server has 1 to %d characters of a-z, 0-9, _ and -", r->shown,
            v->line, SECTION_NAME_MAX);
    if (r->c->mcp_n == CONFIG_MCP_MAX)
        return err_tell(
            e, RC_BAD_INPUT, "%s line %d: more than %d MCP servers", r->shown, v->line, CONFIG_MCP_MAX);
    struct config_mcp *m = &r->mcp[r->c->mcp_n++];
    config_defaults(r->c->arena, CONFIG_MCP_SECTION, r->folder, m);
    m->name = arena_strdup(r->c->arena, name);
    *out = m;
    return RC_OK;
}

/* The provider of [provider.NAME]; added when it is new. */
static enum rc provider_of(
    struct reading *r, const struct toml_entry *v, struct config_provider **out, struct err *e)
{
    const char *name = v->table + strlen(CONFIG_PROVIDER_PREFIX);
    for (size_t i = 0; i < r->c->providers_n; i++)
        if (strcmp(r->providers[i].name, name) == 0) {
            *out = &r->providers[i];
            return RC_OK;
        }
    if (!is_section_name(name))
        return err_tell(e, RC_BAD_INPUT,
            "%s line %d: a provider's name has 1 to %d characters of a-z, 0-9, _ and -", r->shown, v->line,
            SECTION_NAME_MAX);
    if (strcmp(name, "offline") == 0)
        return err_tell(e, RC_BAD_INPUT,
            "%s line %d: \"offline\" is the built-in provider; choose another name", r->shown, v->line);
    if (r->c->providers_n == CONFIG_PROVIDERS_MAX)
        return err_tell(
            e, RC_BAD_INPUT, "%s line %d: more than %d providers", r->shown, v->line, CONFIG_PROVIDERS_MAX);
    struct config_provider *p = &r->providers[r->c->providers_n++];
    config_defaults(r->c->arena, CONFIG_PROVIDER_SECTION, r->folder, p);
    p->name = arena_strdup(r->c->arena, name);
    *out = p;
    return RC_OK;
}

static bool section_known(const char *name)
{
    size_t n;
    const struct config_section *all = config_sections(&n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(all[i].name, name) == 0)
            return true;
    return false;
}

static enum rc take(struct reading *r, const struct toml_entry *v, struct err *e)
{
    const char *section = v->table;
    void *base = r->c;
    enum rc rc;
    if (strncmp(v->table, CONFIG_PROVIDER_PREFIX, strlen(CONFIG_PROVIDER_PREFIX)) == 0) {
        struct config_provider *p = NULL;
        if ((rc = provider_of(r, v, &p, e)) != RC_OK)
            return rc;
        section = CONFIG_PROVIDER_SECTION;
        base = p;
    } else if (strncmp(v->table, CONFIG_MCP_PREFIX, strlen(CONFIG_MCP_PREFIX)) == 0) {
        struct config_mcp *m = NULL;
        if ((rc = mcp_of(r, v, &m, e)) != RC_OK)
            return rc;
        section = CONFIG_MCP_SECTION;
        base = m;
    } else if (!section_known(section)) {
        return no_such_section(r, v, e);
    }
    const struct config_row *row = config_row_find(section, v->key);
    if (!row)
        return no_such_key(r, v, section, e);
    struct err why = ERR_INIT;
    if ((rc = config_apply(r->c->arena, row, r->folder, v, base, &why)) != RC_OK)
        return err_tell(e, rc, "%s line %d: [%s] %s %s", r->shown, v->line, v->table, v->key, why.text);
    return RC_OK;
}

/* Finds files that come with the programs. In the work tree the program is build/FLAVOUR/bin/alfred, three
 * folders below them. Installed files are in PREFIX/bin and PREFIX/share/alfred. */
const char *config_beside_program(struct arena *a, const char *what)
{
    static const char *const places[] = {"/../..", "/share/alfred"};
    char exe[FS_PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = '\0';
    for (int up = 0; up < 2; up++) { /* from the program's file to the parent of its folder */
        char *slash = strrchr(exe, '/');
        if (slash)
            *slash = '\0';
    }
    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        AUTO_FREE char *real = realpath(arena_printf(a, "%s%s/%s", exe, places[i], what), NULL);
        if (real)
            return arena_strdup(a, real);
    }
    return arena_printf(a, "%s%s/%s", exe, places[0], what); /* the caller that opens it reports the error */
}

static const char *without_slashes_at_end(struct arena *a, const char *s)
{
    size_t n = strlen(s);
    while (n > 1 && s[n - 1] == '/')
        n--;
    return arena_strndup(a, s, n);
}

/* The address without public_url: localhost, unless https listens only on another address. */
static const char *own_url(struct arena *a, const struct config *c)
{
    static const char *const on_localhost[] = {"*", "0.0.0.0", "::", "127.0.0.1", "::1"};
    const char *host = c->server.bind;
    for (size_t i = 0; i < ARRAY_LEN(on_localhost); i++)
        if (strcmp(c->server.bind, on_localhost[i]) == 0)
            host = "localhost";
    return arena_printf(a, strchr(host, ':') ? "https://[%s]:%lld" : "https://%s:%lld", host,
        (long long)c->server.https_port);
}

static void complete(struct config *c, struct config_provider *providers)
{
    struct arena *a = c->arena;
    c->providers = providers;
    c->server.data_dir = without_slashes_at_end(a, c->server.data_dir);
    c->server.public_url =
        *c->server.public_url ? without_slashes_at_end(a, c->server.public_url) : own_url(a, c);
    c->telegram.public_url =
        *c->telegram.public_url ? without_slashes_at_end(a, c->telegram.public_url) : c->server.public_url;
    c->telegram.api_url = without_slashes_at_end(a, c->telegram.api_url);
    c->web.search_url = without_slashes_at_end(a, c->web.search_url);
    if (c->limits.v1_body_bytes < c->limits.body_bytes)
        c->limits.v1_body_bytes = c->limits.body_bytes;
    hosts_collect(c);
    if (!*c->server.template_dir)
        c->server.template_dir = config_beside_program(a, "templates");
    if (!*c->server.static_dir)
        c->server.static_dir = config_beside_program(a, "static");
    if (!*c->context.system_prompt)
        c->context.system_prompt = arena_printf(a, "%s/system-prompt.md", c->server.data_dir);
    for (size_t i = 0; i < c->providers_n; i++)
        if (*providers[i].base_url)
            providers[i].base_url = llm_base_url(a, providers[i].kind, providers[i].base_url);
}

enum rc config_parse(
    const char *name, const char *folder, struct str text, struct config **out, struct err *e)
{
    AUTO(arena) scratch = arena_new();
    struct arena *a = arena_new();
    AUTO(config) c = ARENA_NEW(a, struct config);
    c->arena = a;
    struct reading r = {.c = c, .folder = folder};
    r.providers = ARENA_ARRAY(a, struct config_provider, CONFIG_PROVIDERS_MAX);
    c->mcp = r.mcp = ARENA_ARRAY(a, struct config_mcp, CONFIG_MCP_MAX);
    r.shown =
        strlen(name) > NAME_SHOWN ? arena_printf(scratch, "...%s", name + strlen(name) - NAME_SHOWN) : name;

    size_t sections_n, n;
    const struct config_section *sections = config_sections(&sections_n);
    for (size_t i = 0; i < sections_n; i++)
        if (!config_section_is_named(sections[i].name))
            config_defaults(a, sections[i].name, folder, c);

    struct toml_entry *entries;
    struct err why = ERR_INIT;
    enum rc rc = toml_parse(scratch, text, &entries, &n, &why);
    if (rc != RC_OK)
        return err_tell(e, rc, "%s: %s", r.shown, why.text);
    r.entries = entries;
    r.entries_n = n;
    for (size_t i = 0; i < n; i++)
        if ((rc = take(&r, &entries[i], e)) != RC_OK)
            return rc;
    if ((rc = config_check(&r, e)) != RC_OK)
        return rc;
    complete(c, r.providers);
    *out = c;
    c = NULL;
    return RC_OK;
}

enum rc config_load(const char *path, struct config **out, struct err *e)
{
    const char *named = path ? path : getenv(CONFIG_FILE_ENV);
    if (named && !*named)
        named = NULL;
    const char *file = named ? named : CONFIG_FILE_NAME;
    AUTO_STRBUF text;
    strbuf_init(&text, TOML_TEXT_MAX);
    enum rc rc = fs_read(file, &text, e);
    bool absent = rc == RC_NOT_FOUND && !named;
    if (rc != RC_OK && !absent) {
        if (rc == RC_NOT_FOUND)
            return err_tell(e, rc, "The configuration file %.150s does not exist.", file);
        return rc;
    }
    AUTO_FREE char *real = absent ? realpath(".", NULL) : realpath(file, NULL);
    if (!real)
        return err_set(e, RC_IO, "%.100s: %s", file, strerror(errno));
    AUTO_FREE char *folder = xstrdup(real);
    if (!absent)
        folder[strrchr(folder, '/') - folder] = '\0';
    if ((rc = config_parse(file, folder, strbuf_str(&text), out, e)) != RC_OK)
        return rc;
    (*out)->path = absent ? NULL : arena_strdup((*out)->arena, real);
    return RC_OK;
}

void config_free(struct config *c)
{
    if (c)
        arena_free(c->arena);
}
