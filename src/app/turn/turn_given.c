#include "app/turn/turn_given.h"

#include <sodium.h>
#include <stdio.h>

#include "app/memory/memory.h"
#include "app/turn/turn_private.h"
#include "store/session/history_place.h"

#define MEMORY_SHARE 8 /* of the window, for facts */

/* ---- the hash ---- */

void history_begin(struct history *h)
{
    memset(h, 0, sizeof *h);
}

static void add_part(crypto_generichash_state *s, struct str part)
{
    uint64_t len = part.len;
    crypto_generichash_update(s, (const unsigned char *)&len, sizeof len);
    crypto_generichash_update(s, (const unsigned char *)(part.s ? part.s : ""), part.len);
}

void history_add(struct history *h, const struct llm_message *m)
{
    if (m->role == LLM_SYSTEM)
        return;
    crypto_generichash_state s;
    unsigned char role = (unsigned char)m->role;
    crypto_generichash_init(&s, NULL, 0, HISTORY_HASH);
    crypto_generichash_update(&s, h->hash, sizeof h->hash);
    crypto_generichash_update(&s, &role, 1);
    add_part(&s, str_trim(m->text));
    add_part(&s, str_of(m->call_id ? m->call_id : ""));
    for (size_t i = 0; i < m->calls_n; i++)
        add_part(&s, str_of(m->calls[i].id));
    for (size_t i = 0; i < m->pictures_n; i++)
        add_part(&s, m->pictures[i].base64);
    crypto_generichash_final(&s, h->hash, sizeof h->hash);
}

void history_key(const struct history *h, char out[HISTORY_KEY])
{
    memcpy(out, "h:", 2);
    sodium_bin2hex(out + 2, HISTORY_KEY - 2, h->hash, sizeof h->hash);
}

/* ---- the context ---- */

static struct llm_params copy_params(struct arena *a, const struct llm_params *p)
{
    struct llm_params to = *p;
    const char **stops = ARENA_ARRAY(a, const char *, p->stops_n + 1);
    for (size_t i = 0; i < p->stops_n; i++)
        stops[i] = arena_strdup(a, p->stops[i]);
    to.stops = stops;
    to.named_tool = arena_strdup(a, p->named_tool);
    to.format_name = arena_strdup(a, p->format_name);
    to.format_description = arena_strdup(a, p->format_description);
    to.format_schema = arena_strdup(a, p->format_schema);
    return to;
}

void turn_given_keep(struct turn *t, const struct turn_given *g)
{
    struct arena *a = t->arena;
    struct turn_given *own = arena_alloc(a, sizeof *own);
    struct llm_message *messages = ARENA_ARRAY(a, struct llm_message, g->messages_n + 1);
    struct llm_tool *tools = ARENA_ARRAY(a, struct llm_tool, g->tools_n + 1);
    *own = *g;
    for (size_t i = 0; i < g->messages_n; i++)
        messages[i] = turn_copy_message(a, &g->messages[i]);
    for (size_t i = 0; i < g->tools_n; i++)
        tools[i] = (struct llm_tool){arena_strdup(a, g->tools[i].name),
            arena_strdup(a, g->tools[i].description), arena_strdup(a, g->tools[i].schema)};
    own->messages = messages;
    own->tools = tools;
    own->prefix = arena_str(a, g->prefix);
    own->own_key = arena_strdup(a, g->own_key);
    own->params = copy_params(a, &g->params);
    own->added = NULL; /* the sender's thread stores them */
    own->added_n = 0;
    t->given = own;
    t->model.temperature = g->temperature;
    t->model.answer_tokens = g->answer_tokens;
    t->model.no_calls = g->no_calls;
    t->model.params = own->params;
}

static bool is_clients(const struct turn *t, const char *name)
{
    for (size_t i = 0; i < t->given->tools_n; i++)
        if (strcmp(t->given->tools[i].name, name) == 0)
            return true;
    return false;
}

