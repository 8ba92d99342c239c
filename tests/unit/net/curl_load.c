#include "unit.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/curl_load.h"

TEST(curl_without_memory_ends_the_program)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* their heap has no limit */
#endif
    pid_t pid = fork();
    if (pid == 0) {
        close(STDERR_FILENO);
        if (curl_load(NULL) != RC_OK)
            _exit(1);
        setrlimit(RLIMIT_AS, &(struct rlimit){0});
        while (curl_slist_append(NULL, "a text"))
            ;
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
}
