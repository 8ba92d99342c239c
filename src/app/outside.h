/*
 * Text from outside never writes by itself. What a message quotes or forwards (codec/quoted.h) may talk a
 * model into calling a tool; here a tool that writes what it was given refuses words that come from there
 * rather than from the user. The user can say it in his own words, say yes to the model's question, or use
 * the page.
 */
#ifndef ALFRED_APP_OUTSIDE_H
#define ALFRED_APP_OUTSIDE_H

#include "base/err.h"
#include "base/str.h"
#include "store/store.h"

/* Whether more words of `text` stand in the foreign part of `message` than in its author's own. */
bool outside_says(struct str message, struct str text);

/* RC_FORBIDDEN with a sentence for the model when outside_says() of the user's message `asked_id` (0, or gone
 * meanwhile: none). */
enum rc outside_refuse(struct store *s, int64_t owner, int64_t asked_id, struct str text, struct err *e);

#endif
