#include "base/said.h"

#include <stdio.h>

#include "base/utf8.h"

/* Appends what fits, without a part of a character. */
static void put(char *out, struct str s)
{
    size_t len = strlen(out);
    s.len = utf8_cut_bytes(s, SAID_MAX - 1 - len);
    memcpy(out + len, s.s, s.len);
    out[len + s.len] = '\0';
}

static void put_text(char *out, const char *text)
{
    size_t from = strlen(out);
    struct str s = str_of(text ? text : "");
    s.len = utf8_cut_bytes(s, SAID_VALUE_MAX);
    put(out, s);
    for (char *c = out + from; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7F)
            *c = ' ';
}

void said_add(char *out, const char *key, struct said_args args)
{
    if (*out)
        put(out, STR("\n"));
    put(out, str_of(key));
    for (size_t i = 0; i < args.n; i++) {
        const struct said_arg *arg = &args.list[i];
        size_t before = strlen(out);
        char head[48], number[24];
        snprintf(head, sizeof head, "\t%.40s%c", arg->name, arg->mark);
        snprintf(number, sizeof number, "%lld", (long long)arg->number);
        if (before + strlen(head) + strlen(number) >= SAID_MAX)
            return;
        put(out, str_of(head));
        put_text(out, arg->mark == ':' || arg->mark == '#' ? number : arg->text);
    }
}

const char *said_new(struct arena *a, const char *key, struct said_args args)
{
    char out[SAID_MAX] = "";
    said_add(out, key, args);
    return arena_strdup(a, out);
}

#define ARGS_MAX   8
#define NUMBER_MAX 48 /* bytes of a number with its separators */

struct parsed {
    struct lang_arg args[ARGS_MAX + 1]; /* ended by an empty one */
    char numbers[ARGS_MAX][NUMBER_MAX];
    bool counts; /* there is {n}, in `n` */
    int64_t n;
};

/* Adds an argument "name:12". Ends its name with a NUL. */
static void parse_arg(struct parsed *p, size_t i, const struct lang *l, char *arg)
{
    char *mark = arg + strcspn(arg, "=:#@");
    const char *value = *mark ? mark + 1 : mark;
    int64_t number;
    if ((*mark == ':' || *mark == '#') && str_to_int(str_of(value), INT64_MIN, INT64_MAX, &number)) {
        AUTO_STRBUF out;
        strbuf_init(&out, NUMBER_MAX - 1);
        if (*mark == '#')
            lang_add_bytes(&out, l, number, LANG_ROUND_DOWN);
        else
            lang_add_number(&out, l, number);
        snprintf(p->numbers[i], NUMBER_MAX, "%s", out.s);
        value = p->numbers[i];
        if (mark == arg + 1 && *arg == 'n') {
            p->counts = true;
            p->n = number;
        }
    } else if (*mark == '@') {
        value = lang_text(l, value);
    }
    *mark = '\0';
    p->args[i] = (struct lang_arg){arg, value};
}

/* `line` is changed. */
static void put_sentence(struct strbuf *out, const struct lang *l, char *line)
{
    struct parsed p = {.counts = false};
    char *next = line, *key = strsep(&next, "\t");
    for (size_t i = 0; next && i < ARGS_MAX; i++)
        parse_arg(&p, i, l, strsep(&next, "\t"));
    if (p.counts)
        lang_add_count(out, l, key, p.n, p.args);
    else
        lang_add(out, l, key, p.args);
}

void said_put(struct strbuf *out, const struct lang *l, const char *said)
{
    if (!lang_lookup(l, (struct str){said, strcspn(said, "\t\n")})) {
        strbuf_adds(out, said);
        return;
    }
    char lines[SAID_MAX];
    snprintf(lines, sizeof lines, "%s", said);
    for (char *next = lines; next;) {
        if (next != lines)
            strbuf_addc(out, ' ');
        put_sentence(out, l, strsep(&next, "\n"));
    }
}

const char *said_words(struct arena *a, const struct lang *l, const char *said)
{
    if (!said)
        return NULL;
    AUTO_STRBUF out;
    strbuf_init(&out, LANG_TEXT_MAX);
    said_put(&out, l, said);
    return arena_strndup(a, out.s, out.len);
}
