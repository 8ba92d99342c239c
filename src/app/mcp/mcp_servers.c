#include "app/mcp/mcp_servers.h"

#include "app/config/config_headers.h"
#include "app/config/config_table.h"
#include "app/config/hosts.h"
#include "base/clock.h"

const char *mcp_server_label(const struct config_mcp *m)
{
    return *m->label ? m->label : m->name;
}

size_t mcp_server_find(const struct config *c, const char *name)
{
    for (size_t i = 0; i < c->mcp_n; i++)
        if (strcmp(c->mcp[i].name, name) == 0 && c->mcp[i].enabled == CONFIG_YES)
            return i;
    return SIZE_MAX;
}

bool mcp_server_serves(const struct config_mcp *m, const char *user)
{
    return m->enabled == CONFIG_YES && (!m->users.n || config_list_has(&m->users, user));
}

bool mcp_servers_any(const struct config *c, const char *user)
{
    for (size_t i = 0; i < c->mcp_n; i++)
        if (mcp_server_serves(&c->mcp[i], user))
            return true;
    return false;
}

static enum rc add(struct mcp_servers *s, const struct config_mcp *m, struct mcp_server *out, struct err *e)
{
    struct arena *a = s->arena;
    struct http_header *headers;
    const char *key, *section = arena_printf(a, CONFIG_MCP_PREFIX "%s", m->name);
    enum rc rc = config_headers(s->config, a, section, &m->headers, 1, &headers, e);
    if (rc != RC_OK)
        return rc;
    *out = (struct mcp_server){.label = mcp_server_label(m),
        .url = m->url,
        .headers = headers,
        .headers_n = m->headers.n,
        .ca_file = *m->ca_file ? m->ca_file : NULL,
        .timeout_ms = (int)(m->timeout_seconds * MS_PER_S)};
    s->allowed[s->allowed_n++] = server_of_url(a, m->url);
    if (!*m->key_env)
        return RC_OK;
    rc = config_needed_secret(s->config, a, section, m->key_env, &key, e);
    if (rc == RC_OK)
        headers[out->headers_n++] = (struct http_header){"Authorization", arena_printf(a, "Bearer %s", key)};
    return rc;
}

enum rc mcp_servers_new(const struct config *c, struct mcp_servers **out, struct err *e)
{
    struct arena *a = arena_new();
    AUTO(mcp_servers) s = ARENA_NEW(a, struct mcp_servers);
    *s = (struct mcp_servers){.config = c,
        .list = ARENA_ARRAY(a, struct mcp_server, c->mcp_n + 1),
        .n = c->mcp_n,
        .allowed = ARENA_ARRAY(a, const char *, c->mcp_n + 1),
        .arena = a};
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < c->mcp_n; i++)
        if (c->mcp[i].enabled == CONFIG_YES)
            rc = add(s, &c->mcp[i], &s->list[i], e);
    if (rc != RC_OK)
        return rc;
    *out = s;
    s = NULL;
    return RC_OK;
}

void mcp_servers_free(struct mcp_servers *s)
{
    if (s)
        arena_free(s->arena);
}
