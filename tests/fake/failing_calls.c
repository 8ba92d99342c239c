/* Loaded into the programs by tests/lib/failing.js (LD_PRELOAD): system calls fail by rules in a file, which
 * a test changes while the programs run.
 *
 * A call fails when a hash of the seed, its kind and its number in the process is divisible by `every`, so
 * the same seed fails the same calls of a thread. The C library's own calls, such as those of dlopen(), do
 * not come through here. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define FILE_ENV   "FAILING_CALLS" /* path of the file with struct rules */
#define ERRORS_MAX 4
#define SHORT      1000 /* in place of an error: the call moves half of the bytes */
#define PARTS_MAX  16

/* In the order of tests/lib/failing.js. */
enum kind {
    ACCEPT,
    CONNECT,
    EPOLL_ADD,
    EPOLL_CREATE,
    EVENT, /* eventfd, timerfd, signalfd */
    FORK,
    MAP, /* of a file */
    OPEN,
    PIPE,
    READ,    /* of a regular file, as WRITE */
    RECEIVE, /* from a stream socket, as SEND */
    RENAME,
    RESOLVE,
    SEND,
    SOCKET,
    SYNC,
    THREAD,
    TRUNCATE,
    WRITE,
    KINDS
};

/* In the order of tests/lib/failing.js; their places are the bits of rule.programs. */
static const char *const programs[] = {"alfred", "pages", "api", "stream", "hooks", "helper", "models"};

struct rule {
    uint32_t every;    /* 0: none fails */
    uint32_t programs; /* bits */
    int32_t errors[ERRORS_MAX];
    uint32_t errors_n;
    _Atomic uint32_t failed;
};

struct rules {
    uint32_t seed;
    struct rule of[KINDS];
};

static struct rules *rules; /* NULL: none */
static uint32_t own;        /* the bit of this program */
static _Atomic uint32_t calls[KINDS];

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv(FILE_ENV);
    for (uint32_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (strcmp(program_invocation_short_name, programs[i]) == 0)
            own = 1u << i;
    int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    void *at = (void *)syscall(SYS_mmap, NULL, sizeof *rules, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    syscall(SYS_close, fd);
    if (at != MAP_FAILED)
        rules = at;
}

static uint32_t hash(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352dU;
    x = (x ^ x >> 15) * 0x846ca68bU;
    return x ^ x >> 16;
}

/* The error of this call; 0: it does not fail. */
static int failure(enum kind k)
{
    struct rule *r = rules ? &rules->of[k] : NULL;
    uint32_t every = r ? r->every : 0;
    if (!every || !(r->programs & own))
        return 0;
    uint32_t h = hash(hash(rules->seed + (uint32_t)k * 7919) + atomic_fetch_add(&calls[k], 1));
    if (h % every)
        return 0;
    atomic_fetch_add(&r->failed, 1);
    return r->errors[hash(h) % r->errors_n];
}

static bool fails(enum kind k)
{
    int error = failure(k);
    errno = error ? error : errno;
    return error != 0;
}

/* False: the call fails. Else it moves *n bytes. */
static bool moves(enum kind k, size_t *n)
{
    int error = failure(k);
    if (error == SHORT)
        *n = *n > 1 ? *n / 2 : *n;
    else if (error)
        errno = error;
    return error == 0 || error == SHORT;
}

static bool is_file(int fd)
{
    struct stat st;
    int kept = errno;
    bool is = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    errno = kept;
    return is;
}

static bool is_stream(int fd)
{
    int type = 0, kept = errno;
    socklen_t n = sizeof type;
    bool is = getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &n) == 0 && type == SOCK_STREAM;
    errno = kept;
    return is;
}

