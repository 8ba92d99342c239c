#include "app/account/api_token.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "app/account/auth_private.h"
#include "base/clock.h"
#include "base/rand.h"
#include "base/utf8.h"

#define PREFIX      "alf_"
#define PREFIX_LEN  (sizeof PREFIX - 1)
#define SECRET      20 /* bytes: 160 bits */
#define SECRET_LEN  27 /* characters: 62^27 is more than 2^160 */
#define CHECK       4  /* bytes */
#define CHECK_LEN   6
#define TOKEN_LEN   (PREFIX_LEN + SECRET_LEN + CHECK_LEN)
#define SCOPE_WORDS 64
#define DETAIL_SIZE (ID_SIZE + SCOPE_WORDS)

_Static_assert(TOKEN_LEN + 1 == API_TOKEN_SIZE, "a token fits exactly");

/* ---- the text ---- */

/* `n` characters of the big-endian number, which is destroyed. */
static void put_base62(unsigned char *number, size_t bytes, char *out, size_t n)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    for (size_t at = n; at-- > 0;) {
        unsigned rest = 0;
        for (size_t i = 0; i < bytes; i++) {
            unsigned value = rest << 8 | number[i];
            number[i] = (unsigned char)(value / 62);
            rest = value % 62;
        }
        out[at] = digits[rest];
    }
}

static void put_checksum(const char *body, char out[CHECK_LEN])
{
    unsigned char hash[crypto_generichash_BYTES_MIN];
    crypto_generichash(hash, sizeof hash, (const unsigned char *)body, PREFIX_LEN + SECRET_LEN, NULL, 0);
    put_base62(hash, CHECK, out, CHECK_LEN);
}

void api_token_new(char out[API_TOKEN_SIZE])
{
    unsigned char raw[SECRET];
    rand_bytes(raw, sizeof raw);
    memcpy(out, PREFIX, PREFIX_LEN);
    put_base62(raw, sizeof raw, out + PREFIX_LEN, SECRET_LEN);
    put_checksum(out, out + PREFIX_LEN + SECRET_LEN);
    out[TOKEN_LEN] = '\0';
    sodium_memzero(raw, sizeof raw);
}

bool api_token_well_formed(struct str token)
{
    char check[CHECK_LEN];
    if (token.len != TOKEN_LEN || !str_starts(token, STR(PREFIX)))
        return false;
    put_checksum(token.s, check);
    return memcmp(check, token.s + PREFIX_LEN + SECRET_LEN, CHECK_LEN) == 0;
}

/* ---- scopes ---- */

/* "read", "write", "chat" */
static const char *scope_name(enum api_scope s)
{
    static const char *const names[API_SCOPES] = {
        [API_SCOPE_READ] = "read", [API_SCOPE_WRITE] = "write", [API_SCOPE_CHAT] = "chat"};
    return names[s];
}

const char *api_scopes_text(struct arena *a, unsigned scopes)
{
    AUTO_STRBUF words;
    strbuf_init(&words, SCOPE_WORDS);
    for (int s = 0; s < API_SCOPES; s++)
        if (scopes & 1u << s)
            strbuf_addf(&words, "%s%s", words.len ? " " : "", scope_name((enum api_scope)s));
    return arena_strndup(a, words.len ? words.s : "", words.len);
}

static unsigned scope_bit(struct str word)
{
    for (int s = 0; s < API_SCOPES; s++)
        if (str_is(word, scope_name((enum api_scope)s)))
            return 1u << s;
    return 0;
}

enum rc api_scopes_parse(struct str words, unsigned *out, struct err *e)
{
    *out = 0;
    while (words.s) {
        struct str word = str_trim(str_cut(&words, ' '));
        unsigned bit = word.len ? scope_bit(word) : *out;
        if (word.len && !bit)
            return err_say(e, RC_BAD_INPUT, "token.bad_scope");
        *out |= bit;
    }
    return *out ? RC_OK : err_say(e, RC_BAD_INPUT, "token.no_scope");
}

/* ---- new and revoked ---- */

struct change {
    const struct auth_client *from;
    struct arena *arena;
    struct api_token *token; /* NULL: `pub` is revoked */
    const char *pub;
    int64_t user_id;
    unsigned char hash[TOKEN_HASH_SIZE];
};

static enum rc add_tx(struct db *db, void *arg, struct err *e)
{
    struct change *c = arg;
    char detail[DETAIL_SIZE];
    int64_t n;
    enum rc rc = store_api_token_count(db, c->user_id, &n, e);
    if (rc == RC_OK && n >= API_TOKENS_MAX)
        return err_say(e, RC_CONFLICT, "token.too_many", arg_int("max", API_TOKENS_MAX));
    if (rc == RC_OK)
        rc = store_api_token_add(db, c->arena, c->token, c->hash, e);
    if (rc != RC_OK)
        return rc;
    snprintf(detail, sizeof detail, "%s: %s", c->token->pub, api_scopes_text(c->arena, c->token->scopes));
    return auth_audit(db, c->from, c->user_id, "token_added", detail, e);
}

