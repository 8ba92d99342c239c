/*
 * Recognises words that refer to one item of a list: "2", "the second one", "number two", "#3", "the last
 * task", "that", "it"; in German "das zweite", "die letzte". Case and diacritics are ignored. This file does
 * not know the list: app/tools/discourse_focus.h finds the item, and the offline provider asks whether words
 * are a reference.
 */
#ifndef ALFRED_CODEC_WORDS_ORDINAL_REFERENCE_H
#define ALFRED_CODEC_WORDS_ORDINAL_REFERENCE_H

#include "base/str.h"

enum ordinal_reference_kind {
    REFERENCE_NONE,     /* not a reference */
    REFERENCE_POSITION, /* counted from 1 */
    REFERENCE_LAST,     /* the last of the list */
    REFERENCE_THAT      /* the item that was mentioned last */
};

#define REFERENCE_POSITION_MAX 999

struct ordinal_reference {
    enum ordinal_reference_kind kind;
    int position;
};

struct ordinal_reference ordinal_reference_of(struct str text);

#endif
