#include "codec/calendar/ical_load.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#define LIBRARY "libical.so.3"

#define FUNCTIONS(X)                  \
    X(icalerror_set_errors_are_fatal) \
    X(icalrecur_iterator_free)        \
    X(icalrecur_iterator_new)         \
    X(icalrecur_iterator_next)        \
    X(icalrecur_iterator_set_start)   \
    X(icalrecurrencetype_clear)       \
    X(icalrecurrencetype_from_string)

/* Written once before the first call; read-only afterwards. */
static struct {
#define MEMBER(name) __typeof__(&(name)) name;
    FUNCTIONS(MEMBER)
#undef MEMBER
} ical;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char failure[256]; /* empty: loaded */

static void load(void)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL); /* stays loaded until the process ends */
    if (!library) {
        snprintf(failure, sizeof failure, "%s", dlerror());
        return;
    }
#define FIND(name)                                                               \
    ical.name = (__typeof__(ical.name))dlsym(library, #name);                    \
    if (!ical.name) {                                                            \
        snprintf(failure, sizeof failure, "%s has no function " #name, LIBRARY); \
        return;                                                                  \
    }
    FUNCTIONS(FIND)
#undef FIND
    ical.icalerror_set_errors_are_fatal(0); /* not abort() */
}

enum rc ical_load(struct err *e)
{
    pthread_once(&once, load);
    return *failure ? err_set(e, RC_UNAVAILABLE, "libical: %s", failure) : RC_OK;
}

/* The functions of ical.h. */

void icalrecur_iterator_free(icalrecur_iterator *i)
{
    ical.icalrecur_iterator_free(i);
}

icalrecur_iterator *icalrecur_iterator_new(struct icalrecurrencetype rule, struct icaltimetype start)
{
    return ical.icalrecur_iterator_new(rule, start);
}

struct icaltimetype icalrecur_iterator_next(icalrecur_iterator *i)
{
    return ical.icalrecur_iterator_next(i);
}

int icalrecur_iterator_set_start(icalrecur_iterator *i, struct icaltimetype start)
{
    return ical.icalrecur_iterator_set_start(i, start);
}

void icalrecurrencetype_clear(struct icalrecurrencetype *r)
{
    ical.icalrecurrencetype_clear(r);
}

struct icalrecurrencetype icalrecurrencetype_from_string(const char *s)
{
    return ical.icalrecurrencetype_from_string(s);
}