static enum rc revoke_tx(struct db *db, void *arg, struct err *e)
{
    const struct change *c = arg;
    enum rc rc = store_api_token_delete(db, c->user_id, c->pub, e);
    return rc == RC_OK ? auth_audit(db, c->from, c->user_id, "token_revoked", c->pub, e) : rc;
}

static enum rc check_input(const struct api_token_input *in, struct err *e)
{
    if (!*in->name)
        return err_say(e, RC_BAD_INPUT, "token.no_name");
    if (utf8_count(str_of(in->name)) > API_TOKEN_NAME_CHARS_MAX)
        return err_say(e, RC_BAD_INPUT, "token.name_too_long", arg_int("max", API_TOKEN_NAME_CHARS_MAX));
    if (!in->scopes)
        return err_say(e, RC_BAD_INPUT, "token.no_scope");
    if (in->days < 0 || in->days > API_TOKEN_DAYS_MAX)
        return err_say(e, RC_BAD_INPUT, "token.bad_days", arg_int("max", API_TOKEN_DAYS_MAX));
    return RC_OK;
}

static bool exceeds(const struct api_token *t, const struct api_rights *by)
{
    bool lasts_longer = by->expires_at && (!t->expires_at || t->expires_at > by->expires_at);
    return t->scopes & ~by->scopes || (t->use_memory && !by->use_memory) ||
           (t->use_tools && !by->use_tools) || lasts_longer;
}

enum rc api_token_add(struct store *s, int64_t user_id, const struct api_rights *by,
    const struct api_token_input *in, const struct auth_client *from, struct arena *a, struct api_token *out,
    char token[API_TOKEN_SIZE], struct err *e)
{
    enum rc rc = check_input(in, e);
    if (rc != RC_OK)
        return rc;
    api_token_new(token);
    *out = (struct api_token){.user_id = user_id,
        .name = in->name,
        .begins = arena_strndup(a, token, API_TOKEN_BEGINS_MAX),
        .address = "",
        .scopes = in->scopes,
        .use_memory = in->use_memory,
        .use_tools = in->use_tools,
        .created_at = from->now,
        .expires_at = in->days ? from->now + in->days * MS_PER_DAY : 0};
    if (by && exceeds(out, by))
        return err_say(e, RC_FORBIDDEN, "token.more_rights");
    struct change c = {.from = from, .arena = a, .token = out, .user_id = user_id};
    token_hash(token, c.hash);
    return store_write(s, add_tx, &c, e);
}

enum rc api_token_revoke(
    struct store *s, int64_t user_id, const char *pub, const struct auth_client *from, struct err *e)
{
    struct change c = {.from = from, .pub = pub, .user_id = user_id};
    return store_write(s, revoke_tx, &c, e);
}

/* ---- requests ---- */

static enum rc find(struct store *s, const char *token, int64_t now, struct identity *out, struct err *e)
{
    unsigned char hash[TOKEN_HASH_SIZE];
    struct api_rights rights;
    int64_t user_id;
    token_hash(token, hash);
    struct db *db = store_read(s);
    enum rc rc = store_api_token_find(db, hash, now, &rights, &user_id, e);
    if (rc == RC_OK)
        rc = store_identity_of_user(db, user_id, out, e);
    store_read_done(s, db);
    if (rc == RC_OK)
        out->token = rights;
    return rc;
}

/* Over the limit nothing is written. */
static enum rc refuse(struct store *s, const struct config *c, const struct auth_client *from, struct err *e)
{
    struct signin_attempt attempt;
    signin_attempt_api(&attempt, c, from->address, from->now);
    enum rc rc = signin_attempt_allowed(s, &attempt, e);
    if (rc == RC_OK)
        rc = signin_attempt_write(s, signin_attempt_begin, &attempt, e);
    if (rc != RC_OK)
        return rc;
    auth_note(s, from, 0, "token_refused", attempt.counts[0].subject);
    return err_say(e, RC_UNAUTHENTICATED, "token.not_valid");
}

struct use {
    int64_t token_id;
    const struct auth_client *from;
};

static enum rc touch_tx(struct db *db, void *arg, struct err *e)
{
    const struct use *u = arg;
    return store_api_token_touch(db, u->token_id, u->from->now, u->from->address, e);
}

enum rc api_token_identify(struct store *s, const struct config *c, struct str token,
    const struct auth_client *from, struct identity *out, struct err *e)
{
    if (!api_token_well_formed(token))
        return refuse(s, c, from, e);
    char text[API_TOKEN_SIZE];
    snprintf(text, sizeof text, "%.*s", STR_FMT(token));
    enum rc rc = find(s, text, from->now, out, e);
    if (rc == RC_NOT_FOUND)
        return refuse(s, c, from, e);
    if (rc != RC_OK)
        return rc;
    struct use use = {out->token.id, from};
    if (from->now - out->token.used_at > API_TOKEN_TOUCH_MS)
        store_write_visit(s, touch_tx, &use); /* a full disk must not lock programs out */
    return RC_OK;
}
