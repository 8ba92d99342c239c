#include "web/http/idempotent.h"

#include <sodium.h>

#include "base/log.h"
#include "store/account/idempotency.h"
#include "store/message/message.h"
#include "web/http/conditional.h"
#include "web/http/web.h"

struct repeat {
    struct arena *arena;
    struct idempotency row, known;
    bool ended; /* the request succeeded, so its answer is stored; otherwise the key is free again */
};

/* The header is a string of RFC 8941, in quotes; the bare text is taken, too. False: neither. */
static bool read_key(struct str header, struct str *out)
{
    struct str key = str_trim(header);
    if (key.len >= 2 && key.s[0] == '"' && key.s[key.len - 1] == '"')
        key = (struct str){key.s + 1, key.len - 2};
    for (size_t i = 0; i < key.len; i++)
        if (key.s[i] < ' ' || key.s[i] > '~' || key.s[i] == '"' || key.s[i] == '\\')
            return false;
    *out = key;
    return key.len > 0 && key.len <= IDEMPOTENT_KEY_MAX;
}

static void add_to_hash(crypto_generichash_state *h, struct str s)
{
    uint64_t len = s.len;
    crypto_generichash_update(h, (const unsigned char *)&len, sizeof len);
    if (s.len)
        crypto_generichash_update(h, (const unsigned char *)s.s, s.len);
}

/* The hash covers method, address and fields, and of an upload its size only. */
static void hash_request(const struct req *r, unsigned char out[IDEMPOTENCY_HASH])
{
    crypto_generichash_state h;
    crypto_generichash_init(&h, NULL, 0, IDEMPOTENCY_HASH);
    add_to_hash(&h, str_of(r->route->path));
    add_to_hash(&h, (struct str){(const char *)&r->method, sizeof r->method});
    add_to_hash(&h, r->path);
    for (const struct field_rule *f = r->route->fields; f && f->field != F_NONE; f++) {
        add_to_hash(&h, r->fields[f->field].present ? STR("+") : STR("-"));
        add_to_hash(&h, r->fields[f->field].s);
    }
    const char *length = req_param(r, "CONTENT_LENGTH");
    add_to_hash(&h, r->route->csrf == CSRF_TOKEN_FILE && length ? str_of(length) : STR(""));
    crypto_generichash_final(&h, out, IDEMPOTENCY_HASH);
}

static enum rc begin_tx(struct db *db, void *arg, struct err *e)
{
    struct repeat *t = arg;
    return store_idempotency_begin(db, t->arena, &t->row, &t->known, e);
}

static enum rc end_tx(struct db *db, void *arg, struct err *e)
{
    const struct repeat *t = arg;
    return t->ended ? store_idempotency_end(db, &t->row, e) : store_idempotency_drop(db, &t->row, e);
}

static enum rc answer_again(const struct repeat *t, struct resp *out, struct err *e)
{
    const struct idempotency *known = &t->known;
    if (memcmp(known->request, t->row.request, IDEMPOTENCY_HASH) != 0)
        return err_say(e, RC_BAD_INPUT, "error.key_of_another");
    if (!known->status)
        return err_say(e, RC_CONFLICT, "error.key_running");
    if (!known->body.len)
        return err_say(e, RC_CONFLICT, "error.key_done");
    out->status = known->status;
    out->type = "application/json";
    resp_header(out, "Idempotent-Replayed", "true");
    strbuf_addstr(&out->body, known->body);
    return RC_OK;
}

static void keep(const struct req *r, const struct resp *out, struct repeat *t)
{
    struct err e = ERR_INIT;
    struct str body = strbuf_str(&out->body);
    bool is_json = out->type && strcmp(out->type, "application/json") == 0;
    t->row.status = out->status;
    if (is_json && !out->secret && !out->detached && !out->file_size && body.len <= IDEMPOTENCY_BODY_MAX)
        t->row.body = body;
    enum rc rc = store_write_lazy(r->web->store, end_tx, t, &e);
    if (rc != RC_OK && rc != RC_NOT_FOUND) /* the request has deleted its user's account */
        log_repeat(&r->web->unstored_answers, LOG_WARN,
            "an answer for a repeated request was not stored: %s: %s", rc_name(rc), e.text);
}

static enum rc handle(struct req *r, struct resp *out, struct str key, struct err *e)
{
    struct repeat t = {.arena = r->arena, .row = {.owner = r->who.user_id, .created_at = r->now}};
    crypto_generichash(t.row.key, sizeof t.row.key, (const unsigned char *)key.s, key.len, NULL, 0);
    hash_request(r, t.row.request);
    enum rc rc = store_write_lazy(r->web->store, begin_tx, &t, e);
    if (rc == RC_CONFLICT)
        return answer_again(&t, out, e);
    if (rc != RC_OK)
        return rc;
    rc = conditional_handle(r, out, e);
    t.ended = rc == RC_OK;
    keep(r, out, &t);
    return rc;
}

static bool has_client_id(const struct route *route)
{
    for (const struct field_rule *f = route->fields; f && f->field != F_NONE; f++)
        if (f->field == F_CLIENT_ID)
            return true;
    return false;
}

enum rc idempotent_handle(struct req *r, struct resp *out, struct err *e)
{
    const char *header = req_param(r, "HTTP_IDEMPOTENCY_KEY");
    struct str key;
    if (!header || r->surface != SURFACE_API || r->method == HTTP_GET || !r->signed_in)
        return conditional_handle(r, out, e);
    if (!read_key(str_of(header), &key))
        return err_say(e, RC_BAD_INPUT, "error.not_a_key", arg_int("max", IDEMPOTENT_KEY_MAX));
    if (!has_client_id(r->route))
        return handle(r, out, key, e);
    if (!req_has(r, F_CLIENT_ID)) {
        const struct field_rule rule = {F_CLIENT_ID, FIELD_LINE, .max = MESSAGE_CLIENT_ID_MAX};
        enum rc rc = field_set(&rule, r->arena, key, r->fields, e);
        if (rc != RC_OK)
            return rc;
    }
    return conditional_handle(r, out, e);
}
