#include "unit.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>

#include "base/shared_library.h"

static struct {
    __typeof__(&cos) cos;
    __typeof__(&sin) sin;
} loaded;
static const struct shared_function functions[] = {{"cos", &loaded.cos}, {"sin", &loaded.sin}, {0}};

static atomic_int inits;

static bool count_init(void)
{
    atomic_fetch_add(&inits, 1);
    return loaded.cos(0) > 0;
}

static bool refuse(void)
{
    atomic_fetch_add(&inits, 1);
    return false;
}

static void *load_libm(void *arg)
{
    return shared_library_load(arg, NULL) || loaded.sin(0) != 0 ? arg : NULL;
}

TEST(shared_library_is_loaded_once_for_all_threads)
{
    static struct shared_library l = SHARED_LIBRARY("libm.so.6", functions, count_init);
    atomic_store(&inits, 0);
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&t[i], NULL, load_libm, &l), 0);
    for (int i = 0; i < 4; i++) {
        void *failed = NULL;
        pthread_join(t[i], &failed);
        assert_null(failed);
    }
    assert_int_equal(atomic_load(&inits), 1);
}

TEST(shared_library_reports_a_missing_file_at_each_call)
{
    static struct shared_library l = SHARED_LIBRARY("libabsent.so.1", functions, count_init);
    atomic_store(&inits, 0);
    for (int i = 0; i < 2; i++) {
        struct err e = ERR_INIT;
        assert_int_equal(shared_library_load(&l, &e), RC_UNAVAILABLE);
        assert_non_null(strstr(e.text, "libabsent.so.1"));
    }
    assert_int_equal(atomic_load(&inits), 0);
}

TEST(shared_library_names_a_missing_function)
{
    static void *pointer;
    static const struct shared_function unknown[] = {
        {"cos", &loaded.cos}, {"no_such_function", &pointer}, {0}};
    static struct shared_library l = SHARED_LIBRARY("libm.so.6", unknown, NULL);
    struct err e = ERR_INIT;
    assert_int_equal(shared_library_load(&l, &e), RC_UNAVAILABLE);
    assert_string_equal(e.text, "libm.so.6 has no function no_such_function");
}

TEST(shared_library_that_cannot_be_initialised_is_unavailable_until_it_can)
{
    static struct shared_library l = SHARED_LIBRARY("libm.so.6", functions, refuse);
    for (int i = 0; i < 2; i++)
        assert_int_equal(shared_library_load(&l, NULL), RC_UNAVAILABLE);
    l.init = count_init;
    assert_int_equal(shared_library_load(&l, NULL), RC_OK);
}

TEST(shared_library_that_found_no_descriptor_is_loaded_later)
{
    static void *pointer;
    static const struct shared_function first[] = {{"icaltime_null_time", &pointer}, {0}};
    static struct shared_library l = SHARED_LIBRARY("libical.so.3", first, NULL);
    struct rlimit limit, none;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = (struct rlimit){.rlim_cur = 0, .rlim_max = limit.rlim_max};
    struct err e = ERR_INIT;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    assert_int_equal(shared_library_load(&l, &e), RC_UNAVAILABLE);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(shared_library_load(&l, &e), RC_OK);
}

/* KiB of code in files whose path has `name`: those in memory, and all. */
static void code_of(const char *name, long *resident, long *all)
{
    char line[512];
    bool counts = false;
    FILE *f = fopen("/proc/self/smaps", "re");
    assert_non_null(f);
    *resident = *all = 0;
    while (fgets(line, sizeof line, f)) {
        long kib;
        if (strstr(line, " r-xp ") || strstr(line, " r--p ") || strstr(line, " rw-p "))
            counts = strstr(line, " r-xp ") && strstr(line, name);
        else if (counts && sscanf(line, "Size: %ld", &kib) == 1)
            *all += kib;
        else if (counts && sscanf(line, "Rss: %ld", &kib) == 1)
            *resident += kib;
    }
    (void)fclose(f);
}

TEST(shared_library_keeps_no_code_in_memory_that_only_its_start_needed)
{
    static void *pointer;
    static const struct shared_function version[] = {{"curl_version", &pointer}, {0}};
    static struct shared_library l = SHARED_LIBRARY("libcurl.so.4", version, NULL);
    long resident, all;
    assert_int_equal(shared_library_load(&l, NULL), RC_OK);
    code_of("/libcrypto.so", &resident, &all); /* its constructors have run */
    assert_true(all > 0);
    assert_int_equal(resident, 0);
    const char *(*call)(void);
    memcpy(&call, &pointer, sizeof call);
    assert_non_null(strstr(call(), "libcurl"));
}
