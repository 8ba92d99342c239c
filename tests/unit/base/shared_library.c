#include "unit.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

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

TEST(shared_library_that_cannot_be_initialised_is_unavailable)
{
    static struct shared_library l = SHARED_LIBRARY("libm.so.6", functions, refuse);
    atomic_store(&inits, 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(shared_library_load(&l, NULL), RC_UNAVAILABLE);
    assert_int_equal(atomic_load(&inits), 1);
}
