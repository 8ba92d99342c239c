/*
 * The parts of a text of the catalogue:
 *
 *     {name}            a placeholder; its name has the characters a-z, 0-9 and _
 *     <1>words</1>      words inside the first element that a template gives
 *     <2/>              the second element as it is
 *     {{ }}             one brace each
 */
#ifndef ALFRED_BASE_LANG_PIECE_H
#define ALFRED_BASE_LANG_PIECE_H

#include "base/str.h"

#define LANG_ELEMENTS_MAX 9

enum lang_piece_kind { LANG_END, LANG_LITERAL, LANG_PLACE, LANG_OPEN, LANG_CLOSE, LANG_WHOLE };

struct lang_piece {
    enum lang_piece_kind kind;
    struct str text; /* LITERAL: itself; PLACE: the name */
    int element;     /* OPEN, CLOSE, WHOLE: from 1 */
};

/* Reads the first part of `*rest` and moves behind it. */
struct lang_piece lang_piece_next(struct str *rest);

#endif
