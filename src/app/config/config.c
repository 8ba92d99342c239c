#include "app/config/config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/config/config_price.h"
#include "app/config/config_table.h"
#include "app/config/hosts.h"
#include "base/fs.h"
#include "codec/json/json.h"
#include "codec/toml.h"
#include "llm/models.h"

#define NAME_SHOWN          80 /* a longer file name is shown by its last bytes */
#define PROVIDER_NAME_CHARS "abcdefghijklmnopqrstuvwxyz0123456789_-"
#define PROVIDER_NAME_MAX   40
#define HEADER_CHARS        CONFIG_SECRET_CHARS "-"

/* ---- reading one file ---- */

struct reading {
    struct config *c;
    struct config_provider *providers; /* room for CONFIG_PROVIDERS_MAX */
    const char *folder;
    const char *shown; /* the file's name, shortened for messages */
    const struct toml_entry *entries;
    size_t entries_n;
};

/* The entry of a setting, `key` NULL: the first one of the section. NULL: the file does not have it. */
static const struct toml_entry *entry_of(const struct reading *r, const char *section, const char *key)
{
    for (size_t i = 0; i < r->entries_n; i++) {
        const struct toml_entry *v = &r->entries[i];
        if (strcmp(v->table, section) == 0 && (!key || strcmp(v->key, key) == 0))
            return v;
    }
    return NULL;
}

/* The line of a setting; of the first one of its section when the file does not have it. */
static int line_of(const struct reading *r, const char *section, const char *key)
{
    const struct toml_entry *v = entry_of(r, section, key);
    v = v ? v : entry_of(r, section, NULL);
    return v ? v->line : 0;
}

static enum rc refuse(
    const struct reading *r, const char *section, const char *key, const char *why, struct err *e)
{
    return err_tell(
        e, RC_BAD_INPUT, "%s line %d: [%s] %s %s", r->shown, line_of(r, section, key), section, key, why);
}

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
    if (strcmp(section, CONFIG_PROVIDER_SECTION) == 0 && strstr(v->key, "key"))
        return err_tell(e, RC_BAD_INPUT,
            "%s line %d: this file must not contain keys; put the key into the environment and name the "
            "variable in key_env",
            r->shown, v->line);
    const char *near = config_nearest_key(section, v->key);
    return err_tell(e, RC_BAD_INPUT, "%s line %d: [%.40s] has no setting %.60s%s%s%s", r->shown, v->line,
        v->table, v->key, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
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
    size_t len = strlen(name);
    if (len == 0 || len > PROVIDER_NAME_MAX || strspn(name, PROVIDER_NAME_CHARS) != len)
        return err_tell(e, RC_BAD_INPUT,
            "%s line %d: a provider's name has 1 to %d characters of a-z, 0-9, _ and -", r->shown, v->line,
            PROVIDER_NAME_MAX);
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

/* ---- checks of several settings together ---- */

static bool is_address(const char *s)
{
    unsigned char buf[sizeof(struct in6_addr)];
    return inet_pton(AF_INET, s, buf) == 1 || inet_pton(AF_INET6, s, buf) == 1;
}

/* An address or a network like 10.0.0.0/8. */
static bool is_network(const char *s)
{
    struct str bits = str_of(s), address = str_cut(&bits, '/');
    char text[INET6_ADDRSTRLEN];
    int64_t n;
    if (address.len >= sizeof text)
        return false;
    memcpy(text, address.s, address.len);
    text[address.len] = '\0';
    int64_t most = strchr(text, ':') ? 128 : 32;
    return is_address(text) && (!bits.s || str_to_int(bits, 0, most, &n));
}

static bool is_url(const char *s)
{
    struct str u = str_of(s);
    bool https = str_starts(u, STR("https://"));
    if (!https && !str_starts(u, STR("http://")))
        return false;
    return strlen(s) > (https ? 8U : 7U) && strpbrk(s, " \"'<>\\@?#") == NULL;
}

static bool is_public_url(const char *s)
{
    return is_url(s) && host_of_url(str_of(s)).s;
}

/* The links in our pages begin at the root of the host. Slashes at the end are no path. */
static bool has_path(const char *url)
{
    const char *path = strchr(strstr(url, "://") + 3, '/');
    return path && path[strspn(path, "/")] != '\0';
}

bool config_list_has(const struct config_list *l, const char *s)
{
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->v[i], s) == 0)
            return true;
    return false;
}

