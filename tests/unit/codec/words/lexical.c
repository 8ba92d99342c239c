#include "unit.h"

#include <math.h>

#include "codec/words/lexical.h"

#define LEXICAL_MARK (54.422450)

static float alike(const char *x, const char *y)
{
    AUTO(arena) a = arena_new();
    float u[LEXICAL_DIMS], v[LEXICAL_DIMS], sum = 0;
    struct bag p = bag_of(a, str_of(x)), q = bag_of(a, str_of(y));
    lexical_embed(&p, NULL, u);
    lexical_embed(&q, NULL, v);
    for (size_t i = 0; i < LEXICAL_DIMS; i++)
        sum += u[i] * v[i];
    return sum;
}

TEST(lexical_vectors_have_length_one)
{
    assert_true(fabsf(alike("a bicycle in the garden", "a bicycle in the garden") - 1) < 1e-4F);
    assert_true(alike("", "bicycle") == 0);
    assert_true(alike("the and of", "bicycle") == 0);
}

TEST(lexical_likeness_forgives_typos_and_endings)
{
    float typo = alike("kubernetes cluster", "kubernets clutser"),
          chance = alike("kubernetes cluster", "violin lesson");
    assert_true(typo > 0.35F);
    assert_true(fabsf(chance) < 0.2F);
    assert_true(alike("photographs", "photographing") > 0.5F);
}

TEST(lexical_likeness_is_not_meaning)
{
    assert_true(alike("car", "vehicle") < 0.2F);
}

TEST(lexical_queries_weigh_their_words)
{
    AUTO(arena) a = arena_new();
    float q[LEXICAL_DIMS], d[LEXICAL_DIMS], even = 0, weighed = 0;
    struct bag query = bag_of(a, STR("violin garden")), text = bag_of(a, STR("violin"));
    lexical_embed(&text, NULL, d);
    lexical_embed(&query, NULL, q);
    for (size_t i = 0; i < LEXICAL_DIMS; i++)
        even += q[i] * d[i];
    lexical_embed(&query, (const float[]){5, 1}, q);
    for (size_t i = 0; i < LEXICAL_DIMS; i++)
        weighed += q[i] * d[i];
    assert_true(weighed > even + 0.1F);
}

/* Stored vectors are compared with those of later builds: what a text becomes must not change under its name.
 */
TEST(lexical_places_are_the_same_everywhere)
{
    assert_string_equal(LEXICAL_NAME, "lexical-2");
    assert_true(term_hash("violin", 6) == term_hash("violin\0x", 6));
    assert_true(term_hash("", 0) != term_hash("a", 1));
    AUTO(arena) a = arena_new();
    float v[LEXICAL_DIMS];
    struct bag b = bag_of(a, STR("violin"));
    lexical_embed(&b, NULL, v);
    double mark = 0;
    for (size_t i = 0; i < LEXICAL_DIMS; i++)
        mark += (double)v[i] * (double)(i % 97 + 1);
    assert_true(fabs(mark - LEXICAL_MARK) < 1e-2);
}
