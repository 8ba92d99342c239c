#include "app/context/data_block.h"

#include <string.h>

#define AROUND_NAME ((size_t)3) /* "</" and ">" */

void data_block_begin(struct data_block *b, const char *sentence, const char *name, size_t bytes)
{
    size_t tail = strlen(name) + AROUND_NAME;
    bytes = bytes < DATA_BLOCK_MAX ? bytes : DATA_BLOCK_MAX;
    *b = (struct data_block){.name = name};
    strbuf_init(&b->text, bytes > tail ? bytes - tail : 0);
    strbuf_addf(&b->text, "%s\n<%s>\n", sentence, name);
}

bool data_block_add(struct data_block *b, const struct view *line)
{
    size_t before = b->text.len;
    if (before == 0) /* not even the first sentence fits */
        return false;
    view_json(line, &b->text);
    strbuf_addc(&b->text, '\n');
    if (b->text.failed) {
        b->text.failed = false;
        strbuf_truncate(&b->text, before);
        return false;
    }
    b->lines++;
    return true;
}

struct str data_block_end(struct data_block *b, struct arena *a)
{
    struct str out = b->lines ? str_of(arena_printf(a, "%s</%s>", b->text.s, b->name)) : STR("");
    strbuf_release(&b->text);
    return out;
}

void data_block_append(struct arena *a, struct str *prompt, struct str block)
{
    if (block.len)
        *prompt = str_of(arena_printf(a, "%.*s%s%s", STR_FMT(*prompt), prompt->len ? "\n\n" : "", block.s));
}
