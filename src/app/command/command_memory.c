/* Commands for search and facts. */
#include "app/command/command_private.h"

#include <string.h>

#include "app/memory/memory.h"
#include "app/search/search.h"
#include "codec/words/snippet.h"

#define HITS_MAX 6

/* ---- search ---- */

static void show_hit(struct command_call *c, const struct search_hit *h, const struct bag *words)
{
    const char *title = h->session_title ? h->session_title : lang_text(c->x->lang, "chat.new");
    struct snippet part = snippet_of(c->x->a, h->message.text, words, COMMAND_CHARS);
    command_item(c, "**%s** · %s\\\n  %s%s%s", command_text(c, str_of(title)),
        command_ago(c, h->message.created_at), part.cut_head ? "…" : "", command_text(c, part.whole),
        part.cut_end ? "…" : "");
}

/* One button per session, in the order of the hits. */
static void add_sessions(struct command_call *c, const struct search_hits *found)
{
    for (size_t i = 0; i < found->n; i++) {
        const struct search_hit *h = &found->hits[i];
        bool before = false;
        for (size_t j = 0; j < i; j++)
            before = before || strcmp(found->hits[j].session_id, h->session_id) == 0;
        if (!before)
            command_button(c,
                command_label(
                    c, str_of(h->session_title ? h->session_title : lang_text(c->x->lang, "chat.new"))),
                arena_printf(c->x->a, "/resume %s %lld", h->session_id, (long long)h->message.id));
    }
}

enum rc command_search(struct command_call *c, struct err *e)
{
    const struct command_context *x = c->x;
    const struct search_where where = {x->store, x->config, x->providers};
    struct search_request request = {.owner = x->owner, .text = c->args, .limit = HITS_MAX};
    struct search_hits found;
    enum rc rc = command_needs_args(c, e);
    if (rc == RC_OK)
        rc = search_run(&where, &request, x->a, &found, e);
    if (rc != RC_OK)
        return rc;
    if (found.n == 0)
        command_say(c, "command.nothing_found", LANG_ARGS({"words", command_text(c, c->args)}));
    for (size_t i = 0; i < found.n; i++)
        show_hit(c, &found.hits[i], &found.words);
    add_sessions(c, &found);
    return RC_OK;
}

/* ---- facts ---- */

enum rc command_remember(struct command_call *c, struct err *e)
{
    struct memory_input in = {
        .owner = c->x->owner, .text = c->args, .tags = STR(""), .permanent = true, .now = c->x->now};
    struct memory m;
    bool known = false;
    enum rc rc = command_needs_args(c, e);
    if (rc == RC_OK)
        rc = memory_add(c->x->store, &in, c->x->a, &m, &known, e);
    if (rc != RC_OK)
        return rc;
    helper_notify(c->x->config->server.data_dir); /* the fact's vector is made */
    command_say(
        c, known ? "command.known" : "command.remembered", LANG_ARGS({"text", command_text(c, m.text)}));
    command_button_id(c, "command.forget_this", "/forget", m.id);
    return RC_OK;
}

struct facts {
    struct memory *rows;
    size_t n;
};

/* All facts, or those that match the words, newest or best first. */
static enum rc find_facts(struct command_call *c, struct str words, struct facts *out, struct err *e)
{
    const struct command_context *x = c->x;
    const struct search_where where = {x->store, x->config, x->providers};
    struct search_memories found;
    if (words.len == 0) {
        struct memory_filter all = {.limit = MEMORY_PAGE_MAX};
        struct db *db = store_read(x->store);
        enum rc rc = store_memory_list(db, x->a, x->owner, x->now, &all, &out->rows, &out->n, e);
        store_read_done(x->store, db);
        return rc;
    }
    struct search_request request = {.owner = x->owner, .text = words, .limit = SEARCH_HITS_MAX};
    enum rc rc = search_memories(&where, &request, x->a, &found, e);
    out->n = 0;
    if (rc != RC_OK)
        return rc;
    out->rows = ARENA_ARRAY(x->a, struct memory, found.n + 1);
    for (size_t i = 0; i < found.n; i++)
        if (found.hits[i].has_words)
            out->rows[out->n++] = found.hits[i].memory;
    return RC_OK;
}

