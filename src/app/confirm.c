#include "app/confirm.h"

#include "app/session/session_actions.h"
#include "base/strbuf.h"
#include "codec/markdown/markdown.h"
#include "codec/tokenizer.h"
#include "store/memory.h"
#include "store/session.h"
#include "store/task.h"

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
        "yes delete the task", "yes delete the chat", "do it", "do it please", "please do it", "please do",
        "go ahead", "yes go ahead", "yep", "yeah", "sure", "ok", "okay", "confirm", "confirmed", "ja",
        "ja bitte", "mach das"};
    static const char *const no[] = {"no", "no thanks", "no thank you", "cancel", "no cancel", "cancel it",
        "cancel that", "nope", "no don t", "don t", "don t do it", "do not", "keep it", "no keep it",
        "keep the task", "keep the chat", "never mind", "nevermind", "stop", "abort", "nein", "nein danke",
        "abbrechen"};
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

/* ---- the table ---- */

/* The text of what it is about; RC_NOT_FOUND: gone, or not the owner's. */
typedef enum rc find_fn(struct db *db, struct arena *a, int64_t owner, int64_t subject, int64_t now,
    struct str *out, struct err *e);
typedef enum rc do_fn(struct db *db, int64_t owner, int64_t subject, int64_t now, struct err *e);

struct confirm_action {
    const char *name;
    find_fn *find;
    do_fn *run;
    const char *question, *yes_label, *no_label;
    const char *yes_reply, *no_reply; /* before the quoted subject */
    const char *afterwards;           /* a sentence behind the done reply; "": none */
    const char *done, *kept;          /* words of an address, and what they say: */
    const char *done_text, *kept_text;
};

static enum rc find_memory(struct db *db, struct arena *a, int64_t owner, int64_t subject, int64_t now,
    struct str *out, struct err *e)
{
    struct memory m;
    enum rc rc = store_memory_get(db, a, owner, subject, now, &m, e);
    if (rc == RC_OK)
        *out = m.text;
    return rc;
}

static enum rc find_task(struct db *db, struct arena *a, int64_t owner, int64_t subject, int64_t now,
    struct str *out, struct err *e)
{
    struct task t;
    (void)now;
    enum rc rc = store_task_get(db, a, owner, subject, &t, e);
    if (rc == RC_OK)
        *out = t.text;
    return rc;
}

static enum rc find_session(struct db *db, struct arena *a, int64_t owner, int64_t subject, int64_t now,
    struct str *out, struct err *e)
{
    struct session s;
    (void)now;
    enum rc rc = store_session_by_id(db, a, owner, subject, &s, e);
    if (rc == RC_OK)
        *out = str_of(s.title ? s.title : "New chat");
    return rc;
}

static enum rc delete_session(struct db *db, int64_t owner, int64_t subject, int64_t now, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct session s;
    struct auth_client from = {.address = "", .now = now};
    enum rc rc = store_session_by_id(db, a, owner, subject, &s, e);
    return rc == RC_OK ? chat_delete_in(db, owner, s.pub, &from, e) : rc;
}

static const struct confirm_action actions[] = {
    {CONFIRM_FORGET, find_memory, store_memory_delete, "Forget", "Forget", "Keep",
        "Done. I have forgotten this:", "I keep it:", "", "forgotten", "kept", "It is forgotten.",
        "Nothing is forgotten."},
    {CONFIRM_DELETE_TASK, find_task, store_task_delete, "Delete the task", "Delete task", "Keep",
        "Done. I have deleted this task:", "I keep the task:",
        "\n\nFor an hour the to-do page can put it back.", "task_gone", "task_kept",
        "The task is deleted. The to-do list can undo that for an hour.", "The task stays."},
    {CONFIRM_DELETE_SESSION, find_session, delete_session, "Delete the chat and all its messages:",
        "Delete chat", "Keep", "Done. I have deleted this chat:", "I keep the chat:", "", "chat_gone",
        "chat_kept", "The chat is deleted.", "The chat stays."},
};

static const struct confirm_action *action_of(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(actions); i++)
        if (strcmp(actions[i].name, name) == 0)
            return &actions[i];
    return NULL;
}

/* ---- asking and answering ---- */

enum rc confirm_find(struct db *db, struct arena *a, int64_t owner, int64_t session_id, int64_t now,
    struct confirm *out, struct err *e)
{
    *out = (struct confirm){0};
    enum rc rc = store_pending_get(db, a, owner, session_id, now - CONFIRM_LAPSE_MS, &out->pending, e);
    if (rc != RC_OK)
        return rc;
    const struct confirm_action *t = action_of(out->pending.action);
    if (!t)
        return err_set(e, RC_INTERNAL, "a pending %s", out->pending.action);
    out->action = t;
    out->question = t->question;
    out->yes_label = t->yes_label;
    out->no_label = t->no_label;
    out->done = t->done;
    out->kept = t->kept;
    return t->find(db, a, owner, out->pending.subject, now, &out->subject, e);
}

const char *confirm_reply(struct arena *a, const struct confirm *c, bool yes)
{
    AUTO_STRBUF quote;
    strbuf_init(&quote, MARKDOWN_ADDED_MAX * c->subject.len + 1);
    markdown_add_text(&quote, c->subject);
    const struct confirm_action *t = c->action;
    return arena_printf(
        a, "%s\n\n> %s%s", yes ? t->yes_reply : t->no_reply, quote.s, yes ? t->afterwards : "");
}

enum rc confirm_answer(
    struct db *db, int64_t owner, const struct confirm *c, bool yes, int64_t now, struct err *e)
{
    enum rc rc = store_pending_take(db, owner, c->pending.id, e);
    if (rc == RC_OK && yes)
        rc = c->action->run(db, owner, c->pending.subject, now, e);
    return rc == RC_NOT_FOUND ? err_say(e, RC_CONFLICT, GONE) : rc;
}

const char *confirm_settled(struct str word)
{
    for (size_t i = 0; i < ARRAY_LEN(actions); i++)
        if (str_is(word, actions[i].done) || str_is(word, actions[i].kept))
            return str_is(word, actions[i].done) ? actions[i].done_text : actions[i].kept_text;
    return NULL;
}

struct button {
    struct arena *a;
    const struct confirm_press *press;
    struct confirm *out;
};

static enum rc button_tx(struct db *db, void *arg, struct err *e)
{
    const struct button *b = arg;
    const struct confirm_press *p = b->press;
    struct session s;
    enum rc rc = store_session_get(db, b->a, p->owner, p->session, &s, e);
    if (rc != RC_OK)
        return rc;
    rc = confirm_find(db, b->a, p->owner, s.id, p->now, b->out, e);
    if (rc == RC_NOT_FOUND || (rc == RC_OK && b->out->pending.id != p->question))
        return err_say(e, RC_CONFLICT, GONE);
    return rc == RC_OK ? confirm_answer(db, p->owner, b->out, p->yes, p->now, e) : rc;
}

enum rc confirm_button(
    struct store *s, struct arena *a, const struct confirm_press *press, struct confirm *out, struct err *e)
{
    return store_write(s, button_tx, &(struct button){a, press, out}, e);
}
