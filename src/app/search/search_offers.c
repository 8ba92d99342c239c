/* Completion of the part of a query that is being typed. */
#include "app/search/search_query.h"

#include <stdio.h>
#include <string.h>

#include "base/letter.h"
#include "base/utf8.h"
#include "store/session/tag.h"
#include "store/session/workspace.h"

struct offering {
    struct arena *a;
    struct str before; /* the query without the last part */
    const char *sign;  /* "-" or "" */
    struct str value;  /* typed so far, without quotation mark */
    struct search_offer *out;
    size_t n;
};

static void offer(struct offering *o, const char *part)
{
    if (o->n == SEARCH_OFFERS)
        return;
    const char *whole = arena_printf(o->a, "%.*s%s%s", STR_FMT(o->before), o->sign, part);
    o->out[o->n++] = (struct search_offer){whole, arena_printf(o->a, "%s%s", o->sign, part)};
}

/* Ignores case. */
static bool begins(struct str value, struct str typed)
{
    while (typed.len && value.len)
        if (letter_lower(utf8_next(&value, NULL)) != letter_lower(utf8_next(&typed, NULL)))
            return false;
    return typed.len == 0;
}

/* In quotation marks only if the value is not read back without. */
static const char *operator_text(struct arena *a, enum query_op op, const char *value)
{
    struct query_parts parts;
    const char *plain = arena_printf(a, "%s:%s", query_op_name(op), value);
    query_parse(str_of(plain), &parts);
    if (parts.n == 1 && str_is(parts.part[0].value, value))
        return plain;
    return arena_printf(a, "%s:%s", query_op_name(op), query_quoted(a, str_of(value)));
}

/* A quotation mark of a name may be typed once or, as the query needs it, twice. */
static void offer_value(struct offering *o, enum query_op op, const char *value)
{
    const char *quoted = query_quoted(o->a, str_of(value));
    struct str doubled = {quoted + 1, strlen(quoted) - 2};
    if (begins(str_of(value), o->value) || begins(doubled, o->value))
        offer(o, operator_text(o->a, op, value));
}

static void offer_values(struct offering *o, enum query_op op, const char *const *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        offer_value(o, op, values[i]);
}

static enum rc offer_for(struct db *db, int64_t owner, struct offering *o, enum query_op op, struct err *e)
{
    static const char *const states[] = {"pinned", "unread", "running", "archived", "trashed"};
    static const char *const roles[] = {"user", "assistant"};
    static const char *const days[] = {"today", "yesterday", "7d", "30d", "1y"};
    const char **names = NULL;
    struct tag *tags;
    size_t n = 0;
    enum rc rc = RC_OK;
    switch (op) {
    case QUERY_IS: offer_values(o, op, states, ARRAY_LEN(states)); break;
    case QUERY_ROLE: offer_values(o, op, roles, ARRAY_LEN(roles)); break;
    case QUERY_BEFORE:
    case QUERY_AFTER: offer_values(o, op, days, ARRAY_LEN(days)); break;
    case QUERY_WORKSPACE: rc = store_workspace_list(db, o->a, owner, &names, &n, e); break;
    case QUERY_MODEL: rc = store_session_models(db, o->a, owner, &names, &n, e); break;
    case QUERY_CHANNEL: rc = store_session_channels(db, o->a, owner, &names, &n, e); break;
    case QUERY_TAG:
        rc = store_tag_list(db, o->a, owner, &tags, &n, e);
        for (size_t i = 0; rc == RC_OK && i < n; i++)
            offer_value(o, op, tags[i].name);
        return rc;
    default: break;
    }
    if (rc == RC_OK)
        offer_values(o, op, names, n);
    return rc;
}

/* The last part may be an operator whose value has an open quotation mark or is empty: the parser takes these
 * for words. */
static size_t begin_of_last(struct str text)
{
    size_t begin = 0;
    bool quoted = false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.s[i] == '"')
            quoted = !quoted;
        else if (text.s[i] == ' ' && !quoted)
            begin = i + 1;
    }
    return begin;
}

enum rc search_query_offers(struct db *db, struct arena *a, int64_t owner, struct str text,
    struct search_offer out[SEARCH_OFFERS], size_t *n, struct err *e)
{
    size_t begin = begin_of_last(text);
    struct str last = {text.s + begin, text.len - begin};
    struct offering o = {.a = a, .before = {text.s, begin}, .sign = "", .out = out};
    enum rc rc = RC_OK;
    *n = 0;
    if (last.len && last.s[0] == '-') {
        o.sign = "-";
        last = str_from(last, 1);
    }
    for (int op = QUERY_TAG; rc == RC_OK && last.len && op < QUERY_OPS; op++) {
        const char *name = arena_printf(a, "%s:", query_op_name((enum query_op)op));
        size_t len = strlen(name);
        if (last.len < len && str_starts_nocase(str_of(name), last))
            offer(&o, name);
        if (!str_starts_nocase(last, str_of(name)))
            continue;
        bool quote = last.len > len && last.s[len] == '"';
        o.value = str_from(last, len + quote);
        rc = offer_for(db, owner, &o, (enum query_op)op, e);
    }
    if (o.n == 1 && strcmp(out[0].query, arena_strndup(a, text.s, text.len)) == 0)
        o.n = 0; /* it is complete */
    *n = o.n;
    return rc;
}