static void show_facts(struct command_call *c, const struct facts *f, int64_t page, const char *more)
{
    size_t from = (size_t)(page - 1) * COMMAND_PAGE, i = from;
    for (; i < f->n && i < from + COMMAND_PAGE; i++) {
        const char *text = command_text(c, f->rows[i].text);
        const char *label = lang_fill(
            c->x->a, c->x->lang, "command.forget_one", LANG_ARGS({"text", command_str(c, f->rows[i].text)}));
        command_item(c, "%s", text);
        command_button(c, command_label(c, str_of(label)),
            arena_printf(c->x->a, "/forget %lld", (long long)f->rows[i].id));
    }
    if (i < f->n)
        command_button_more(c, more, page + 1);
}

enum rc command_memories(struct command_call *c, struct err *e)
{
    struct facts f;
    struct str words = c->args;
    int64_t page = command_page_number(&words);
    enum rc rc = find_facts(c, words, &f, e);
    if (rc != RC_OK)
        return rc;
    if (f.n == 0)
        command_say(c, words.len ? "command.no_memories_found" : "command.no_memories",
            LANG_ARGS({"words", command_text(c, words)}));
    show_facts(c, &f, page, arena_printf(c->x->a, "/memories%s%.*s", words.len ? " " : "", STR_FMT(words)));
    return RC_OK;
}

static enum rc forget(struct command_call *c, const struct memory *m, struct err *e)
{
    enum rc rc = memory_delete(c->x->store, c->x->owner, m->id, c->x->now, e);
    if (rc != RC_OK)
        return rc;
    command_say(c, "command.forgotten", LANG_ARGS({"text", command_text(c, m->text)}));
    command_button_id(c, "command.undo", "/unforget", m->id);
    return RC_OK;
}

static enum rc forget_id(struct command_call *c, int64_t id, struct err *e)
{
    struct memory m;
    struct db *db = store_read(c->x->store);
    enum rc rc = store_memory_get(db, c->x->a, c->x->owner, id, c->x->now, &m, NULL);
    store_read_done(c->x->store, db);
    return rc == RC_OK ? forget(c, &m, e) : err_say(e, rc, "command.no_such_memory");
}

/* By id, or by words that only one fact has. */
enum rc command_forget(struct command_call *c, struct err *e)
{
    struct facts f;
    int64_t id;
    enum rc rc = command_needs_args(c, e);
    if (rc == RC_OK && str_to_int(c->args, 1, INT64_MAX, &id))
        return forget_id(c, id, e);
    if (rc == RC_OK)
        rc = find_facts(c, c->args, &f, e);
    if (rc != RC_OK)
        return rc;
    if (f.n == 0)
        return err_say(e, RC_NOT_FOUND, "command.no_such_memory");
    if (f.n == 1)
        return forget(c, &f.rows[0], e);
    command_say(c, "command.which_memory", NULL);
    show_facts(c, &f, 1, arena_printf(c->x->a, "/memories %.*s", STR_FMT(c->args)));
    return RC_OK;
}

/* Hidden: reverses /forget. */
enum rc command_unforget(struct command_call *c, struct err *e)
{
    int64_t id;
    enum rc rc = command_id(c->args, &id, e);
    if (rc == RC_OK)
        rc = memory_restore(c->x->store, c->x->owner, id, c->x->now, e);
    if (rc == RC_NOT_FOUND)
        return err_say(e, rc, "command.no_such_memory");
    if (rc == RC_OK)
        command_say(c, "command.unforgotten", NULL);
    return rc;
}
