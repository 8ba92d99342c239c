#include "app/confirm.h"

#include "base/strbuf.h"
#include "codec/terms.h"
#include "store/memory.h"
#include "store/session.h"

#define WORDS_MAX 64 /* bytes of a message that may be a yes or a no */

#define GONE "That question has been answered already, or it has lapsed. Nothing was done."

static bool is_one_of(const char *words, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(words, list[i]) == 0)
            return true;
    return false;
}

enum confirm_word confirm_word_of(struct str text)
{
    static const char *const yes[] = {"yes", "yes please", "yes do it", "yes forget it", "yes delete it",
        "do it", "do it please", "please do it", "please do", "go ahead", "yes go ahead", "yep", "yeah",
        "sure", "ok", "okay", "confirm", "confirmed", "ja", "ja bitte", "mach das"};
    static const char *const no[] = {"no", "no thanks", "no thank you", "cancel", "no cancel", "cancel it",
        "cancel that", "nope", "no don t", "don t", "don t do it", "do not", "keep it", "no keep it",
        "never mind", "nevermind", "stop", "abort", "nein", "nein danke", "abbrechen"};
    AUTO_STRBUF words;
    strbuf_init(&words, WORDS_MAX);
    struct term t;
    while (!words.failed && term_next(&text, &t))
        strbuf_addf(&words, "%s%s", words.len ? " " : "", t.word);
    if (words.failed || words.len == 0)
        return CONFIRM_OTHER;
    if (is_one_of(words.s, yes, ARRAY_LEN(yes)))
        return CONFIRM_YES;
    return is_one_of(words.s, no, ARRAY_LEN(no)) ? CONFIRM_NO : CONFIRM_OTHER;
}

enum rc confirm_find(struct db *db, struct arena *a, int64_t owner, int64_t session_id, int64_t now,
    struct confirm *out, struct err *e)
{
    struct memory m;
    *out = (struct confirm){.yes_label = "Forget", .no_label = "Keep"};
    enum rc rc = store_pending_get(db, a, owner, session_id, now - CONFIRM_LAPSE_MS, &out->pending, e);
    if (rc == RC_OK && strcmp(out->pending.action, CONFIRM_FORGET) != 0)
        return err_set(e, RC_INTERNAL, "a pending %s", out->pending.action);
    if (rc == RC_OK)
        rc = store_memory_get(db, a, owner, out->pending.subject, now, &m, e);
    if (rc == RC_OK)
        out->subject = m.text;
    return rc;
}

const char *confirm_reply(struct arena *a, const struct confirm *c, bool yes)
{
    AUTO_STRBUF quote; /* as a Markdown quote, whatever stands in it */
    strbuf_init(&quote, 2 * c->subject.len + 16);
    for (size_t i = 0; i < c->subject.len; i++) {
        char s = c->subject.s[i];
        if (s == '\n') {
            strbuf_adds(&quote, "\n> ");
            continue;
        }
        if (strchr("\\`*_{}[]<>()#+-.!|~$&", s))
            strbuf_addc(&quote, '\\');
        strbuf_addc(&quote, s);
    }
    return arena_printf(
        a, yes ? "Done. I have forgotten this:\n\n> %s" : "I keep it:\n\n> %s", quote.s ? quote.s : "");
}

enum rc confirm_answer(
    struct db *db, int64_t owner, const struct confirm *c, bool yes, int64_t now, struct err *e)
{
    enum rc rc = store_pending_take(db, owner, c->pending.id, e);
    if (rc == RC_OK && yes)
        rc = store_memory_delete(db, owner, c->pending.subject, now, e);
    return rc == RC_NOT_FOUND ? err_say(e, RC_CONFLICT, GONE) : rc;
}

struct button {
    int64_t owner, now;
    const char *session;
    bool yes;
};

static enum rc button_tx(struct db *db, void *arg, struct err *e)
{
    const struct button *b = arg;
    AUTO(arena) a = arena_new();
    struct session s;
    struct confirm c;
    enum rc rc = store_session_get(db, a, b->owner, b->session, &s, e);
    if (rc != RC_OK)
        return rc;
    rc = confirm_find(db, a, b->owner, s.id, b->now, &c, e);
    if (rc == RC_NOT_FOUND)
        return err_say(e, RC_CONFLICT, GONE);
    return rc == RC_OK ? confirm_answer(db, b->owner, &c, b->yes, b->now, e) : rc;
}

enum rc confirm_button(
    struct store *s, int64_t owner, const char *session, bool yes, int64_t now, struct err *e)
{
    struct button b = {.owner = owner, .now = now, .session = session, .yes = yes};
    return store_write(s, button_tx, &b, e);
}
