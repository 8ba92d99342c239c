/* Letters: their case, their marks, and the order of names. */
#ifndef ALFRED_BASE_LETTER_H
#define ALFRED_BASE_LETTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

bool letter_is_mark(uint32_t cp); /* combining: part of the letter before */

/* Lower case, Latin letters without marks. */
uint32_t letter_fold(uint32_t cp);
/* Lower case of Latin, Greek and Cyrillic letters, with their marks. */
uint32_t letter_lower(uint32_t cp);

/* Orders names as people do: digits that follow each other count as a number ("9" before "10"), letters count
 * without case and marks ("Apfel", "Äpfel", "Apfelbaum"). <0, 0 or >0; 0 only for equal bytes. */
int letter_compare_names(struct str a, struct str b);

#endif
