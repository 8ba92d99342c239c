/*
 * What can be said about a conversation by rule, without a model: its own sentences, scored, never reworded.
 *
 * A sentence scores by how often its words come in the whole conversation (1 + ln tf of each word's stem,
 * stop words left out; the mean over the sentence, short ones less). A chosen sentence's words count little
 * from then on, so that the next one says something else. Decisions and open ends are sentences of the user
 * with words that announce them. It is a selection and not an understanding, and is shown as such.
 *
 * The offline model's own answers say nothing about a conversation and are left out, and so are code and what
 * only kept the to-do list or the memory in order (tool_is_errand()).
 */
#ifndef ALFRED_APP_EXTRACT_H
#define ALFRED_APP_EXTRACT_H

#include "base/strbuf.h"
#include "store/message.h"

#define EXTRACT_ABOUT     5 /* sentences */
#define EXTRACT_DECISIONS 4
#define EXTRACT_OPEN      4
#define EXTRACT_KEYWORDS  5
#define EXTRACT_SENTENCES 4000 /* that are looked at, the newest */

struct extract_part {
    struct str *lines; /* in the order in which they were said */
    bool *alfred;      /* said by Alfred, else by the user */
    size_t n;
};

struct extract {
    struct extract_part about, decisions, open;
    struct str topic; /* the sentence of the user that scores best; empty: there is none */
    const char *keywords[EXTRACT_KEYWORDS];
    size_t keywords_n;
};

/* `path` is oldest first. All of it lives in the arena or in the messages. */
struct extract extract_from(struct arena *a, const struct message *path, size_t n);

#endif
