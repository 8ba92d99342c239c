#include "unit.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "codec/json/json.h"

TEST(json_without_memory_ends_the_program)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* their heap has no limit */
#endif
    pid_t pid = fork();
    if (pid == 0) {
        close(STDERR_FILENO);
        json_begin();
        setrlimit(RLIMIT_AS, &(struct rlimit){0});
        while (json_string("a text"))
            ;
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
}
