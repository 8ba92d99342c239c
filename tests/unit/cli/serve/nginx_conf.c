#include "app/config/config_rig.h"

#include <string.h>

#include "base/fs.h"
#include "cli/serve/nginx_conf.h"

static const struct listen_tcp listeners[] = {
    {.tls = true, .address = "0.0.0.0:8443"},
    {.tls = false, .address = "[::1]:8080"},
};

static enum rc make(const struct config *c, const char *template, struct strbuf *out, struct err *e)
{
    const struct nginx_setup s = {
        .run_dir = "/run/a",
        .user = "www-data",
        .errors_dir = "/e",
        .certificate = "/c",
        .certificate_key = "/k",
        .listeners = listeners,
        .listeners_n = 2,
    };
    strbuf_init(out, NGINX_CONF_MAX);
    return nginx_conf(c, &s, str_of(template), out, e);
}

static void makes(const char *text, const char *template, const char *expected)
{
    AUTO(config) c = parsed(text);
    AUTO_STRBUF out;
    assert_int_equal(make(c, template, &out, NULL), RC_OK);
    assert_string_equal(out.s, expected);
}

TEST(nginx_conf_replaces_every_name)
{
    makes("", "a @RUN@/x;\n@USER@\nb", "a /run/a/x;\nuser www-data;\nb");
    makes("", "@RUN@@ERRORS@", "/run/a/e");
    makes("", "@LISTEN@", "listen 0.0.0.0:8443 ssl http2;\n        listen [::1]:8080;");
    makes("[limits]\nbody_bytes = 600000\n", "@BODY@", "601024");
    makes("[limits]\nbody_bytes = 500000\nv1_body_bytes = 600000\n", "@V1_BODY@", "1200000");
    makes("[limits]\npicture_bytes = 2000000\n", "@PICTURE@", "2001024");
    makes("[limits]\ndocument_bytes = 2000000\n", "@DOCUMENT@", "4000000");
    makes("[limits]\nimport_bytes = 2000000\n", "@IMPORT@", "2016384");
    makes("[turn]\ntotal_minutes = 1\n", "@TURN_SECONDS@", "120");
}

TEST(nginx_conf_knows_the_names_that_are_answered)
{
    AUTO(config) c = parsed("[server]\npublic_url = \"https://a.example.org:8443\"\nhosts = [\"b.lan\"]\n");
    AUTO_STRBUF out;
    assert_int_equal(make(c, "@HOSTS@", &out, NULL), RC_OK);
    assert_non_null(strstr(out.s, "\"a.example.org\" \"a.example.org\";\n        \"b.lan\" \"b.lan\";"));
    assert_non_null(strstr(out.s, "\"[::1]\" \"[::1]\";"));
    makes("[server]\npublic_url = \"https://a.example.org:8443\"\n", "@PUBLIC_URL@",
        "https://a.example.org:8443");
}

TEST(nginx_conf_has_hsts_only_when_the_certificate_is_trusted)
{
    AUTO(config) c = parsed("[server]\npublic_url = \"https://a.example.org:8443\"\n");
    struct nginx_setup s = {
        .run_dir = "/r", .errors_dir = "/e", .certificate = "/c", .certificate_key = "/k"};
    AUTO_STRBUF with, without;
    strbuf_init(&with, NGINX_CONF_MAX);
    strbuf_init(&without, NGINX_CONF_MAX);
    assert_int_equal(nginx_conf(c, &s, STR("<@HSTS@>"), &without, NULL), RC_OK);
    assert_string_equal(without.s, "<>");
    s.hsts = true;
    assert_int_equal(nginx_conf(c, &s, STR("<@HSTS@>"), &with, NULL), RC_OK);
    assert_string_equal(with.s, "<\"on:a.example.org\" \"max-age=31536000\";>");
}

TEST(nginx_conf_limits_can_be_switched_off)
{
    makes("[limits]\nrequests_per_second = 0\nconnections = 0\nsignins_per_minute = 0\n",
        "<@ZONES@|@LIMITS@>", "<|>");
    makes("[limits]\nrequests_per_second = 10\nconnections = 0\nsignins_per_minute = 0\n", "@LIMITS@",
        "limit_req zone=requests burst=40 nodelay;\n        ");
}

TEST(nginx_conf_believes_only_the_proxies_that_are_named)
{
    makes("", "<@TRUSTED@>", "<>");
    makes("[server]\ntrusted_proxy = [\"10.0.0.0/8\"]\n", "@TRUSTED@",
        "set_real_ip_from 10.0.0.0/8;\n    real_ip_header X-Forwarded-For;\n    real_ip_recursive on;");
}

TEST(nginx_conf_refuses_paths_with_syntax_characters)
{
    static const char *const bad[] = {"/s\\\"x", "/s$x", "/s\\\\x"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        AUTO(arena) a = arena_new();
        AUTO(config) c = parsed(arena_printf(a, "[server]\nstatic_dir = \"%s\"\n", bad[i]));
        AUTO_STRBUF out;
        struct err e = ERR_INIT;
        assert_int_equal(make(c, "", &out, &e), RC_BAD_INPUT);
        assert_true(e.for_user);
    }
}

TEST(nginx_conf_refuses_an_unknown_name)
{
    AUTO(config) c = parsed("");
    AUTO_STRBUF out;
    assert_int_equal(make(c, "x @NOBODY@ y", &out, NULL), RC_INTERNAL);
}

/* The real one: every name in it is known, and none is left. */
TEST(nginx_conf_makes_the_real_template)
{
    AUTO(config) c = parsed("");
    AUTO_STRBUF template, out;
    strbuf_init(&template, NGINX_CONF_MAX);
    assert_int_equal(
        fs_read("nginx/alfred.conf.in", &template, NULL), RC_OK); /* tests run in the project's folder */
    assert_int_equal(make(c, template.s, &out, NULL), RC_OK);
    assert_null(strchr(out.s, '@'));
}
