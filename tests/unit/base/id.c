#include "unit.h"

#include <string.h>

#include "base/clock.h"
#include "base/id.h"

#define ALPHABET "0123456789abcdefghjkmnpqrstvwxyz"

static unsigned digit(char c)
{
    return (unsigned)(strchr(ALPHABET, c) - ALPHABET);
}

/* The UUID inside: 130 bits of digits, of which the first two are zero. */
static void decode(const char *id, unsigned char uuid[16])
{
    unsigned bits = 0, have = 0;
    size_t n = 0;
    for (const char *at = id + 4; *at; at++) {
        bits = bits << 5 | digit(*at);
        have += at == id + 4 ? 3 : 5;
        if (have >= 8) {
            have -= 8;
            uuid[n++] = (unsigned char)(bits >> have);
            bits &= (1u << have) - 1;
        }
    }
    assert_int_equal(n, 16);
}

TEST(id_is_a_uuid_of_version_7_with_the_time)
{
    char id[ID_SIZE];
    unsigned char uuid[16];
    int64_t before = clock_wall_ms();
    id_new(ID_SESSION, id);
    int64_t after = clock_wall_ms();
    assert_int_equal(strlen(id), ID_SIZE - 1);
    assert_memory_equal(id, "ses_", 4);
    decode(id, uuid);
    assert_int_equal(uuid[6] >> 4, 7);
    assert_int_equal(uuid[8] >> 6, 2);
    int64_t ms = 0;
    for (int i = 0; i < 6; i++)
        ms = ms << 8 | uuid[i];
    assert_in_range(ms, before, after);
}

TEST(id_of_a_later_time_sorts_later)
{
    char first[ID_SIZE], second[ID_SIZE];
    id_new(ID_TURN, first);
    int64_t start = clock_wall_ms();
    while (clock_wall_ms() == start)
        ;
    id_new(ID_TURN, second);
    assert_true(strcmp(first, second) < 0);
}

TEST(id_is_never_the_same_twice)
{
    static char ids[1000][ID_SIZE];
    for (size_t i = 0; i < 1000; i++) {
        id_new(ID_LOGIN, ids[i]);
        assert_true(id_valid(ID_LOGIN, ids[i]));
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(ids[i], ids[k]);
    }
}

TEST(id_refuses_text_that_is_no_id)
{
    assert_true(id_valid(ID_SESSION, "ses_01jd4zq8m3e5n7v9x2c4b6k8hq"));
    static const char *const bad[] = {"", "ses_", "01jd4zq8m3e5n7v9x2c4b6k8hq",
        "trn_01jd4zq8m3e5n7v9x2c4b6k8hq", "ses_01jd4zq8m3e5n7v9x2c4b6k8h", "ses_01jd4zq8m3e5n7v9x2c4b6k8hqq",
        "ses_01JD4ZQ8M3E5N7V9X2C4B6K8HQ", "ses_01jd4zq8m3e5n7v9x2c4b6k8hu", "ses_01jd4zq8m3e5n7v9x2c4b6k8h/",
        "ses_../../../../../../../etc"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(id_valid(ID_SESSION, bad[i]));
    assert_false(id_valid(ID_SESSION, NULL));
}
