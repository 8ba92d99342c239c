#include "unit.h"

#include "app/telegram/telegram_setup.h"

static void refused(const char *url, const char *key)
{
    struct err e = ERR_INIT;
    if (telegram_check_hook_url(url, &e) != RC_BAD_INPUT)
        fail_msg("%s is accepted", url);
    assert_true(str_starts(str_of(e.said), str_of(key)));
}

TEST(hook_url_has_one_of_four_ports)
{
    static const char *const good[] = {"https://a.example.org/x", "https://a.example.org:443/x",
        "https://a.example.org:8443/x", "https://a.example.org:88/x", "https://a.example.org:80/x",
        "https://9.9.9.9/x", "https://[2606:4700::1111]/x", "https://[2606:4700::1111]:8443/x"};
    for (size_t i = 0; i < ARRAY_LEN(good); i++) {
        struct err e = ERR_INIT;
        if (telegram_check_hook_url(good[i], &e) != RC_OK)
            fail_msg("%s: %s", good[i], e.text);
    }
    refused("https://a.example.org:8444/x", "telegram.bad_port");
    refused("https://a.example.org:1/x", "telegram.bad_port");
    refused("https://[2606:4700::1111]:9443/x", "telegram.bad_port");
}

TEST(hook_url_is_public)
{
    static const char *const private[] = {"https://localhost:8443/x", "https://127.0.0.1/x",
        "https://192.168.1.20:8443/x", "https://[::1]/x", "https://[fe80::1]:443/x", "https://nas/x",
        "https://alfred.local/x", "https://Alfred.LOCAL/x", "https://10.0.0.1/x"};
    for (size_t i = 0; i < ARRAY_LEN(private); i++)
        refused(private[i], "telegram.not_public");
}
