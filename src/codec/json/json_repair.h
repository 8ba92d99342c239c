/*
 * Replaces by U+FFFD what no text may have and json_parse() refuses: the escape of NUL, escapes of single
 * surrogates, and bytes that are not UTF-8. Two surrogates that are encoded one by one (CESU-8) become their
 * character. All other bytes stay, so JSON that json_parse() accepts is unchanged, and other mistakes remain.
 * For files of other programs.
 */
#ifndef ALFRED_CODEC_JSON_JSON_REPAIR_H
#define ALFRED_CODEC_JSON_JSON_REPAIR_H

#include "base/str.h"
#include "base/strbuf.h"

/* Appends the repaired text, which has up to three times as many bytes. */
void json_repair(struct strbuf *out, struct str text);

#endif
