/*
 * The offline embedder: a text becomes a vector of LEXICAL_DIMS numbers without weights, network or training.
 *
 * It is lexical, not semantic: two texts are near each other when they share words, or words that are written
 * nearly alike. So it forgives typos, other endings and compounds, but does not know that a car is a vehicle.
 *
 * Features are the stemmed word (weight 1) and the character 3- to 5-grams of the word with its borders
 * (LEXICAL_GRAM_WEIGHT each); stop words are left out. Each feature stands at LEXICAL_PLACES places with a
 * sign, both from its hash (feature hashing, Weinberger et al., ICML 2009), so nothing has to be stored or
 * learnt. A word that comes tf times counts 1 + ln tf; the vector has length 1. Documents carry no idf, so
 * that what is stored never goes stale; a query weighs its words by the rarity they have now.
 */
#ifndef ALFRED_CODEC_LEXICAL_H
#define ALFRED_CODEC_LEXICAL_H

#include "codec/tokenizer.h"

#define LEXICAL_DIMS        1024
#define LEXICAL_PLACES      8
#define LEXICAL_GRAM_MIN    3 /* characters, borders included */
#define LEXICAL_GRAM_MAX    5
#define LEXICAL_GRAM_WEIGHT 0.3F

/* Another number here makes every stored vector be made again; so change it with anything above. */
#define LEXICAL_NAME "lexical-1"

/* `weights` (one per word of the bag) NULL: all 1. Zeros when the bag is empty. */
void lexical_embed(const struct bag *b, const float *weights, float out[LEXICAL_DIMS]);

#endif
