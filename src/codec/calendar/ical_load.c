#include "codec/calendar/ical_load.h"

#include "base/shared_library.h"

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

static bool init(void)
{
    ical.icalerror_set_errors_are_fatal(0); /* not abort() */
    return true;
}

#define FUNCTION(name) {#name, &ical.name},
static const struct shared_function functions[] = {FUNCTIONS(FUNCTION){0}};
#undef FUNCTION

static struct shared_library libical = SHARED_LIBRARY("libical.so.3", functions, init);

enum rc ical_load(struct err *e)
{
    return shared_library_load(&libical, e);
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
