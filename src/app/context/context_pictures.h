/*
 * The pictures of a context: which are shown, their estimated tokens, and the note that stands for the
 * others.
 */
#ifndef ALFRED_APP_CONTEXT_CONTEXT_PICTURES_H
#define ALFRED_APP_CONTEXT_CONTEXT_PICTURES_H

#include "app/context/context.h"

/* The number of pictures of a message that a request can have: those of users. What a model has drawn it
 * knows from the call; no protocol takes pictures of answers. */
size_t pictures_of(const struct message *m);
/* The first message of the path from which on pictures are shown; `n`: none is. Each message shows all of its
 * pictures or none. */
size_t pictures_first_shown(enum context_pictures which, const struct message *path, size_t n);
/* Adds the pictures of `m` to `to`, or puts the note before its text. */
void pictures_add(struct arena *a, struct llm_message *to, const struct message *m, bool shown);
/* The pictures of `n` messages that become one. */
void pictures_join(struct arena *a, const struct llm_message *list, size_t n, struct llm_message *one);

/* Of all pictures of `m`, or of the note. */
int64_t pictures_tokens(const struct message *m, bool shown);
int64_t pictures_sent_tokens(const struct llm_message *m);

#endif
