#include "config_rig.h"

TEST(secrets_come_from_environment_then_credentials)
{
    clean_environment();
    char dir[FS_PATH_MAX], path[FS_PATH_MAX];
    const char *v = NULL;
    assert_int_equal(fs_join(dir, unit_tmp(), "secrets", NULL), RC_OK);
    assert_int_equal(fs_mkdirs(dir, NULL), RC_OK);
    AUTO(config) c = with_data_dir(dir, "");
    assert_int_equal(config_secret(c, c->arena, "WORK_KEY", &v, NULL), RC_NOT_FOUND);
    write_credentials(dir, "# mine\n\nOTHER=x\n WORK_KEY = file=1 \n", 0600);
    assert_int_equal(config_secret(c, c->arena, "WORK_KEY", &v, NULL), RC_OK);
    assert_string_equal(v, "file=1");
    assert_int_equal(config_secret(c, c->arena, "WORK", &v, NULL), RC_NOT_FOUND);
    setenv("CREDENTIALS_DIRECTORY", dir, 1);
    assert_int_equal(fs_join(path, dir, "WORK_KEY", NULL), RC_OK);
    assert_int_equal(fs_write_atomic(path, STR("systemd\n"), NULL), RC_OK);
    assert_int_equal(config_secret(c, c->arena, "WORK_KEY", &v, NULL), RC_OK);
    assert_string_equal(v, "systemd");
    setenv("WORK_KEY", "environment", 1);
    assert_int_equal(config_secret(c, c->arena, "WORK_KEY", &v, NULL), RC_OK);
    assert_string_equal(v, "environment");
    clean_environment();
}

TEST(secrets_refuse_a_file_that_others_can_read)
{
    clean_environment();
    char dir[FS_PATH_MAX];
    const char *v = NULL;
    struct err e = ERR_INIT;
    assert_int_equal(fs_join(dir, unit_tmp(), "open", NULL), RC_OK);
    assert_int_equal(fs_mkdirs(dir, NULL), RC_OK);
    AUTO(config) c = with_data_dir(dir, "");
    write_credentials(dir, "WORK_KEY=secret\n", 0640);
    assert_int_equal(config_secret(c, c->arena, "WORK_KEY", &v, &e), RC_FORBIDDEN);
    assert_null(strstr(e.text, "secret\n"));
    write_credentials(dir, "WORK_KEY\n", 0600);
    assert_int_equal(config_secret(c, c->arena, "WORK_KEY", &v, &e), RC_BAD_INPUT);
    write_credentials(dir, "OTHER=x\nWORK_KEY='quoted'\n", 0600);
    assert_int_equal(config_secret(c, c->arena, "WORK_KEY", &v, &e), RC_BAD_INPUT);
    assert_non_null(strstr(e.text, "credentials line 2: a value must not be in quotes"));
    assert_null(strstr(e.text, "'quoted'"));
}
