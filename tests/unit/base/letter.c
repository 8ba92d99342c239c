#include "unit.h"

#include "base/letter.h"
#include "base/mem.h"

TEST(names_are_ordered_as_people_do)
{
    static const char *const ordered[] = {"", "0", "01", "1", "2", "2a", "10", "99999999999999999999",
        "100000000000000000000", "a", "a 2", "a 2 b 9", "a 2 b 10", "a 10", "a02", "a2", "a10", "ab", "Apfel",
        "apfel", "a\u0308pfel", "\u00C4pfel", "\u00E4pfel", "apfelbaum", "stra\u00DFe", "strasse",
        "\u00FCber", "zebra", "\u0430", "\u044F"};
    for (size_t i = 0; i < ARRAY_LEN(ordered); i++)
        for (size_t k = 0; k < ARRAY_LEN(ordered); k++) {
            int d = letter_compare_names(str_of(ordered[i]), str_of(ordered[k]));
            assert_int_equal((d > 0) - (d < 0), (i > k) - (i < k));
        }
}
