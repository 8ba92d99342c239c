/*
 * Plural forms: which form of a text a whole number takes, by families of the CLDR's rules (unicode.org/cldr,
 * plurals.xml). A language file names its family. Browsers have the same rules (Intl.PluralRules).
 */
#ifndef ALFRED_BASE_LANG_PLURAL_H
#define ALFRED_BASE_LANG_PLURAL_H

#include <stdint.h>

enum plural { PLURAL_ZERO, PLURAL_ONE, PLURAL_TWO, PLURAL_FEW, PLURAL_MANY, PLURAL_OTHER, PLURAL_COUNT };

/* The word in a language file: "one". */
extern const char *const plural_names[PLURAL_COUNT];

struct plural_family {
    const char *name; /* NULL: the end of the table */
    unsigned forms;   /* 1 << PLURAL_ONE, ...: the forms that a text needs */
    enum plural (*form)(uint64_t n);
};

extern const struct plural_family plural_families[];

/* The place in plural_families; -1: unknown. */
int plural_family_find(const char *name);

#endif
