/*
 * TEST(strbuf_stops_at_limit) { ... } registers a cmocka test; the name states the behaviour. One program per
 * file; unit.c has main(). With an argument it runs the tests whose name contains it.
 */
#ifndef ALFRED_TESTS_UNIT_H
#define ALFRED_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <cmocka.h> /* needs the headers above */

#include "base/err.h"

void unit_register(const char *name, CMUnitTestFunction fn);

#define TEST(name)                                                 \
    static void name(void **state);                                \
    __attribute__((constructor)) static void name##_register(void) \
    {                                                              \
        unit_register(#name, name);                                \
    }                                                              \
    static void name(void **state __attribute__((unused)))

/* The result of a call, by its name, so that a failure shows it. */
#define assert_rc(call, want) assert_string_equal(rc_name(call), rc_name(want))
#define assert_ok(call)       assert_rc(call, RC_OK)

/* A temporary folder that unit.c removes after the program; the same one for all tests of a file. */
const char *unit_tmp(void);

/* The permissions of a file or folder: 0600. */
mode_t unit_mode(const char *path);

/* Standard error goes into a file from the first to the last, which returns the number of its lines. */
void unit_log_begin(void);
void unit_log_await(int lines); /* until it has so many */
int unit_log_lines(void);

/* Bytes that the program has allocated now. */
size_t unit_allocated(void);

#endif