/* A host as in a Host header, without the port. */
static bool is_host(const char *s)
{
    struct str host = host_of_header(str_of(s));
    return host.s && str_eq(host, str_of(s));
}

static bool is_header(const char *s)
{
    size_t n = strspn(s, HEADER_CHARS);
    return n > 0 && s[n] == ':' && *str_trim(str_of(s + n + 1)).s;
}

/* Checks the optional members. Returns what is wrong with the value of `*key`; NULL: nothing is. */
static const char *wrong_in_request(const struct config_provider *p, const char **key)
{
    json_t *body = NULL;
    *key = "headers";
    for (size_t i = 0; i < p->headers.n; i++)
        if (!is_header(p->headers.v[i]))
            return "must list \"Name: value\"";
    if (p->headers.n > CONFIG_HEADERS_MAX)
        return "has too many entries";
    *key = "key_header";
    if (strspn(p->key_header, HEADER_CHARS) != strlen(p->key_header))
        return "must be the name of a header";
    *key = "body";
    if (*p->body &&
        (json_parse(str_of(p->body), CONFIG_TEXT_MAX, &body, NULL) != RC_OK || !json_is_object(body))) {
        json_decref(body);
        return "must be a JSON object, like '{\"temperature\": 0.5}'";
    }
    json_decref(body);
    *key = "prices";
    for (size_t i = 0; i < p->prices.n; i++)
        if (!config_price_parse(p->prices.v[i], &(struct str){0}, &(struct config_price){0}))
            return "must list \"MODEL INPUT OUTPUT [CACHED]\", like \"gpt-4.1 2.00 8.00 0.50\"";
    *key = "proxy";
    if (*p->proxy && !is_url(p->proxy))
        return "must be an address like http://proxy.example.org:3128";
    *key = "models";
    for (size_t i = 0; i < p->models.n; i++)
        if (!*p->models.v[i])
            return "has an empty name";
    return NULL;
}

/* A base URL may end in a query. "?" is allowed nowhere else in it. */
static bool is_base_url(const char *s)
{
    char path[CONFIG_TEXT_MAX + 1];
    size_t n = strcspn(s, "?");
    snprintf(path, sizeof path, "%.*s", (int)n, s);
    return is_url(path) && strpbrk(s + n, " \"'<>\\@#") == NULL;
}

/* Of two settings that do not fit together, the one in the file is refused. */
static enum rc refuse_one(const struct reading *r, const char *section, const char *key, const char *why,
    const char *other, const char *why_other, struct err *e)
{
    return entry_of(r, section, key) ? refuse(r, section, key, why, e)
                                     : refuse(r, section, other, why_other, e);
}

static enum rc check_provider(const struct reading *r, const struct config_provider *p, struct err *e)
{
    char section[sizeof CONFIG_PROVIDER_PREFIX + PROVIDER_NAME_MAX];
    snprintf(section, sizeof section, CONFIG_PROVIDER_PREFIX "%s", p->name);
    if (strcmp(p->kind, "openai") != 0 && strcmp(p->kind, "anthropic") != 0)
        return refuse(r, section, "kind", "must be \"openai\" or \"anthropic\"", e);
    if (*p->base_url && !is_base_url(p->base_url))
        return refuse(r, section, "base_url", "must be an address like https://host/v1", e);
    const char *method = llm_url_method(p->base_url), *key;
    if (method) {
        char why[64];
        snprintf(why, sizeof why, "must end before \"%s\"", method);
        return refuse(r, section, "base_url", why, e);
    }
    if (strspn(p->key_env, CONFIG_SECRET_CHARS) != strlen(p->key_env))
        return refuse(r, section, "key_env", "must be the name of a variable, not the key itself", e);
    const char *wrong = wrong_in_request(p, &key);
    if (wrong)
        return refuse(r, section, key, wrong, e);
    for (size_t i = 0; i < p->with_tools.n; i++)
        if (config_list_has(&p->without_tools, p->with_tools.v[i]))
            return refuse(r, section, "without_tools", "and with_tools must have no model in common", e);
    return RC_OK;
}

