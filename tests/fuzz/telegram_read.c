/* Updates: whatever is read has strings that are valid text, and ids that fit. */
#include <stdlib.h>

#include "base/utf8.h"
#include "channel/telegram/telegram_private.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_id(const char *id)
{
    if (!id || strlen(id) >= CHANNEL_ID_SIZE || strspn(id, "-0123456789") != strlen(id))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char name[] = "our_bot";
    static struct telegram bot = {.bot_name = name, .bot_id = 777, .lock = PTHREAD_MUTEX_INITIALIZER};
    AUTO(arena) a = arena_new();
    struct channel_update u;
    char id[CHANNEL_ID_SIZE];
    struct str body = {(const char *)data, size};
    bool read = telegram_read(&bot, a, body, &u);
    telegram_update_id(body, id);
    check_id(u.place.chat);
    check_id(u.place.thread);
    check_id(u.message);
    check_id(u.sender);
    check_id(u.moved_to);
    if (!utf8_valid_text(u.text) || !utf8_valid_text(str_of(u.sender_name)) ||
        !utf8_valid_text(str_of(u.data)) || !utf8_valid_text(str_of(u.author)) ||
        (u.file.id && (!utf8_valid_text(str_of(u.file.id)) || !*u.file.id || u.left_out)) ||
        (u.replied_to.s && !utf8_valid_text(u.replied_to)))
        abort();
    if ((read && u.kind == UPDATE_OTHER) || (!read && u.kind != UPDATE_OTHER))
        abort();
    return 0;
}
