/*
 * Landlock restricts files, seccomp system calls, and limits of resources the rest. libseccomp would make the
 * filter, a list of numbers, for more architectures; on those that are not named here there is no filter,
 * and Landlock alone refuses the network (TCP, from its version 4 on).
 *
 * The headers of the build may be older than the kernel, so the bits of newer versions are defined here.
 */
#include "base/confined/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"

#define NICE  10
#define FILES 32 /* that it can have open */

/* ---- files ---- */

#define FS_BITS_1   13 /* access rights that the first version of Landlock has */
#define MAY_IN_FILE (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE)
#define MAY         (MAY_IN_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define TRUNCATE    (UINT64_C(1) << 14) /* from version 3 on; earlier ones allow it with WRITE_FILE */
/* Of files that it may write, and of the folder of these. It makes no folders, symbolic links and special
 * files, so the folder stays flat, and runs nothing that it has written. */
#define WRITES_FILE (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATE)
#define WRITES \
    (WRITES_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE)

/* struct landlock_ruleset_attr of version 6. Older kernels accept members that are 0. */
struct ruleset {
    uint64_t fs;
    uint64_t net;    /* from 4 on: bind and connect of TCP */
    uint64_t scoped; /* from 6 on: abstract sockets, signals */
};

/* All access rights of a version. */
static struct ruleset everything(long version)
{
    int fs = FS_BITS_1 + (version >= 2) + (version >= 3) + (version >= 5);
    return (struct ruleset){
        .fs = (UINT64_C(1) << fs) - 1, .net = version >= 4 ? 3 : 0, .scoped = version >= 6 ? 3 : 0};
}

static void allow(int rules, const char *path, uint64_t in_folder, uint64_t in_file)
{
    struct stat st;
    struct landlock_path_beneath_attr rule = {.parent_fd = open(path, O_PATH | O_CLOEXEC)};
    if (rule.parent_fd < 0)
        return;
    rule.allowed_access = fstat(rule.parent_fd, &st) == 0 && S_ISDIR(st.st_mode) ? in_folder : in_file;
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(rule.parent_fd);
}

int confine_rules(const char *const *const *lists, size_t n, const char *folder)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1)
        return -1;
    const struct ruleset all = everything(version);
    int rules = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0);
    if (rules < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        for (const char *const *path = lists[i]; *path; path++)
            allow(rules, *path, MAY, MAY_IN_FILE);
    if (folder) {
        allow(rules, folder, WRITES & all.fs, 0);
        allow(rules, "/dev/null", 0, WRITES_FILE & all.fs);
    }
    return rules;
}

/* ---- system calls ---- */

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE

#define FCHMODAT2    452 /* newer than the headers of Debian 12 */
#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define REFUSED      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define REFUSE(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), REFUSED
/* Does nothing, successfully: programs that copy files call it. */
#define IGNORE_(number) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 0)
#define IGNORE(name) IGNORE_(SYS_##name)
/* Only with 0 as its first argument, which is the process itself. */
#define OF_ITSELF(name)                                                                              \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 4),                                           \
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)), /* little-endian */ \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW), REFUSED

/* A thread of the process, no process: clone() with a flag. glibc calls clone3() first, whose flags a filter
 * does not see, and clone() if the kernel has no such call. */
#define THREADS_ONLY                                                                                 \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),                                           \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),                                       \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4),                                        \
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)), /* little-endian */ \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1),                                    \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW), REFUSED

static struct sock_filter filter[] = {LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS), LOAD(nr),
#ifdef __x86_64__
    /* numbers of x32 */
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1), REFUSED, REFUSE(fork), REFUSE(vfork),
    /* rights of files, which Landlock does not restrict */
    IGNORE(chmod), IGNORE(chown), IGNORE(lchown), IGNORE(utime), IGNORE(utimes), IGNORE(futimesat),
    REFUSE(inotify_init),
