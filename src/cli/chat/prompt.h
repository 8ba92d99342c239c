/*
 * The line editor: history, completion, pasted text of several lines, and messages of several lines. A
 * message continues after a line that ends in a backslash. After """ it continues until a line ends with """.
 */
#ifndef ALFRED_CLI_CHAT_PROMPT_H
#define ALFRED_CLI_CHAT_PROMPT_H

#include "base/err.h"
#include "base/mem.h"
#include "base/strbuf.h"

struct prompt;

/* The completions of the word before the cursor. */
struct prompt_choices {
    struct arena *arena; /* of all strings */
    const char **words;  /* instead of the word */
    const char **notes;  /* beside them in the list; NULL: none */
    size_t n, room;
    size_t word_len; /* bytes of the word; set by the function */
};
void prompt_choice(struct prompt_choices *c, const char *word, const char *note);
/* `line`: the text before the cursor. */
typedef void prompt_complete_fn(void *arg, struct str line, struct prompt_choices *out);

/* `history`: a file. RC_UNAVAILABLE: libedit is missing. */
enum rc prompt_new(
    const char *history, prompt_complete_fn *complete, void *arg, struct prompt **out, struct err *e);
void prompt_free(struct prompt *p); /* NULL is fine */
DEFINE_AUTO(prompt);

enum prompt_result { PROMPT_MESSAGE, PROMPT_INTERRUPTED, PROMPT_END };

/* Reads a message into `out`, which is emptied first. `question` NULL: "> ", and the message enters the
 * history. */
enum prompt_result prompt_read(struct prompt *p, const char *question, struct strbuf *out);

#endif
