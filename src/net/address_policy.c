#include "net/address_policy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "net/curl_load.h"

/* ---- addresses ---- */

struct net4 {
    uint32_t net;
    int bits;
};

#define IP4(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

/* IANA IPv4 special-purpose registry: networks that are not globally reachable, multicast, reserved. */
static const struct net4 not_public4[] = {{IP4(0, 0, 0, 0), 8}, {IP4(10, 0, 0, 0), 8},
    {IP4(100, 64, 0, 0), 10}, {IP4(127, 0, 0, 0), 8}, {IP4(169, 254, 0, 0), 16}, {IP4(172, 16, 0, 0), 12},
    {IP4(192, 0, 0, 0), 24}, {IP4(192, 0, 2, 0), 24}, {IP4(192, 88, 99, 0), 24}, {IP4(192, 168, 0, 0), 16},
    {IP4(198, 18, 0, 0), 15}, {IP4(198, 51, 100, 0), 24}, {IP4(203, 0, 113, 0), 24}, {IP4(224, 0, 0, 0), 4},
    {IP4(240, 0, 0, 0), 4}};

struct net6 {
    uint8_t net[4];
    int bits; /* at most 32 */
};

/* In 2000::/3, the only assigned space: IETF protocols and Teredo, documentation, 6to4. */
static const struct net6 not_public6[] = {{{0x20, 0x01, 0x00, 0x00}, 23}, {{0x20, 0x01, 0x0d, 0xb8}, 32},
    {{0x20, 0x02, 0x00, 0x00}, 16}, {{0x3f, 0xff, 0x00, 0x00}, 20}};

static uint32_t big_endian32(const uint8_t b[4])
{
    return IP4(b[0], b[1], b[2], b[3]);
}

static bool within(uint32_t addr, uint32_t net, int bits)
{
    return (addr ^ net) >> (32 - bits) == 0;
}

static bool public4(uint32_t addr)
{
    for (size_t i = 0; i < ARRAY_LEN(not_public4); i++)
        if (within(addr, not_public4[i].net, not_public4[i].bits))
            return false;
    return true;
}

static bool public6(const uint8_t addr[16])
{
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
    static const uint8_t nat64[12] = {0x00, 0x64, 0xff, 0x9b};
    if (memcmp(addr, mapped, sizeof mapped) == 0 || memcmp(addr, nat64, sizeof nat64) == 0)
        return public4(big_endian32(addr + 12));
    if ((addr[0] & 0xe0) != 0x20)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(not_public6); i++)
        if (within(big_endian32(addr), big_endian32(not_public6[i].net), not_public6[i].bits))
            return false;
    return true;
}

bool address_is_public(const struct sockaddr *sa)
{
    if (sa->sa_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, sa, sizeof in);
        return public4(ntohl(in.sin_addr.s_addr));
    }
    if (sa->sa_family == AF_INET6) {
        struct sockaddr_in6 in6;
        memcpy(&in6, sa, sizeof in6);
        return public6(in6.sin6_addr.s6_addr);
    }
    return false;
}

/* ---- URLs ---- */

static struct str without_brackets(struct str host)
{
    if (host.len >= 2 && host.s[0] == '[' && host.s[host.len - 1] == ']')
        return (struct str){host.s + 1, host.len - 2};
    return host;
}

/* Splits an entry of the list. An empty `port` means every port. */
static void split_entry(struct str entry, struct str *host, struct str *port)
{
    const char *colon = entry.len ? memrchr(entry.s, ':', entry.len) : NULL;
    const char *bracket = entry.len ? memchr(entry.s, ']', entry.len) : NULL;
    bool bare6 = colon && !bracket && memchr(entry.s, ':', (size_t)(colon - entry.s));
    *port = (struct str){"", 0};
    if (colon && !bare6 && (!bracket || colon == bracket + 1)) {
        *port = (struct str){colon + 1, (size_t)(entry.s + entry.len - colon - 1)};
        entry.len = (size_t)(colon - entry.s);
    }
    *host = without_brackets(entry);
}

static bool is_listed(struct str host, struct str port, const char *const *allowed, size_t allowed_n)
{
    host = without_brackets(host);
    for (size_t i = 0; i < allowed_n; i++) {
        struct str want_host, want_port;
        split_entry(str_of(allowed[i]), &want_host, &want_port);
        if (str_eq_nocase(host, want_host) && (want_port.len == 0 || str_eq(port, want_port)))
            return true;
    }
    return false;
}

enum rc address_policy_check(
    const char *url, const char *const *allowed, size_t allowed_n, struct address_target *out, struct err *e)
{
    char *scheme = NULL, *host = NULL, *port = NULL;
    *out = (struct address_target){0};
    enum rc rc = curl_load(e);
    if (rc != RC_OK)
        return rc;
    CURLU *u = curl_url();
    /* Without CURLU_NON_SUPPORT_SCHEME and CURLU_DEFAULT_SCHEME, "ftp://" is distinguished below and
     * "example.org" is refused here. */
    if (!u || curl_url_set(u, CURLUPART_URL, url, CURLU_DISALLOW_USER) != CURLUE_OK ||
        curl_load_url_get(u, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK ||
        curl_load_url_get(u, CURLUPART_HOST, &host, 0) != CURLUE_OK ||
        curl_load_url_get(u, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) != CURLUE_OK) {
        rc = err_say(e, RC_BAD_INPUT, "server.bad_url");
    } else {
        snprintf(out->where, sizeof out->where, "%s:%s", host, port);
        out->listed = is_listed(str_of(host), str_of(port), allowed, allowed_n);
        bool plain = strcmp(scheme, "http") == 0;
        if (!plain && strcmp(scheme, "https") != 0)
            rc = err_say(e, RC_BAD_INPUT, "server.only_https", arg_text("scheme", scheme));
        else if (plain && !out->listed)
            rc = err_say(e, RC_BAD_INPUT, "server.plain_http", arg_text("server", out->where));
    }
    curl_free(scheme);
    curl_free(host);
    curl_free(port);
    curl_url_cleanup(u);
    return rc;
}
