#include "unit.h"

#include "base/mem.h"
#include "codec/words/ordinal_reference.h"

TEST(ordinal_reference_reads_common_phrases)
{
    static const struct {
        const char *text;
        enum ordinal_reference_kind kind;
        int position;
    } table[] = {
        {"2", REFERENCE_POSITION, 2},
        {" #2 ", REFERENCE_POSITION, 2},
        {"second", REFERENCE_POSITION, 2},
        {"The second one.", REFERENCE_POSITION, 2},
        {"the 2nd task", REFERENCE_POSITION, 2},
        {"number two", REFERENCE_POSITION, 2},
        {"number one", REFERENCE_POSITION, 1},
        {"task 12", REFERENCE_POSITION, 12},
        {"no. 999", REFERENCE_POSITION, 999},
        {"the third memory", REFERENCE_POSITION, 3},
        {"last", REFERENCE_LAST, 0},
        {"the last one", REFERENCE_LAST, 0},
        {"that", REFERENCE_THAT, 0},
        {"That one!", REFERENCE_THAT, 0},
        {"it", REFERENCE_THAT, 0},
        {"that task", REFERENCE_THAT, 0},
        {"this to-do", REFERENCE_THAT, 0},
        {"the task", REFERENCE_THAT, 0},
        {"die zweite Aufgabe", REFERENCE_POSITION, 2},
        {"den fünften", REFERENCE_POSITION, 5},
        {"die letzte", REFERENCE_LAST, 0},
        {"das", REFERENCE_THAT, 0},
        {"das zweite", REFERENCE_POSITION, 2},
        {"das letzte", REFERENCE_LAST, 0},
        {"", REFERENCE_NONE, 0},
        {"?", REFERENCE_NONE, 0},
        {"0", REFERENCE_NONE, 0},
        {"1000", REFERENCE_NONE, 0},
        {"2 3", REFERENCE_NONE, 0},
        {"the second to last", REFERENCE_NONE, 0},
        {"buy milk", REFERENCE_NONE, 0},
        {"that milk", REFERENCE_NONE, 0},
        {"12monkeys", REFERENCE_NONE, 0},
        {"99999999999999999999th", REFERENCE_NONE, 0},
        {"\xFF\xFE", REFERENCE_NONE, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct ordinal_reference r = ordinal_reference_of(str_of(table[i].text));
        if (r.kind != table[i].kind || r.position != table[i].position)
            fail_msg("%s: kind %d, position %d", table[i].text, (int)r.kind, r.position);
    }
}
