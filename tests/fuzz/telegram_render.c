/* Hostile Markdown as Telegram's messages, checked by telegram_check.h. The input is repeated, so that it is
 * cut into pieces. */
#include <stdlib.h>

#include "../unit/channel/telegram/telegram_check.h"

#define REPEAT_TO 12000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct str markdown)
{
    struct arena *a = arena_new();
    struct channel_piece *p;
    size_t n;
    telegram_render(a, markdown, &p, &n);
    check_pieces(markdown, p, n);
    arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = {(const char *)data, size};
    if (size < 1 || size > 2000 || !utf8_valid_text(text))
        return 0;
    check(text);
    struct strbuf many;
    strbuf_init(&many, REPEAT_TO + size);
    while (many.len < REPEAT_TO)
        strbuf_addstr(&many, text);
    check(strbuf_str(&many));
    strbuf_release(&many);
    return 0;
}
