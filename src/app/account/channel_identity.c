#include "app/account/channel_identity.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "app/account/auth_private.h"
#include "base/rand.h"
#include "base/utf8.h"
#include "store/channel/link_code.h"

#define CODE_CHARS         (LINK_CODE_SIZE - 1)
#define CODE_BITS          5
#define DETAIL_MAX         160
#define SENDER_BYTES       256
#define CHANNEL_NAME_BYTES (CHANNEL_NAME_CHARS_MAX * 4 + 1)

/* Without I, L, O and U: Crockford's base32. */
static const char alphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/* ---- codes ---- */

static void code_new(char out[LINK_CODE_SIZE])
{
    unsigned char raw[CODE_CHARS];
    rand_bytes(raw, sizeof raw);
    for (size_t i = 0; i < CODE_CHARS; i++)
        out[i] = alphabet[raw[i] & ((1U << CODE_BITS) - 1)];
    out[CODE_CHARS] = '\0';
    sodium_memzero(raw, sizeof raw);
}

/* The digit that a character means: people type O for 0 and I or L for 1. */
static char folded(char c)
{
    if (c >= 'a' && c <= 'z')
        c = (char)(c - 'a' + 'A');
    return c == 'O' ? '0' : c == 'I' || c == 'L' ? '1' : c;
}

static bool code_read(struct str typed, char out[LINK_CODE_SIZE])
{
    size_t n = 0;
    for (size_t i = 0; i < typed.len; i++) {
        char c = folded(typed.s[i]);
        if (c == ' ' || c == '-')
            continue;
        if (n == CODE_CHARS || !c || !strchr(alphabet, c))
            return false;
        out[n++] = c;
    }
    out[n] = '\0';
    return n == CODE_CHARS;
}

static void sender_hash(const char *channel, const char *external_id, unsigned char out[LINK_HASH_SIZE])
{
    char text[SENDER_BYTES];
    snprintf(text, sizeof text, "%s:%s", channel, external_id);
    token_hash(text, out);
}

struct fresh {
    int64_t user, now;
    unsigned char hash[LINK_HASH_SIZE];
};

static enum rc code_tx(struct db *db, void *arg, struct err *e)
{
    const struct fresh *f = arg;
    return store_link_code_add(db, f->user, f->hash, f->now + LINK_CODE_MS, f->now, LINK_CODES_MAX, e);
}

enum rc link_code_new(struct store *s, int64_t user, int64_t now, char out[LINK_CODE_SIZE], struct err *e)
{
    struct fresh f = {.user = user, .now = now};
    code_new(out);
    token_hash(out, f.hash);
    return store_write(s, code_tx, &f, e);
}

/* ---- senders ---- */

