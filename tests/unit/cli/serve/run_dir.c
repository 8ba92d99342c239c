#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/serve/run_dir.h"

#define SOME_USER ((uid_t)65534)
#define LONG_PATH 150

/* As a user other than root, in a child. 0: all is right. */
static int make_as_user(const struct config *c)
{
    static const char *const none[] = {NULL};
    char expected[64];
    struct run_dir r;
    if (geteuid() == 0 && setuid(SOME_USER) < 0)
        return 1;
    snprintf(expected, sizeof expected, "/tmp/alfred-%d-", (int)geteuid());
    if (run_dir_make(c, none, &r, NULL) != RC_OK || !str_starts(str_of(r.path), str_of(expected)))
        return 2;
    mode_t mode = unit_mode(r.path);
    bool locked = r.lock >= 0;
    run_dir_remove(&r);
    return mode != 0700 ? 3 : !locked ? 4 : fs_exists(r.path) ? 5 : 0;
}

TEST(run_dir_of_a_long_path_outlives_the_login)
{
    char text[LONG_PATH + 64], name[LONG_PATH + 1];
    struct config *c = NULL;
    struct err e = ERR_INIT;
    int status;
    memset(name, 'x', LONG_PATH);
    name[LONG_PATH] = '\0';
    snprintf(text, sizeof text, "[server]\ndata_dir = \"/srv/%s\"\n", name);
    if (config_parse("alfred.toml", "/srv", str_of(text), &c, &e) != RC_OK)
        fail_msg("%s", e.text);
    setenv("XDG_RUNTIME_DIR", "/dev/shm", 1); /* removed at the logout */
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        _exit(make_as_user(c));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    config_free(c);
    assert_int_equal(status, 0);
}
