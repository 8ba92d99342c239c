#include "net/curl_load.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/shared_library.h"

/* curl.h checks arguments with macros of these names; here they are functions. */
#undef curl_easy_getinfo
#undef curl_easy_setopt
#undef curl_multi_setopt

#define FUNCTIONS(X)            \
    X(curl_easy_cleanup)        \
    X(curl_easy_getinfo)        \
    X(curl_easy_init)           \
    X(curl_easy_setopt)         \
    X(curl_free)                \
    X(curl_global_init_mem)     \
    X(curl_multi_add_handle)    \
    X(curl_multi_assign)        \
    X(curl_multi_cleanup)       \
    X(curl_multi_info_read)     \
    X(curl_multi_init)          \
    X(curl_multi_remove_handle) \
    X(curl_multi_setopt)        \
    X(curl_multi_socket_action) \
    X(curl_slist_append)        \
    X(curl_slist_free_all)      \
    X(curl_url)                 \
    X(curl_url_cleanup)         \
    X(curl_url_get)             \
    X(curl_url_set)

/* Written once before the first call; read-only afterwards. */
static struct {
#define MEMBER(name) __typeof__(&(name)) name;
    FUNCTIONS(MEMBER)
#undef MEMBER
} curl;

/* Without memory curl would leave out options, and never make a call that it cannot add. */
static bool init(void)
{
    return curl.curl_global_init_mem(CURL_GLOBAL_DEFAULT, xmalloc, free, xrealloc, xstrdup, xcalloc) ==
           CURLE_OK;
}

#define FUNCTION(name) {#name, &curl.name},
static const struct shared_function functions[] = {FUNCTIONS(FUNCTION){0}};
#undef FUNCTION

static struct shared_library libcurl = SHARED_LIBRARY("libcurl.so.4", functions, init);

enum rc curl_load(struct err *e)
{
    return shared_library_load(&libcurl, e);
}

/* The functions of curl.h. */

void curl_easy_cleanup(CURL *h)
{
    curl.curl_easy_cleanup(h);
}

CURLcode curl_easy_getinfo(CURL *h, CURLINFO info, ...)
{
    va_list ap;
    va_start(ap, info);
    void *out = va_arg(ap, void *);
    va_end(ap);
    return curl.curl_easy_getinfo(h, info, out);
}

CURL *curl_easy_init(void)
{
    return curl.curl_easy_init();
}

/* The ten thousands of an option are the type of its value (CURLOPTTYPE_LONG and others). */
CURLcode curl_easy_setopt(CURL *h, CURLoption option, ...)
{
    CURLcode code;
    va_list ap;
    va_start(ap, option);
    int type = (int)option / 10000 * 10000;
    if (type == CURLOPTTYPE_LONG)
        code = curl.curl_easy_setopt(h, option, va_arg(ap, long));
    else if (type == CURLOPTTYPE_OFF_T)
        code = curl.curl_easy_setopt(h, option, va_arg(ap, curl_off_t));
    else
        code = curl.curl_easy_setopt(h, option, va_arg(ap, void *));
    va_end(ap);
    return code;
}

void curl_free(void *p)
{
    if (p)
        curl.curl_free(p);
}

CURLMcode curl_multi_add_handle(CURLM *m, CURL *h)
{
    return curl.curl_multi_add_handle(m, h);
}

CURLMcode curl_multi_assign(CURLM *m, curl_socket_t fd, void *p)
{
    return curl.curl_multi_assign(m, fd, p);
}

CURLMcode curl_multi_cleanup(CURLM *m)
{
    return curl.curl_multi_cleanup(m);
}

CURLMsg *curl_multi_info_read(CURLM *m, int *left)
{
    return curl.curl_multi_info_read(m, left);
}

CURLM *curl_multi_init(void)
{
    return curl.curl_multi_init();
}

CURLMcode curl_multi_remove_handle(CURLM *m, CURL *h)
{
    return curl.curl_multi_remove_handle(m, h);
}

CURLMcode curl_multi_setopt(CURLM *m, CURLMoption option, ...)
{
    CURLMcode code;
    va_list ap;
    va_start(ap, option);
    if ((int)option / 10000 * 10000 == CURLOPTTYPE_LONG)
        code = curl.curl_multi_setopt(m, option, va_arg(ap, long));
    else
        code = curl.curl_multi_setopt(m, option, va_arg(ap, void *));
    va_end(ap);
    return code;
}

CURLMcode curl_multi_socket_action(CURLM *m, curl_socket_t fd, int bits, int *running)
{
    return curl.curl_multi_socket_action(m, fd, bits, running);
}

struct curl_slist *curl_slist_append(struct curl_slist *list, const char *s)
{
    return curl.curl_slist_append(list, s);
}

void curl_slist_free_all(struct curl_slist *list)
{
    if (list)
        curl.curl_slist_free_all(list);
}

CURLU *curl_url(void)
{
    return curl.curl_url();
}

void curl_url_cleanup(CURLU *u)
{
    curl.curl_url_cleanup(u);
}

CURLUcode curl_load_url_get(CURLU *u, CURLUPart what, char **part, unsigned flags)
{
    return curl.curl_url_get(u, what, part, flags);
}

CURLUcode curl_url_set(CURLU *u, CURLUPart what, const char *part, unsigned flags)
{
    return curl.curl_url_set(u, what, part, flags);
}