enum rc channel_identity_find(struct db *db, struct arena *a, const char *channel, const char *external_id,
    int64_t *user, struct err *e)
{
    struct channel_identity found;
    enum rc rc = store_channel_identity_find(db, a, channel, external_id, &found, e);
    *user = rc == RC_OK ? found.user_id : 0;
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* A row for the person, with the name cut to its limit. */
static enum rc put(struct db *db, struct channel_identity p, int64_t now, struct err *e)
{
    struct str all = str_of(p.name);
    char cut[CHANNEL_NAME_BYTES];
    snprintf(cut, sizeof cut, "%.*s", (int)utf8_cut_chars(all, CHANNEL_NAME_CHARS_MAX), all.s);
    utf8_drop_directional(cut, strlen(cut));
    p.name = cut;
    return store_channel_identity_put(db, &p, now, e);
}

static enum rc check_room(struct db *db, int64_t user, struct err *e)
{
    int64_t n;
    enum rc rc = store_channel_identity_count(db, user, &n, e);
    if (rc == RC_OK && n >= LINKED_MAX)
        return err_say(e, RC_CONFLICT, "link.too_many", arg_int("max", LINKED_MAX));
    return rc;
}

/* The user of the code; `*wrong` without one. */
static enum rc use_code(struct db *db, const unsigned char sender[LINK_HASH_SIZE], struct str code,
    int64_t now, int64_t *user, bool *wrong, struct err *e)
{
    char text[LINK_CODE_SIZE];
    unsigned char hash[LINK_HASH_SIZE];
    enum rc rc = RC_NOT_FOUND;
    if (code_read(code, text)) {
        token_hash(text, hash);
        rc = store_link_code_find(db, hash, now, user, e);
    }
    if (rc == RC_NOT_FOUND) {
        *wrong = true;
        return store_link_try_add(db, sender, now, now - LINK_LOCK_MS, e);
    }
    if (rc != RC_OK)
        return rc;
    rc = check_room(db, *user, e); /* a code that cannot be used yet stays */
    if (rc == RC_OK)
        rc = store_link_code_delete(db, hash, e);
    return rc == RC_OK ? store_link_try_clear(db, sender, e) : rc;
}

static enum rc check_tries(
    struct db *db, const unsigned char sender[LINK_HASH_SIZE], int64_t now, struct err *e)
{
    int64_t own, all;
    enum rc rc = store_link_try_count(db, sender, now - LINK_LOCK_MS, &own, &all, e);
    if (rc == RC_OK && (own >= LINK_TRIES_MAX || all >= LINK_TRIES_ALL_MAX))
        return err_say(e, RC_RATE_LIMITED, "link.too_many_tries");
    return rc;
}

static enum rc audit(struct db *db, const struct auth_client *from, int64_t by, const char *action,
    const char *channel, const char *external_id, struct err *e)
{
    char detail[DETAIL_MAX];
    snprintf(detail, sizeof detail, "%s: %s", channel, external_id);
    return auth_audit(db, from, by, action, detail, e);
}

enum rc channel_link(struct db *db, const char *channel, const char *external_id, const char *name,
    struct str code, int64_t now, int64_t *user, bool *wrong, struct err *e)
{
    unsigned char sender[LINK_HASH_SIZE];
    *user = 0;
    *wrong = false;
    sender_hash(channel, external_id, sender);
    enum rc rc = check_tries(db, sender, now, e);
    if (rc == RC_OK)
        rc = use_code(db, sender, code, now, user, wrong, e);
    if (rc != RC_OK || *wrong)
        return rc;
    rc = put(db,
        (struct channel_identity){
            .channel = channel, .external_id = external_id, .name = name, .user_id = *user},
        now, e);
    if (rc != RC_OK)
        return rc;
    struct auth_client from = {.address = channel, .agent = "", .now = now};
    return audit(db, &from, *user, "channel_linked", channel, external_id, e);
}

enum rc channel_ask_admission(struct db *db, const char *channel, const char *external_id, const char *name,
    const char *chat, int64_t now, bool *is_new, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct channel_identity found;
    *is_new = false;
    enum rc rc = store_channel_identity_find(db, a, channel, external_id, &found, e);
    if (rc != RC_NOT_FOUND)
        return rc;
    int64_t waiting;
    rc = store_channel_identity_count(db, 0, &waiting, e);
    if (rc == RC_OK && waiting >= ADMISSIONS_MAX)
        return err_say(e, RC_CONFLICT, "link.too_many_ask");
    *is_new = true;
    return rc == RC_OK
               ? put(db,
                     (struct channel_identity){
                         .channel = channel, .external_id = external_id, .name = name, .ask_chat = chat},
                     now, e)
               : rc;
}

/* ---- the account and the users page ---- */

struct decision {
    int64_t by, id, user;
    const struct auth_client *from;
    const char *name; /* of a new user; NULL: `user` has an account */
};

/* Deletes the row of `user`, 0: one that asks. */
static enum rc remove_row(
    struct db *db, const struct decision *d, int64_t user, const char *action, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct channel_identity found;
    enum rc rc = store_channel_identity_get(db, a, user, d->id, &found, e);
    if (rc == RC_OK)
        rc = store_channel_identity_delete(db, user, d->id, e);
    if (rc == RC_OK)
        rc = audit(db, d->from, d->by, action, found.channel, found.external_id, e);
    return rc;
}

static enum rc unlink_tx(struct db *db, void *arg, struct err *e)
{
    const struct decision *d = arg;
    return remove_row(db, d, d->by, "channel_unlinked", e);
}

static enum rc refuse_tx(struct db *db, void *arg, struct err *e)
{
    return remove_row(db, arg, 0, "channel_refused", e);
}

static enum rc admit_tx(struct db *db, void *arg, struct err *e)
{
    struct decision *d = arg;
    AUTO(arena) a = arena_new();
    struct channel_identity found;
    enum rc rc = store_channel_identity_get(db, a, 0, d->id, &found, e);
    if (rc == RC_OK && d->name)
        rc = auth_user_add_in(db, d->by, d->name, d->from, &d->user, e);
    if (rc == RC_OK)
        rc = check_room(db, d->user, e);
    found.user_id = d->user;
    if (rc == RC_OK)
        rc = put(db, found, d->from->now, e);
    if (rc == RC_OK)
        rc = audit(db, d->from, d->by, "channel_admitted", found.channel, found.external_id, e);
    return rc;
}

enum rc channel_unlink(
    struct store *s, int64_t user, int64_t id, const struct auth_client *from, struct err *e)
{
    return store_write(s, unlink_tx, &(struct decision){.by = user, .id = id, .from = from}, e);
}

enum rc channel_admit(
    struct store *s, int64_t by, int64_t id, int64_t user, const struct auth_client *from, struct err *e)
{
    return store_write(s, admit_tx, &(struct decision){by, id, user, from, NULL}, e);
}

enum rc channel_admit_new(struct store *s, int64_t by, int64_t id, const char *typed,
    const struct auth_client *from, int64_t *user, struct err *e)
{
    char name[USER_NAME_MAX + 1];
    struct decision d = {by, id, 0, from, name};
    enum rc rc = auth_name(typed, name, e);
    if (rc == RC_OK)
        rc = store_write(s, admit_tx, &d, e);
    *user = d.user;
    return rc;
}

enum rc channel_refuse(struct store *s, int64_t by, int64_t id, const struct auth_client *from, struct err *e)
{
    return store_write(s, refuse_tx, &(struct decision){.by = by, .id = id, .from = from}, e);
}