#define REAL(name)            \
    __typeof__(&(name)) real; \
    *(void **)&real = dlsym(RTLD_NEXT, #name)

/* A call that returns -1. */
#define CALL(kind, type, name, parameters, ...)      \
    type name parameters                             \
    {                                                \
        REAL(name);                                  \
        return fails(kind) ? -1 : real(__VA_ARGS__); \
    }

CALL(ACCEPT, int, accept4, (int fd, struct sockaddr *from, socklen_t *n, int flags), fd, from, n, flags)
CALL(CONNECT, int, connect, (int fd, const struct sockaddr *to, socklen_t n), fd, to, n)
CALL(EPOLL_CREATE, int, epoll_create1, (int flags), flags)
CALL(EVENT, int, eventfd, (unsigned n, int flags), n, flags)
CALL(EVENT, int, timerfd_create, (int clock, int flags), clock, flags)
CALL(EVENT, int, signalfd, (int fd, const sigset_t *mask, int flags), fd, mask, flags)
CALL(FORK, pid_t, fork, (void))
CALL(PIPE, int, pipe2, (int two[2], int flags), two, flags)
CALL(RENAME, int, rename, (const char *from, const char *to), from, to)
CALL(SOCKET, int, socket, (int domain, int type, int protocol), domain, type, protocol)
CALL(SOCKET, int, socketpair, (int domain, int type, int protocol, int two[2]), domain, type, protocol, two)
CALL(SYNC, int, fdatasync, (int fd), fd)
CALL(SYNC, int, fsync, (int fd), fd)
CALL(TRUNCATE, int, ftruncate, (int fd, off_t n), fd, n)
CALL(TRUNCATE, int, ftruncate64, (int fd, off64_t n), fd, n)

/* One that moves bytes. */
#define MOVE(kind, is, name, parameters, ...)                       \
    ssize_t name parameters                                         \
    {                                                               \
        REAL(name);                                                 \
        return !is(fd) || moves(kind, &n) ? real(__VA_ARGS__) : -1; \
    }

MOVE(READ, is_file, pread, (int fd, void *p, size_t n, off_t at), fd, p, n, at)
MOVE(READ, is_file, pread64, (int fd, void *p, size_t n, off64_t at), fd, p, n, at)
MOVE(READ, is_file, read, (int fd, void *p, size_t n), fd, p, n)
MOVE(RECEIVE, is_stream, recv, (int fd, void *p, size_t n, int flags), fd, p, n, flags)
MOVE(SEND, is_stream, send, (int fd, const void *p, size_t n, int flags), fd, p, n, flags)
MOVE(WRITE, is_file, pwrite, (int fd, const void *p, size_t n, off_t at), fd, p, n, at)
MOVE(WRITE, is_file, pwrite64, (int fd, const void *p, size_t n, off64_t at), fd, p, n, at)
MOVE(WRITE, is_file, write, (int fd, const void *p, size_t n), fd, p, n)

ssize_t sendmsg(int fd, const struct msghdr *whole, int flags)
{
    struct iovec parts[PARTS_MAX];
    struct msghdr m = *whole;
    size_t n = 0;
    REAL(sendmsg);
    for (size_t i = 0; i < whole->msg_iovlen; i++)
        n += whole->msg_iov[i].iov_len;
    size_t all = n;
    if (is_stream(fd) && !moves(SEND, &n))
        return -1;
    if (n == all || whole->msg_iovlen > PARTS_MAX)
        return real(fd, whole, flags);
    m.msg_iov = parts;
    for (m.msg_iovlen = 0; n; m.msg_iovlen++) {
        struct iovec *part = &parts[m.msg_iovlen];
        *part = whole->msg_iov[m.msg_iovlen];
        part->iov_len = part->iov_len < n ? part->iov_len : n;
        n -= part->iov_len;
    }
    return real(fd, &m, flags);
}

#define OPEN_CALL(name)                                                         \
    int name(const char *path, int flags, ...)                                  \
    {                                                                           \
        va_list ap;                                                             \
        REAL(name);                                                             \
        va_start(ap, flags);                                                    \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(ap, mode_t) : 0; \
        va_end(ap);                                                             \
        return fails(OPEN) ? -1 : real(path, flags, mode);                      \
    }
OPEN_CALL(open)
OPEN_CALL(open64)

int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
    REAL(epoll_ctl);
    return op == EPOLL_CTL_ADD && fails(EPOLL_ADD) ? -1 : real(epfd, op, fd, event);
}

#define MAP_CALL(name)                                                                  \
    void *name(void *at, size_t n, int prot, int flags, int fd, off_t from)             \
    {                                                                                   \
        REAL(name);                                                                     \
        return fd >= 0 && fails(MAP) ? MAP_FAILED : real(at, n, prot, flags, fd, from); \
    }
MAP_CALL(mmap)
MAP_CALL(mmap64)

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *arg)
{
    REAL(pthread_create);
    int error = failure(THREAD);
    return error ? error : real(thread, how, run, arg);
}

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **out)
{
    REAL(getaddrinfo);
    int error = failure(RESOLVE);
    return error ? error : real(node, service, hints, out);
}
