#include "app/export/conversation.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "store/session/temporary.h"
#include "store/transfer.h"

#define AT_ONCE        50 /* messages of a batch */
#define NAME_CHARS_MAX 80 /* of a file name without its ending */
#define NONE           SIZE_MAX

const struct conversation_kind conversation_kinds[CONVERSATION_FORMATS] = {
    [CONVERSATION_MARKDOWN] = {"md", "text/markdown; charset=utf-8", ".md"},
    [CONVERSATION_HTML] = {"html", "text/html; charset=utf-8", ".html"},
    [CONVERSATION_JSON] = {"json", "application/json", ".json"},
    [CONVERSATION_JSONL] = {"jsonl", "application/x-ndjson", ".jsonl"},
};

bool conversation_format_parse(struct str word, enum conversation_format *out)
{
    for (int i = 0; i < CONVERSATION_FORMATS; i++)
        if (str_is(word, conversation_kinds[i].word)) {
            *out = (enum conversation_format)i;
            return true;
        }
    return false;
}

/* ---- the order ---- */

struct plan {
    const struct export_node *nodes; /* ascending by id */
    size_t n;
    size_t *newest; /* the newest child of each node; NONE */
    size_t *place;  /* in the order, from 1; 0: not yet */
    struct conversation *out;
};

static int by_id(const void *key, const void *node)
{
    int64_t id = *(const int64_t *)key, other = ((const struct export_node *)node)->id;
    return (id > other) - (id < other);
}

static size_t find(const struct plan *p, int64_t id)
{
    const struct export_node *found = p->n ? bsearch(&id, p->nodes, p->n, sizeof *p->nodes, by_id) : NULL;
    return found ? (size_t)(found - p->nodes) : NONE;
}

static struct conversation_step *add(struct plan *p, size_t node)
{
    struct conversation_step *step = &p->out->steps[p->out->n++];
    *step = (struct conversation_step){.id = p->nodes[node].id};
    p->place[node] = p->out->n;
    return step;
}

static void add_shown(struct plan *p, struct arena *a, int64_t head)
{
    size_t *path = ARENA_ARRAY(a, size_t, p->n + 1), n = 0;
    for (size_t at = find(p, head); at != NONE && n < p->n; at = find(p, p->nodes[at].parent_id))
        path[n++] = at;
    while (n > 0)
        add(p, path[--n]);
}

static void add_others(struct plan *p)
{
    for (size_t i = 0; i < p->n; i++) {
        if (p->place[i])
            continue;
        size_t parent = find(p, p->nodes[i].parent_id);
        struct conversation_step *first = add(p, i);
        first->begins = true;
        first->parent = parent == NONE ? 0 : p->place[parent];
        for (size_t at = p->newest[i]; at != NONE && !p->place[at]; at = p->newest[at])
            add(p, at);
    }
}

static void order(struct plan *p, struct arena *a, int64_t head, enum conversation_branches which)
{
    p->newest = ARENA_ARRAY(a, size_t, p->n + 1);
    p->place = ARENA_ARRAY(a, size_t, p->n + 1);
    p->out->steps = ARENA_ARRAY(a, struct conversation_step, p->n + 1);
    for (size_t i = 0; i < p->n; i++)
        p->newest[i] = NONE;
    for (size_t i = 0; i < p->n; i++) {
        size_t parent = find(p, p->nodes[i].parent_id);
        if (parent != NONE)
            p->newest[parent] = i;
    }
    add_shown(p, a, head);
    if (which == CONVERSATION_ALL_BRANCHES)
        add_others(p);
}

enum rc conversation_plan(struct store *s, struct arena *a, int64_t owner, const char *session,
    enum conversation_branches which, struct conversation *out, struct err *e)
{
    struct export_node *nodes = NULL;
    struct plan p = {.out = out};
    *out = (struct conversation){0};
    struct db *db = store_read_state(s);
    enum rc rc = store_session_get(db, a, owner, session, &out->session, e);
    if (rc == RC_OK)
        rc = session_lasting(&out->session, e);
    if (rc == RC_OK)
        rc = store_export_tree(db, a, owner, out->session.id, &nodes, &p.n, e);
    store_read_done(s, db);
    p.nodes = nodes;
    if (rc == RC_OK)
        order(&p, a, out->session.head_id, which);
    return rc;
}

/* ---- the messages ---- */

static enum rc read_batch(struct store *s, struct arena *a, int64_t owner, const struct conversation *c,
    size_t from, struct message *out, bool *there, struct err *e)
{
    enum rc rc = RC_OK;
    struct db *db = store_read(s);
    for (size_t i = 0; rc == RC_OK && i < AT_ONCE && from + i < c->n; i++) {
        rc = store_message_get(db, a, owner, c->steps[from + i].id, &out[i], e);
        there[i] = rc == RC_OK;
        if (rc == RC_NOT_FOUND)
            rc = RC_OK; /* deleted meanwhile */
    }
    store_read_done(s, db);
    return rc;
}

enum rc conversation_each(struct store *s, int64_t owner, const struct conversation *c, conversation_fn *fn,
    void *arg, struct err *e)
{
    enum rc rc = RC_OK;
    for (size_t from = 0; rc == RC_OK && from < c->n; from += AT_ONCE) {
        AUTO(arena) batch = arena_new();
        struct message m[AT_ONCE];
        bool there[AT_ONCE] = {false};
        rc = read_batch(s, batch, owner, c, from, m, there, e);
        for (size_t i = 0; rc == RC_OK && i < AT_ONCE && from + i < c->n; i++)
            if (there[i])
                rc = fn(arg, batch, from + i, &m[i], e);
    }
    return rc;
}

/* ---- its name ---- */

const char *conversation_file_name(
    struct arena *a, const char *title, const char *otherwise, enum conversation_format f)
{
    struct str s = str_trim(str_of(title ? title : otherwise));
    s.len = utf8_cut_chars(s, NAME_CHARS_MAX);
    char *name = arena_strndup(a, s.s, s.len);
    for (char *p = name; *p; p++) /* what Windows, macOS and shells do not take in a name */
        if ((unsigned char)*p < ' ' || *p == 0x7F || strchr("/\\:*?\"<>|%", *p))
            *p = '-';
    s = str_trim((struct str){name, utf8_drop_directional(name, strlen(name))});
    while (s.len && s.s[0] == '.')
        s = str_from(s, 1);
    while (s.len && (s.s[s.len - 1] == '.' || s.s[s.len - 1] == ' '))
        s.len--;
    return s.len ? arena_printf(a, "%.*s%s", STR_FMT(s), conversation_kinds[f].ending)
                 : arena_printf(a, "%s%s", otherwise, conversation_kinds[f].ending);
}