static enum rc check_server(const struct reading *r, struct err *e)
{
    static const char s[] = "server";
    const struct config *c = r->c;
    if (strcmp(c->server.bind, "*") != 0 && !is_address(c->server.bind))
        return refuse(r, s, "bind", "must be \"*\" or an IP address", e);
    if (c->server.http_port == c->server.https_port)
        return refuse_one(
            r, s, "http_port", "must differ from https_port", "https_port", "must differ from http_port", e);
    if (*c->server.public_url && !is_public_url(c->server.public_url))
        return refuse(r, s, "public_url", "must be an address like https://alfred.example.org", e);
    if (*c->server.public_url && has_path(c->server.public_url))
        return refuse(
            r, s, "public_url", "must be an address like https://alfred.example.org, without a path", e);
    if (!*c->server.data_dir)
        return refuse(r, s, "data_dir", "must not be empty", e);
    if (*c->server.certificate && !*c->server.certificate_key)
        return refuse(r, s, "certificate", "needs certificate_key", e);
    if (*c->server.certificate_key && !*c->server.certificate)
        return refuse(r, s, "certificate_key", "needs certificate", e);
    for (size_t i = 0; i < c->server.trusted_proxy.n; i++)
        if (!is_network(c->server.trusted_proxy.v[i]))
            return refuse(
                r, s, "trusted_proxy", "must list addresses like 192.0.2.1 or networks like 10.0.0.0/8", e);
    for (size_t i = 0; i < c->server.hosts.n; i++)
        if (!is_host(c->server.hosts.v[i]))
            return refuse(r, s, "hosts", "must list names like \"alfred.lan\", without port", e);
    return RC_OK;
}

/* A file that sets shorter bodies only also gets shorter messages. */
static void fit_messages(const struct reading *r)
{
    int64_t most = (r->c->limits.body_bytes - 1) / CONFIG_BODY_TIMES;
    if (r->c->limits.message_bytes > most && !entry_of(r, "limits", "message_bytes"))
        r->c->limits.message_bytes = most;
}

static const char must_be_servers[] = "must list \"host\" or \"host:port\"";

static bool are_servers(const struct config_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        if (!*l->v[i] || strpbrk(l->v[i], "/@ "))
            return false;
    return true;
}

static enum rc check_whole(const struct reading *r, struct err *e)
{
    const struct config *c = r->c;
    fit_messages(r);
    enum rc rc = check_server(r, e);
    if (rc != RC_OK)
        return rc;
    if (c->login.absolute_days < c->login.idle_days)
        return refuse_one(r, "login", "absolute_days", "must not be less than idle_days", "idle_days",
            "must not be more than absolute_days", e);
    if (c->limits.body_bytes <= CONFIG_BODY_TIMES * c->limits.message_bytes)
        return refuse(r, "limits", "message_bytes", "must be less than a third of body_bytes", e);
    if (!are_servers(&c->net.allow))
        return refuse(r, "net", "allow", must_be_servers, e);
    if (!are_servers(&c->web.hosts))
        return refuse(r, "web", "hosts", must_be_servers, e);
    if (*c->web.search_url && !is_public_url(c->web.search_url))
        return refuse(r, "web", "search_url", "must be an address like https://search.example.org", e);
    if (*c->telegram.public_url && (!is_public_url(c->telegram.public_url) ||
                                       !str_starts(str_of(c->telegram.public_url), STR("https://"))))
        return refuse(r, "telegram", "public_url", "must be an address like https://alfred.example.org", e);
    if (*c->models.default_model && !strchr(c->models.default_model, '/'))
        return refuse(r, "models", "default_model", "must be \"provider/model\", like \"openai/gpt-4.1\"", e);
    if (!is_url(c->telegram.api_url))
        return refuse(r, "telegram", "api_url", "must be an address like https://api.telegram.org", e);
    for (size_t i = 0; i < c->providers_n; i++)
        if ((rc = check_provider(r, &r->providers[i], e)) != RC_OK)
            return rc;
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
    r.shown =
        strlen(name) > NAME_SHOWN ? arena_printf(scratch, "...%s", name + strlen(name) - NAME_SHOWN) : name;

    size_t sections_n, n;
    const struct config_section *sections = config_sections(&sections_n);
    for (size_t i = 0; i < sections_n; i++)
        if (strcmp(sections[i].name, CONFIG_PROVIDER_SECTION) != 0)
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
    if ((rc = check_whole(&r, e)) != RC_OK)
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
