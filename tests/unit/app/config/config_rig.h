/* Shared by the tests of settings, secrets and providers: settings from text, and their failures. */
#ifndef ALFRED_TESTS_APP_CONFIG_RIG_H
#define ALFRED_TESTS_APP_CONFIG_RIG_H

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/config/config.h"
#include "base/fs.h"

#define FOLDER "/srv/alfred"

__attribute__((unused)) static enum rc parse(const char *text, struct config **out, struct err *e)
{
    *e = ERR_INIT;
    *out = NULL;
    return config_parse("alfred.toml", FOLDER, str_of(text), out, e);
}

__attribute__((unused)) static struct config *parsed(const char *text)
{
    struct config *c;
    struct err e;
    if (parse(text, &c, &e) != RC_OK)
        fail_msg("%s\n%s", e.text, text);
    return c;
}

__attribute__((unused)) static void refused(const char *text, const char *message)
{
    AUTO(config) c = NULL;
    struct err e;
    assert_int_equal(parse(text, &c, &e), RC_BAD_INPUT);
    assert_string_equal(e.text, message);
    assert_true(e.for_user);
}

__attribute__((unused)) static void clean_environment(void)
{
    static const char *const names[] = {"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL",
        "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL", "CREDENTIALS_DIRECTORY", "OLLAMA_HOST",
        "WORK_KEY"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        unsetenv(names[i]);
}

__attribute__((unused)) static struct config *with_data_dir(const char *folder, const char *more)
{
    AUTO(arena) a = arena_new();
    return parsed(arena_printf(a, "[server]\ndata_dir = \"%s\"\n%s", folder, more));
}

__attribute__((unused)) static void write_credentials(const char *dir, const char *text, mode_t mode)
{
    char path[FS_PATH_MAX];
    assert_int_equal(fs_join(path, dir, "credentials", NULL), RC_OK);
    assert_int_equal(fs_write_atomic(path, str_of(text), NULL), RC_OK);
    assert_int_equal(chmod(path, mode), 0);
}

#endif
