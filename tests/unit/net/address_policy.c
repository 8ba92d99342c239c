#include "unit.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include "net/address_policy.h"

static bool is_public(const char *ip)
{
    struct sockaddr_in in = {.sin_family = AF_INET};
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
    if (inet_pton(AF_INET, ip, &in.sin_addr) == 1)
        return address_is_public((struct sockaddr *)&in);
    assert_int_equal(inet_pton(AF_INET6, ip, &in6.sin6_addr), 1);
    return address_is_public((struct sockaddr *)&in6);
}

TEST(address_policy_knows_public_from_other_addresses)
{
    static const char *const not_public[] = {"0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1",
        "100.127.255.255", "127.0.0.1", "127.255.255.254", "169.254.169.254", "172.16.0.1", "172.31.255.255",
        "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255",
        "198.51.100.1", "203.0.113.9", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
        "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.1.2.3", "::ffff:169.254.169.254",
        "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1", "fc00::1", "fd12:3456::1", "fe80::1", "fec0::1",
        "ff02::1", "2001::1", "2001:db8::1", "2002:7f00:1::1", "2002:808:808::1", "3fff::1", "4000::1",
        "5f00::1"};
    static const char *const public[] = {"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.1", "100.63.255.255",
        "100.128.0.1", "126.255.255.255", "128.0.0.1", "172.15.255.255", "172.32.0.1", "192.0.1.1",
        "192.167.255.255", "192.169.0.1", "198.17.255.255", "198.20.0.1", "223.255.255.255", "::ffff:8.8.8.8",
        "64:ff9b::808:808", "2001:4860:4860::8888", "2606:4700::1111", "2a00:1450::1"};
    for (size_t i = 0; i < ARRAY_LEN(not_public); i++)
        if (is_public(not_public[i]))
            fail_msg("%s is taken for public", not_public[i]);
    for (size_t i = 0; i < ARRAY_LEN(public); i++)
        if (!is_public(public[i]))
            fail_msg("%s is not taken for public", public[i]);
    assert_false(address_is_public(&(struct sockaddr){.sa_family = AF_UNIX}));
}

TEST(address_policy_matches_the_list_by_host_and_port)
{
    static const struct {
        const char *entry, *url;
        bool listed;
    } table[] = {{"box", "https://box/", true}, {"box", "https://BOX:8443/v1", true},
        {"box:80", "http://box/", true}, {"box:443", "https://box/", true},
        {"box:8080", "https://box/", false}, {"box", "https://box.example.org/", false},
        {"ox", "https://box/", false}, {"", "https://box/", false},
        {"127.0.0.1:11434", "http://127.0.0.1:11434/v1", true},
        {"127.0.0.1:11434", "https://127.0.0.1:1143/", false}, {"127.0.0.1", "http://127.1:99/", true},
        {"[::1]:80", "http://[::1]/", true}, {"::1", "http://[::1]:99/", true},
        {"[::1]", "https://[::1]/", true}, {"[::1]:81", "https://[::1]/", false}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct address_target t;
        enum rc rc = address_policy_check(table[i].url, &table[i].entry, 1, &t, NULL);
        assert_int_equal(rc, RC_OK);
        if (t.listed != table[i].listed)
            fail_msg("%s with %s on the list", table[i].url, table[i].entry);
    }
}