struct llm_tool *turn_given_tools(const struct turn *t, struct arena *a, size_t *n)
{
    const struct turn_given *g = t->given;
    struct llm_tool *ours = NULL;
    size_t ours_n = 0;
    bool steps = !g->params.must_call && g->params.format == LLM_FORMAT_TEXT;
    if (g->use_tools && steps && t->en->set.config->turn.tool_calls_max > 0)
        ours = tools_offered_without(a, t->context.window, t->denied | TOOL_SET_FILES, &ours_n);
    struct llm_tool *all = ARENA_ARRAY(a, struct llm_tool, g->tools_n + ours_n);
    *n = 0;
    for (size_t i = 0; i < g->tools_n; i++)
        all[(*n)++] = g->tools[i];
    for (size_t i = 0; i < ours_n; i++)
        if (!is_clients(t, ours[i].name))
            all[(*n)++] = ours[i];
    return all;
}

static enum rc add_facts(struct db *db, struct turn *t, struct err *e)
{
    struct memory_block facts;
    size_t at = t->given->messages_n;
    while (at > 0 && t->context.messages[at - 1].role != LLM_USER)
        at--;
    if (at == 0)
        return RC_OK;
    struct llm_message *m = &t->context.messages[at - 1];
    size_t room = (size_t)(t->model.window / MEMORY_SHARE) * CONTEXT_BYTES_PER_TOKEN;
    const struct memory_query q = {t->asked.owner, m->text, t->asked.now};
    enum rc rc = memory_block_for(db, t->arena, &q, room, &facts, e);
    if (rc != RC_OK || facts.text.len == 0)
        return rc;
    t->context.memories = facts.ids;
    t->context.memories_n = facts.n;
    m->aside = str_of(arena_printf(t->arena, "<context>\n%.*s\n</context>", STR_FMT(facts.text)));
    return RC_OK;
}

enum rc turn_given_context(struct db *db, struct turn *t, struct err *e)
{
    const struct turn_given *g = t->given;
    turn_set_context(t, g->messages, g->messages_n);
    return g->use_memory ? add_facts(db, t, e) : RC_OK;
}

bool turn_given_keeps_call(const struct turn *t, const char *name)
{
    return t->given && is_clients(t, name);
}

bool turn_given_hands_over(struct turn *t)
{
    size_t n = 0;
    for (size_t i = 0; t->given && i < t->answer.calls_n; i++)
        if (is_clients(t, t->answer.calls[i].name))
            t->answer.calls[n++] = t->answer.calls[i];
    if (n)
        t->answer.calls_n = n;
    return n > 0;
}

/* ---- stored messages ---- */

enum rc turn_given_store(
    struct db *db, const struct turn_request *r, struct message *at, int64_t *asked, struct err *e)
{
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < r->given->added_n; i++) {
        struct message m = r->given->added[i];
        m.session_id = at->session_id;
        m.parent_id = at->parent_id;
        m.channel = TURN_GIVEN_CHANNEL;
        m.status = MESSAGE_DONE;
        m.created_at = m.ended_at = at->created_at;
        m.pasted_from = 0; /* a program may have written it */
        rc = store_message_add(db, r->owner, &m, e);
        at->parent_id = m.id;
        if (m.role == ROLE_USER)
            *asked = m.id;
    }
    return rc;
}

static enum rc note(struct db *db, const struct turn *t, struct history h, struct str said, struct err *e)
{
    struct history_place p = {t->ids.session_id, t->reply_id};
    char key[HISTORY_KEY];
    history_add(
        &h, &(struct llm_message){
                .role = LLM_ASSISTANT, .text = said, .calls = t->answer.calls, .calls_n = t->answer.calls_n});
    history_key(&h, key);
    return store_history_place_set(db, t->ids.owner, key, &p, e);
}

/* A program that sent the beginning of the answer may send the answer back as one message, or as two. So the
 * place is stored under both hashes. */
enum rc turn_given_note_place(struct db *db, const struct turn *t, struct err *e)
{
    struct history_place p = {t->ids.session_id, t->reply_id};
    struct history h = t->given->history;
    struct str said = t->said.len ? strbuf_str(&t->said) : strbuf_str(&t->answer.text);
    struct str prefix = t->given->prefix;
    enum rc rc = note(db, t, h, said, e);
    if (rc == RC_OK && prefix.len && said.len >= prefix.len) {
        history_add(&h, &(struct llm_message){.role = LLM_ASSISTANT, .text = prefix});
        rc = note(db, t, h, str_from(said, prefix.len), e);
    }
    return rc == RC_OK && t->given->own_key
               ? store_history_place_set(db, t->ids.owner, t->given->own_key, &p, e)
               : rc;
}
