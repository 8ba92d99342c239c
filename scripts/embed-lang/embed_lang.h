/*
 * Shared by the files of embed-lang: catalogue.c (the files lang/CODE.json and their checks), tables.c,
 * scripts.c and errors.c (what is written), embed_lang.c (the program).
 */
#ifndef ALFRED_SCRIPTS_EMBED_LANG_H
#define ALFRED_SCRIPTS_EMBED_LANG_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include "base/str.h"

#define LANGUAGES_MAX 64
#define ENGLISH       "en"
#define HEAD          "language" /* the section that describes the language */
#define NAMES_MAX     32         /* placeholders of one text */

struct file {
    const char *path;
    char code[16];
    json_t *root;
    int plural; /* index of plural_families */
};

/* Placeholders and elements of a text, in order of their names. */
struct parts {
    char names[NAMES_MAX][64];
    size_t n;
};

/* catalogue.c. A file that cannot be parsed ends the program; other mistakes are printed and set `failed`. */
extern struct file files[LANGUAGES_MAX];
extern size_t files_n, english;
extern bool failed;
void read_file(const char *path);
void check(const struct file *f);                                     /* after all are read */
const char *head(const struct file *f, const char *key, size_t size); /* of the head; "": a mistake */
const char *general(json_t *text);                                    /* the form with all placeholders */
json_t *text_of(const struct file *f, const char *key);               /* key: SECTION.NAME */
struct parts parts_of(const char *text);

void tables(FILE *out); /* tables.c: the constants for src/base/lang.c */

/* scripts.c */
void write_scripts(const char *folder);
void js_bytes(FILE *out, struct str s); /* between the quotes of a string of JavaScript or JSON */

void write_errors(const char *folder); /* errors.c */

/* embed_lang.c. A failure ends the program. */
FILE *create(const char *fmt, ...) __attribute__((format(printf, 1, 2))); /* with its folders */
void done(FILE *f);

#endif
