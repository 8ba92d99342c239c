/*
 * How people point at one thing of a list that they were shown: "2", "the second one", "number two", "#3",
 * "the last task", "that", "it". Words in English, case and marks aside. Knows nothing of what was shown;
 * app/working.h finds the thing, and the offline model asks whether words are a reference at all.
 */
#ifndef ALFRED_CODEC_REFERENCE_H
#define ALFRED_CODEC_REFERENCE_H

#include "base/str.h"

enum reference_kind {
    REFERENCE_NONE,     /* the words are something else */
    REFERENCE_POSITION, /* counted from 1 */
    REFERENCE_LAST,     /* the last of the list */
    REFERENCE_THAT      /* what was spoken of last */
};

#define REFERENCE_POSITION_MAX 999

struct reference {
    enum reference_kind kind;
    int position;
};

struct reference reference_of(struct str text);

#endif
