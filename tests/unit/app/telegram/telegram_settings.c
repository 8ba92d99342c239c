#include "unit.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/telegram/telegram_settings.h"
#include "base/fs.h"

/* A folder for one test. */
static const char *folder(struct arena *a, const char *name)
{
    const char *dir = arena_printf(a, "%s/%s", unit_tmp(), name);
    assert_int_equal(fs_mkdirs(dir, NULL), RC_OK);
    return dir;
}

static struct config *config_in(const char *dir, const char *more)
{
    char text[1024];
    struct config *c;
    struct err e = ERR_INIT;
    snprintf(text, sizeof text,
        "[server]\npublic_url = \"https://alfred.example.org/\"\ndata_dir = \"%s\"\n%s", dir, more);
    if (config_parse("alfred.toml", dir, str_of(text), &c, &e) != RC_OK)
        fail_msg("%s", e.text);
    return c;
}

static enum rc settings(
    const struct config *c, const char *token, struct telegram_settings *out, struct err *e)
{
    *e = ERR_INIT;
    if (token)
        setenv(CONFIG_TELEGRAM_TOKEN, token, 1);
    else
        unsetenv(CONFIG_TELEGRAM_TOKEN);
    enum rc rc = telegram_settings(c, c->arena, out, e);
    unsetenv(CONFIG_TELEGRAM_TOKEN);
    return rc;
}

TEST(telegram_settings_have_the_addresses_and_the_bots_id)
{
    assert_true(sodium_init() >= 0);
    AUTO(arena) a = arena_new();
    const char *dir = folder(a, "addresses");
    struct telegram_settings t;
    struct err e;
    AUTO(config) c = config_in(dir, "[telegram]\nmode = \"poll\"\ngroup_context = \"yes\"\n");
    assert_int_equal(settings(c, "123456:abc_DEF-1", &t, &e), RC_OK);
    assert_int_equal(t.mode, CONFIG_TELEGRAM_POLL);
    assert_true(t.group_context);
    assert_string_equal(t.token, "123456:abc_DEF-1");
    assert_string_equal(t.bot, "123456");
    assert_string_equal(t.api_url, "https://api.telegram.org");
    assert_string_equal(t.hook_url, "https://alfred.example.org/hooks/telegram");
    assert_string_equal(t.allowed[0], "api.telegram.org");

    AUTO(config)
    own = config_in(dir, "[telegram]\napi_url = \"http://127.0.0.1:8081/bots/\"\npublic_url = "
                         "\"https://tg.example.org:88/a/\"\n");
    assert_int_equal(settings(own, "1:a", &t, &e), RC_OK);
    assert_string_equal(t.api_url, "http://127.0.0.1:8081/bots");
    assert_string_equal(t.allowed[0], "127.0.0.1:8081");
    assert_string_equal(t.hook_url, "https://tg.example.org:88/a/hooks/telegram");
}

TEST(telegram_settings_refuse_what_is_no_token)
{
    static const char *const wrong[] = {
        "qqq", "654321", "654321:", ":qqq", "123456:q/../b", "123456:q b", "x1:qqq"};
    AUTO(arena) a = arena_new();
    const char *dir = folder(a, "tokens");
    struct telegram_settings t;
    struct err e;
    AUTO(config) c = config_in(dir, "");
    assert_int_equal(settings(c, NULL, &t, &e), RC_NOT_FOUND);
    assert_non_null(strstr(e.text, "@BotFather"));
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        assert_int_equal(settings(c, wrong[i], &t, &e), RC_BAD_INPUT);
        assert_true(e.for_user);
        assert_null(strstr(e.text, wrong[i] + 1));
    }
}

TEST(telegram_secret_is_made_once_and_private)
{
    AUTO(arena) a = arena_new();
    const char *dir = folder(a, "secret");
    struct telegram_settings one, two;
    struct err e;
    char path[FS_PATH_MAX];
    AUTO(config) c = config_in(dir, "");
    assert_int_equal(settings(c, "1:a", &one, &e), RC_OK);
    assert_int_equal(strlen(one.secret), 43);
    assert_int_equal(settings(c, "1:a", &two, &e), RC_OK);
    assert_string_equal(one.secret, two.secret);
    assert_int_equal(fs_join(path, dir, TELEGRAM_SECRET_FILE, NULL), RC_OK);
    assert_int_equal(unit_mode(path), 0600);

    assert_int_equal(chmod(path, 0644), 0);
    assert_int_equal(settings(c, "1:a", &two, &e), RC_FORBIDDEN);
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(fs_write_atomic(path, STR("no good\n"), NULL), RC_OK);
    assert_int_equal(settings(c, "1:a", &two, &e), RC_BAD_INPUT);
    assert_int_equal(fs_write_atomic(path, STR("good-one_1\n"), NULL), RC_OK);
    assert_int_equal(settings(c, "1:a", &two, &e), RC_OK);
    assert_string_equal(two.secret, "good-one_1");
}