#endif
    IGNORE(fchmod), IGNORE(fchmodat), IGNORE(fchown), IGNORE(fchownat), IGNORE(utimensat), IGNORE(setxattr),
    IGNORE(lsetxattr), IGNORE(fsetxattr), IGNORE(removexattr), IGNORE(lremovexattr), IGNORE(fremovexattr),
    IGNORE_(FCHMODAT2), REFUSE(truncate),
    /* space on the disk that is counted nowhere (confined.c) */
    REFUSE(fallocate),
    /* the network */
    REFUSE(socket), REFUSE(socketpair), REFUSE(io_uring_setup),
    /* processes */
    THREADS_ONLY, REFUSE(kill), REFUSE(tkill), REFUSE(tgkill), REFUSE(rt_sigqueueinfo),
    REFUSE(rt_tgsigqueueinfo), REFUSE(pidfd_open), REFUSE(pidfd_send_signal), REFUSE(pidfd_getfd),
    REFUSE(setsid), REFUSE(setpgid), REFUSE(ptrace), REFUSE(process_vm_readv), REFUSE(process_vm_writev),
    REFUSE(process_madvise), REFUSE(kcmp), OF_ITSELF(prlimit64), REFUSE(setpriority), REFUSE(ioprio_set),
    REFUSE(sched_setparam), REFUSE(sched_setscheduler), REFUSE(sched_setattr), REFUSE(sched_setaffinity),
    REFUSE(migrate_pages), REFUSE(move_pages),
    /* parts of the kernel that a parser needs for nothing */
    REFUSE(bpf), REFUSE(perf_event_open), REFUSE(userfaultfd), REFUSE(keyctl), REFUSE(add_key),
    REFUSE(request_key), REFUSE(unshare), REFUSE(setns), REFUSE(mount), REFUSE(umount2), REFUSE(pivot_root),
    REFUSE(chroot), REFUSE(open_by_handle_at), REFUSE(personality), REFUSE(memfd_create), REFUSE(shmget),
    REFUSE(shmat), REFUSE(shmctl), REFUSE(msgget), REFUSE(msgsnd), REFUSE(msgrcv), REFUSE(msgctl),
    REFUSE(semget), REFUSE(semop), REFUSE(semctl), REFUSE(mq_open), REFUSE(mq_unlink), REFUSE(inotify_init1),
    REFUSE(fanotify_init), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};

/* In addition for a process without threads. */
static struct sock_filter filter_threads[] = {
    LOAD(nr), REFUSE(clone), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};

static bool set_filter(struct sock_filter *f, size_t n)
{
    const struct sock_fprog program = {(unsigned short)n, f};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static bool filter_calls(bool strict, bool threads)
{
    if (set_filter(filter, ARRAY_LEN(filter)))
        return threads || set_filter(filter_threads, ARRAY_LEN(filter_threads));
    return errno == EINVAL && !strict; /* not built in */
}

#else
static bool filter_calls(bool strict, bool threads)
{
    (void)threads;
    return !strict;
}
#endif

/* ---- all of it ---- */

static bool limit(int resource, rlim_t most)
{
    const struct rlimit r = {most, most};
    return setrlimit((__rlimit_resource_t)resource, &r) == 0;
}

/* Of a service that runs as root. Another account has none. */
static bool drop_capabilities(void)
{
    if (geteuid() != 0)
        return true;
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    return syscall(SYS_capset, &head, none) == 0;
}

bool confine_self(const struct confine *c)
{
    setpriority(PRIO_PROCESS, 0, NICE);
    return limit(RLIMIT_CPU, (rlim_t)c->cpu_s) && limit(RLIMIT_AS, c->memory) &&
           limit(RLIMIT_FSIZE, c->file_max) && limit(RLIMIT_CORE, 0) && limit(RLIMIT_NOFILE, FILES) &&
           prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && drop_capabilities() &&
           (c->rules < 0 || syscall(SYS_landlock_restrict_self, c->rules, 0) == 0) &&
           filter_calls(c->strict, c->threads);
}
