/*
 * The lexical embedder: a text becomes a vector of LEXICAL_DIMS numbers without weights, network or training.
 *
 * It is lexical, not semantic. Two texts are similar when they share words or similarly spelt words. It
 * matches typing errors, other endings and compounds, but not synonyms: “car” does not match “vehicle”.
 *
 * Features are the stemmed word (weight 1) and the character 3- to 5-grams of the word with its borders
 * (LEXICAL_GRAM_WEIGHT each). Stop words are left out. Each feature is added at LEXICAL_PLACES places with a
 * sign, both from its hash (feature hashing, Weinberger et al., ICML 2009), so nothing has to be stored or
 * learnt. A word that occurs tf times counts 1 + ln tf; the vector has length 1. Documents have no idf, so
 * stored vectors never become outdated. A query weights its words by their current rarity.
 */
#ifndef ALFRED_CODEC_WORDS_LEXICAL_H
#define ALFRED_CODEC_WORDS_LEXICAL_H

#include "codec/words/tokenizer.h"

#define LEXICAL_DIMS        1024
#define LEXICAL_PLACES      8
#define LEXICAL_GRAM_MIN    3 /* characters, borders included */
#define LEXICAL_GRAM_MAX    5
#define LEXICAL_GRAM_WEIGHT 0.3F

/* Increment this after a change of anything above: all stored vectors are then made again. */
#define LEXICAL_NAME "lexical-2"

/* `weights` (one per word of the bag) NULL: all 1. An empty bag gives zeros. */
void lexical_embed(const struct bag *b, const float *weights, float out[LEXICAL_DIMS]);

#endif
