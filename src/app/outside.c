#include "app/outside.h"

#include "codec/quoted_reply.h"
#include "codec/tokenizer.h"
#include "store/message.h"

static size_t count_in(const struct bag *words, const struct bag *text)
{
    size_t n = 0;
    for (size_t i = 0; i < words->n; i++)
        n += bag_find(text, words->words[i].stem) != NULL;
    return n;
}

bool outside_says(struct str message, struct str text)
{
    struct str own = quoted_own(message);
    if (own.len == message.len)
        return false;
    AUTO(arena) a = arena_new();
    struct bag words = bag_of(a, text, false), mine = bag_of(a, own, false),
               theirs = bag_of(a, (struct str){message.s + own.len, message.len - own.len}, false);
    return count_in(&words, &theirs) > count_in(&words, &mine);
}

enum rc outside_refuse(struct store *s, int64_t owner, int64_t asked_id, struct str text, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct message m = {.text = STR("")};
    struct db *db = store_read(s);
    enum rc rc = asked_id ? store_message_get(db, a, owner, asked_id, &m, e) : RC_OK;
    store_read_done(s, db);
    if (rc == RC_OK && outside_says(m.text, text))
        return err_say(e, RC_FORBIDDEN,
            "That stands in quoted or forwarded text. It is kept only when the user says so: ask.");
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}
