/*
 * The catalogue of strings: every text that people read, in every language. The files lang/NAME.json are
 * built into the program (scripts/embed-lang), as constants that all processes share. The build checks that
 * all languages have the same keys and placeholders; scripts/check-lang checks that every key that is used
 * exists.
 *
 *     lang_text(l, "sessions.delete")                                         "Delete"
 *     lang_fill(a, l, "sessions.delete_title", LANG_ARGS({"title", title}))   "Delete “{title}”?"
 *     lang_count(a, l, "sessions.messages", 12, NULL)                         "12 messages"
 *
 * Keys are string literals, so that the check finds them. An unknown key is a bug; the key itself is then the
 * text. The log, the command line and texts for models are English and not in the catalogue.
 */
#ifndef ALFRED_BASE_LANG_H
#define ALFRED_BASE_LANG_H

#include "base/mem.h"
#include "base/strbuf.h"

struct lang;

#define LANG_TEXT_MAX ((size_t)64 * 1024) /* bytes of a filled text in an arena */

const struct lang *lang_english(void);
const struct lang *lang_find(struct str code); /* "de"; NULL: there is none */
const struct lang *lang_at(size_t i);          /* by name; NULL at the end */

/* The language that fits a header Accept-Language (RFC 9110, 12.5.4) best. English when none does, or NULL.
 */
const struct lang *lang_accepted(const char *header);

size_t lang_index(const struct lang *l);     /* from 0, without gaps */
const char *lang_code(const struct lang *l); /* "de" */
const char *lang_name(const struct lang *l); /* "Deutsch" */

/* The text as it is. */
const char *lang_text(const struct lang *l, const char *key);
/* The same for a key from a file. NULL: unknown. */
const char *lang_lookup(const struct lang *l, struct str key);

struct lang_arg {
    const char *name, *text;
};
/* Placeholders and their texts, ended by an empty one. */
#define LANG_ARGS(...) ((const struct lang_arg[]){__VA_ARGS__, {0}})

/* The text with its placeholders filled. `args` NULL: none. A placeholder without an argument stays. */
void lang_add(struct strbuf *out, const struct lang *l, const char *key, const struct lang_arg *args);
const char *lang_fill(struct arena *a, const struct lang *l, const char *key, const struct lang_arg *args);

/* The plural form for `n` (for its amount when negative). {n} is the number as the language writes it. */
void lang_add_count(
    struct strbuf *out, const struct lang *l, const char *key, int64_t n, const struct lang_arg *args);
const char *lang_count(
    struct arena *a, const struct lang *l, const char *key, int64_t n, const struct lang_arg *args);

/* "1,204"; "1.204" in German. */
void lang_add_number(struct strbuf *out, const struct lang *l, int64_t n);
/* The decimal sign: "." */
const char *lang_decimal(const struct lang *l);
enum lang_round { LANG_ROUND_UP, LANG_ROUND_DOWN };
/* "950 bytes", "12 KB", "1.5 MB", "10 GB"; 1 KB is 1,024 bytes. A size is rounded up, a limit down. */
void lang_add_bytes(struct strbuf *out, const struct lang *l, int64_t n, enum lang_round round);

#endif
