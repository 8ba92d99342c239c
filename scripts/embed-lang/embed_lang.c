/*
 * embed-lang TABLES SCRIPTS ERRORS FILE...: the files lang/CODE.json as constants for src/base/lang.c
 * (TABLES), the sections of the pages' scripts as modules (SCRIPTS/CODE/texts.js,
 * SCRIPTS/CODE/texts-later.js, and their types SCRIPTS/texts.d.ts, SCRIPTS/texts-later.d.ts), and the errors
 * of nginx itself (ERRORS/CODE/404.html for people, 404.json for scripts of pages, 404.problem for the API,
 * 404.openai for /v1).
 *
 * A file is refused unless it has the keys of en.json, with the same placeholders and elements, and the
 * plural forms of its language.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "embed_lang.h"

FILE *create(const char *fmt, ...)
{
    char path[4096];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(path, sizeof path, fmt, ap);
    va_end(ap);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0755) < 0 && errno != EEXIST)
            perror(path);
        *slash = '/';
    }
    FILE *f = fopen(path, "w");
    if (!f) {
        perror(path);
        exit(1);
    }
    return f;
}

void done(FILE *f)
{
    if (fclose(f) != 0) {
        perror("embed-lang");
        exit(1);
    }
}

int main(int argc, char **argv)
{
    if (argc < 5 || argc - 4 > LANGUAGES_MAX) {
        fputs("usage: embed-lang TABLES SCRIPTS ERRORS FILE...\n", stderr);
        return 2;
    }
    for (int i = 4; i < argc; i++)
        read_file(argv[i]);
    for (size_t i = 0; i < files_n; i++)
        check(&files[i]);
    if (failed)
        return 1;
    FILE *out = create("%s", argv[1]);
    tables(out);
    done(out);
    write_scripts(argv[2]);
    write_errors(argv[3]);
    return failed ? 1 : 0;
}
