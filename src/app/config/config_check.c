/* Checks of several settings together. */
#include "app/config/config_private.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "app/config/config_price.h"
#include "app/config/config_table.h"
#include "app/config/hosts.h"
#include "codec/json/json.h"
#include "llm/models.h"

#define HEADER_CHARS CONFIG_SECRET_CHARS "-"

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

/* The fault of a list of headers, in words; NULL: it has none. */
static const char *wrong_in_headers(const struct config_list *headers)
{
    for (size_t i = 0; i < headers->n; i++)
        if (!is_header(headers->v[i]))
            return "must list \"Name: value\"";
    return headers->n > CONFIG_HEADERS_MAX ? "has too many entries" : NULL;
}

/* Checks the optional members. Returns what is wrong with the value of `*key`; NULL: nothing is. */
static const char *wrong_in_request(const struct config_provider *p, const char **key)
{
    json_t *body = NULL;
    *key = "headers";
    const char *wrong = wrong_in_headers(&p->headers);
    if (wrong)
        return wrong;
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

static const char must_name_variable[] = "must be the name of a variable, not the key itself";

static enum rc check_provider(const struct reading *r, const struct config_provider *p, struct err *e)
{
    char section[sizeof CONFIG_PROVIDER_PREFIX + SECTION_NAME_MAX];
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
        return refuse(r, section, "key_env", must_name_variable, e);
    const char *wrong = wrong_in_request(p, &key);
    if (wrong)
        return refuse(r, section, key, wrong, e);
    for (size_t i = 0; i < p->with_tools.n; i++)
        if (config_list_has(&p->without_tools, p->with_tools.v[i]))
            return refuse(r, section, "without_tools", "and with_tools must have no model in common", e);
    return RC_OK;
}

static enum rc check_mcp(const struct reading *r, const struct config_mcp *m, struct err *e)
{
    char section[sizeof CONFIG_MCP_PREFIX + SECTION_NAME_MAX];
    snprintf(section, sizeof section, CONFIG_MCP_PREFIX "%s", m->name);
    if (!is_base_url(m->url) || !host_of_url(str_of(m->url)).s)
        return refuse(r, section, "url", "must be an address like https://home.example.org/mcp", e);
    if (strspn(m->key_env, CONFIG_SECRET_CHARS) != strlen(m->key_env))
        return refuse(r, section, "key_env", must_name_variable, e);
    const char *wrong = wrong_in_headers(&m->headers);
    if (wrong)
        return refuse(r, section, "headers", wrong, e);
    for (size_t i = 0; i < m->tools.n; i++)
        if (!*m->tools.v[i])
            return refuse(r, section, "tools", "has an empty name", e);
    for (size_t i = 0; i < m->users.n; i++)
        if (!*m->users.v[i])
            return refuse(r, section, "users", "has an empty name", e);
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

static bool is_language(const char *s)
{
    return strlen(s) == 2 && strspn(s, "abcdefghijklmnopqrstuvwxyz") == 2;
}

enum rc config_check(const struct reading *r, struct err *e)
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
    if (*c->drawing.provider && !*c->drawing.model)
        return refuse(r, "drawing", "provider", "needs model", e);
    for (size_t i = 0; i < c->python.reads.n; i++)
        if (c->python.reads.v[i][0] != '/')
            return refuse(r, "python", "reads", "must list absolute paths", e);
    if (*c->telegram.public_url && (!is_public_url(c->telegram.public_url) ||
                                       !str_starts(str_of(c->telegram.public_url), STR("https://"))))
        return refuse(r, "telegram", "public_url", "must be an address like https://alfred.example.org", e);
    if (*c->models.default_model && !strchr(c->models.default_model, '/'))
        return refuse(r, "models", "default_model", "must be \"provider/model\", like \"openai/gpt-4.1\"", e);
    if (!is_url(c->telegram.api_url))
        return refuse(r, "telegram", "api_url", "must be an address like https://api.telegram.org", e);
    if (!*c->speech.provider && *c->speech.model)
        return refuse(r, "speech", "model", "needs provider", e);
    if (*c->speech.minute_price && !config_price_read(str_of(c->speech.minute_price), &(int64_t){0}))
        return refuse(r, "speech", "minute_price", "must be a price, like \"0.006\"", e);
    if (*c->speech.language && !is_language(c->speech.language))
        return refuse(r, "speech", "language", "must be two letters, like \"de\"", e);
    for (size_t i = 0; i < c->providers_n; i++)
        if ((rc = check_provider(r, &r->providers[i], e)) != RC_OK)
            return rc;
    for (size_t i = 0; i < c->mcp_n; i++)
        if ((rc = check_mcp(r, &r->mcp[i], e)) != RC_OK)
            return rc;
    return RC_OK;
}
