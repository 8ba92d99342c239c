/*
 * Times in the words of people. A time that is found is a local time in its form with a rule of a few known
 * names. Nothing outside of the text is read, and the rest is not longer than the text with one blank.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "codec/when/when.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
    if (!ok)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t minutes;
    if (size < sizeof minutes || size > 4000)
        return 0;
    memcpy(&minutes, data, sizeof minutes);
    size -= sizeof minutes;
    char *copy = malloc(size + 1); /* of its exact length, so that the sanitizer sees each byte too many */
    char *text = realloc(copy, size ? size : 1);
    must(text != NULL);
    memcpy(text, data + sizeof minutes, size);
    int64_t wall = (int64_t)minutes * 60 * 1000; /* up to the year 10135 */
    struct when w;
    struct str rest;
    AUTO(arena) a = arena_new();
    if (when_find(a, (struct str){text, size}, wall, &w, &rest)) {
        struct tm tm = {0};
        const char *end = strptime(w.start, "%Y-%m-%dT%H:%M", &tm);
        must(strlen(w.start) == WHEN_START_SIZE - 1 && end && !*end);
        must(memchr(w.rule, '\0', sizeof w.rule) != NULL);
        must(!w.rule[0] || strncmp(w.rule, "FREQ=", 5) == 0);
        must(rest.len <= size + 1);
    }
    free(text);
    return 0;
}
