#include "app/config/hosts.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define NAME_CHARS    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-."
#define ADDRESS_CHARS "ABCDEFabcdef0123456789:."
#define ALWAYS_OURS   7 /* beside [server] hosts */

static bool consists_of(struct str s, const char *chars)
{
    for (size_t i = 0; i < s.len; i++)
        if (!s.s[i] || !strchr(chars, s.s[i]))
            return false;
    return s.len > 0 && s.len <= HOST_BYTES_MAX;
}

struct str host_of_header(struct str host)
{
    int64_t port;
    struct str rest = host, name;
    if (host.len && host.s[0] == '[') {
        name = str_cut(&rest, ']');
        bool is_whole = rest.s && (rest.len == 0 || rest.s[0] == ':');
        if (!is_whole || !consists_of(str_from(name, 1), ADDRESS_CHARS))
            return (struct str){0};
        name.len++; /* the closing bracket */
        str_cut(&rest, ':');
    } else {
        name = str_cut(&rest, ':');
        if (name.len > 1 && name.s[name.len - 1] == '.')
            name.len--; /* the dot of the DNS root */
        if (!consists_of(name, NAME_CHARS))
            return (struct str){0};
    }
    return !rest.s || rest.len == 0 || str_to_int(rest, 0, UINT16_MAX, &port) ? name : (struct str){0};
}

struct str host_of_url(struct str url)
{
    const char *begin = memmem(url.s, url.len, "://", 3);
    if (!begin)
        return (struct str){0};
    begin += 3;
    struct str rest = {begin, url.len - (size_t)(begin - url.s)};
    return host_of_header(str_cut(&rest, '/'));
}

const char *server_of_url(struct arena *a, const char *url)
{
    const char *host = strstr(url, "://");
    if (!host)
        return NULL;
    host += 3;
    size_t n = strcspn(host, "/?");
    const char *after = memchr(host, ']', n); /* end of an IPv6 address; its colons do not begin a port */
    const char *colon = memchr(after ? after : host, ':', n - (size_t)((after ? after : host) - host));
    const char *port = colon ? "" : strncmp(url, "https://", 8) == 0 ? ":443" : ":80";
    return arena_printf(a, "%.*s%s", (int)n, host, port);
}

/* The canonical form of an address, with brackets around IPv6; anything else in lower case. */
static const char *canonical(struct arena *a, struct str host)
{
    unsigned char v6[sizeof(struct in6_addr)];
    char text[INET6_ADDRSTRLEN];
    bool brackets = host.len > 1 && host.s[0] == '[';
    char *name = arena_strndup(a, host.s + brackets, host.len - (brackets ? 2 : 0));
    if (inet_pton(AF_INET6, name, v6) == 1)
        return arena_printf(a, "[%s]", inet_ntop(AF_INET6, v6, text, sizeof text));
    for (char *p = name; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    return name;
}

/* The same name as in the self-signed certificate (cli/serve/certificate.c). */
static const char *machine_name(struct arena *a)
{
    char name[HOST_BYTES_MAX + 1];
    bool known = gethostname(name, sizeof name) == 0 && memchr(name, '\0', sizeof name);
    return known && consists_of(str_of(name), NAME_CHARS) ? canonical(a, str_of(name)) : "localhost";
}

static void add(const char **list, size_t *n, const char *name)
{
    for (size_t i = 0; i < *n; i++)
        if (strcmp(list[i], name) == 0)
            return;
    list[(*n)++] = name;
}

void hosts_collect(struct config *c)
{
    struct arena *a = c->arena;
    size_t n = 0;
    const char **list = ARENA_ARRAY(a, const char *, c->server.hosts.n + ALWAYS_OURS);
    add(list, &n, canonical(a, host_of_url(str_of(c->server.public_url))));
    add(list, &n, canonical(a, host_of_url(str_of(c->telegram.public_url))));
    for (size_t i = 0; i < c->server.hosts.n; i++)
        add(list, &n, canonical(a, str_of(c->server.hosts.v[i])));
    if (strcmp(c->server.bind, "*") != 0)
        add(list, &n, canonical(a, str_of(c->server.bind)));
    add(list, &n, "localhost");
    add(list, &n, "127.0.0.1");
    add(list, &n, "[::1]");
    add(list, &n, machine_name(a));
    c->server.names = (struct config_list){list, n};
}

static bool same_address(struct str host, const char *address)
{
    unsigned char one[sizeof(struct in6_addr)], other[sizeof(struct in6_addr)];
    char text[INET6_ADDRSTRLEN];
    bool brackets = host.len > 1 && host.s[0] == '[';
    int family = brackets ? AF_INET6 : AF_INET;
    snprintf(text, sizeof text, "%.*s", (int)host.len - (brackets ? 2 : 0), host.s + brackets);
    return inet_pton(family, text, one) == 1 && inet_pton(family, address, other) == 1 &&
           memcmp(one, other, brackets ? sizeof(struct in6_addr) : sizeof(struct in_addr)) == 0;
}

bool host_is_own(const struct config *c, const char *host_header, const char *server_addr)
{
    struct str host = host_of_header(str_of(host_header));
    if (!host.s)
        return false;
    for (size_t i = 0; i < c->server.names.n; i++)
        if (str_eq_nocase(host, str_of(c->server.names.v[i])))
            return true;
    return server_addr && same_address(host, server_addr);
}
