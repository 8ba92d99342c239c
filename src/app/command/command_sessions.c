/* Commands about sessions: a new one, another one, the list, the facts of one. */
#include "app/command/command_private.h"

#include <string.h>

#include "app/picture/picture.h"
#include "app/search/search_query.h"
#include "app/session/session_actions.h"
#include "store/message/message.h"
#include "store/session/session_stats.h"

/* ---- a new one ---- */

enum rc command_new(struct command_call *c, struct err *e)
{
    int64_t withdrawn = 0;
    enum rc rc = RC_OK;
    struct session s;
    if (c->x->session)
        rc = command_stop_session(c, c->x->session, &withdrawn, e);
    if (rc != RC_OK)
        return rc;
    if (c->args.len == 0) {
        c->out->no_session = true;
        command_say(c, "command.new", NULL);
    } else {
        struct command_context x = *c->x;
        struct command_call fresh = *c;
        x.session = NULL;
        fresh.x = &x;
        struct session_change change = {.title = command_str(c, c->args)};
        rc = command_session_or_new(&fresh, &s, e);
        if (rc == RC_OK)
            rc = session_change(x.store, x.owner, s.pub, &change, e);
        if (rc != RC_OK)
            return rc;
        command_say(c, "command.new_titled", LANG_ARGS({"title", command_text(c, c->args)}));
    }
    if (withdrawn)
        command_say_count(c, "command.withdrawn", withdrawn);
    return RC_OK;
}

/* ---- the list ---- */

struct listed {
    struct session *rows;
    size_t n;
    bool more;
};

struct finding {
    const struct command_call *c;
    struct str words;
    int64_t page;
    struct listed out;
};

static enum rc find(struct db *db, void *arg, struct err *e)
{
    struct finding *f = arg;
    const struct command_context *x = f->c->x;
    struct search_query query;
    struct session_page page = {.limit = (int)(f->page * COMMAND_PAGE + 1), .brief = true};
    const struct search_input typed = {x->owner, x->now, x->zone, f->words};
    enum rc rc = search_query_read(db, x->a, &typed, &query, e);
    if (rc != RC_OK)
        return rc;
    struct session_filter filter = search_query_filter(x->a, &query);
    filter.show = f->words.len ? SESSIONS_ALL : SESSIONS_LISTED;
    if (page.limit > SESSION_PAGE_MAX)
        page.limit = SESSION_PAGE_MAX;
    rc = store_session_list(db, x->a, x->owner, &filter, &page, &f->out.rows, &f->out.n, e);
    size_t before = (size_t)(f->page - 1) * COMMAND_PAGE;
    if (rc != RC_OK || f->out.n == 0)
        return rc;
    before = before < f->out.n ? before : f->out.n;
    f->out.rows += before;
    f->out.n -= before;
    f->out.more = f->out.n > COMMAND_PAGE;
    f->out.n = f->out.more ? COMMAND_PAGE : f->out.n;
    return RC_OK;
}

static void show_row(struct command_call *c, const struct session *s, bool open)
{
    const char *count = lang_count(c->x->a, c->x->lang, "count.messages", s->message_count, NULL);
    const char *topic = s->topic && *s->topic ? command_text(c, str_of(s->topic)) : NULL;
    command_item(c, "%s**%s** · %s · %s%s%s", open ? "▸ " : "", command_title(c, s),
        command_ago(c, s->active_at), count, topic ? "\\\n  " : "", topic ? topic : "");
    command_button(c, command_label(c, str_of(s->title ? s->title : lang_text(c->x->lang, "chat.new"))),
        arena_printf(c->x->a, "/resume %s", s->pub));
}

static void show_list(struct command_call *c, const struct finding *f)
{
    for (size_t i = 0; i < f->out.n; i++)
        show_row(c, &f->out.rows[i], c->x->session && strcmp(f->out.rows[i].pub, c->x->session) == 0);
    if (f->out.more)
        command_button_more(c,
            arena_printf(c->x->a, "/sessions%s%.*s", f->words.len ? " " : "", STR_FMT(f->words)),
            f->page + 1);
}

enum rc command_sessions(struct command_call *c, struct err *e)
{
    struct finding f = {.c = c, .words = c->args};
    f.page = command_page_number(&f.words);
    enum rc rc = store_with_reader(c->x->store, find, &f, e);
    if (rc != RC_OK)
        return rc;
    if (f.out.n == 0)
        command_say(c, f.words.len ? "command.no_session_found" : "command.no_sessions",
            LANG_ARGS({"words", command_text(c, f.words)}));
    show_list(c, &f);
    return RC_OK;
}

/* ---- another one ---- */

/* Ids with these first letters; n 0: it is no beginning of an id. */
static enum rc find_by_id(struct command_call *c, struct finding *f, struct err *e)
{
    char begin[ID_SIZE];
    struct str typed = f->words;
    f->out.n = 0;
    if (!str_starts_nocase(typed, STR(ID_SESSION)) || typed.len >= sizeof begin ||
        typed.len <= strlen(ID_SESSION))
        return RC_OK;
    for (size_t i = 0; i < typed.len; i++)
        begin[i] = (char)(typed.s[i] >= 'A' && typed.s[i] <= 'Z' ? typed.s[i] - 'A' + 'a' : typed.s[i]);
    begin[typed.len] = '\0';
    struct db *db = store_read(c->x->store);
    enum rc rc =
        store_session_beginning(db, c->x->a, c->x->owner, begin, COMMAND_PAGE, &f->out.rows, &f->out.n, e);
    store_read_done(c->x->store, db);
    return rc;
}

/* The one whose title is exactly this; NULL: none or several. */
static const struct session *same_title(const struct finding *f)
{
    const struct session *found = NULL;
    for (size_t i = 0; i < f->out.n; i++) {
        const struct session *s = &f->out.rows[i];
        if (!s->title || !str_eq_nocase(str_of(s->title), f->words))
            continue;
        if (found)
            return NULL;
        found = s;
    }
    return found;
}

static enum rc resume(struct command_call *c, const struct session *s)
{
    c->out->session = s->pub;
    command_say(c, "command.resumed", LANG_ARGS({"title", command_title(c, s)}));
    if (s->topic && *s->topic)
        command_say(c, "command.topic", LANG_ARGS({"topic", command_text(c, str_of(s->topic))}));
    return RC_OK;
}

/* ---- a branch ---- */

/* "ses_... 57", or the address of a message: ".../s/ses_...?at=57#m-57". Sets the session's id, in the arena.
 * False: neither. */
static bool names_message(struct command_call *c, const char **session, int64_t *message)
{
    static const char *const marks[] = {"?at=", "&at=", "#m-"};
    struct str rest = c->args, id = {0};
    const char *line = command_str(c, c->args), *path = strstr(line, "/s/" ID_SESSION);
    if (path) {
        path += strlen("/s/");
        *session = arena_strndup(c->x->a, path, strcspn(path, "?#/ "));
        for (size_t i = 0; i < ARRAY_LEN(marks) && !id.len; i++) {
            const char *mark = strstr(path, marks[i]);
            if (mark)
                id = (struct str){mark + strlen(marks[i]), strspn(mark + strlen(marks[i]), "0123456789")};
        }
    } else if (str_starts(c->args, STR(ID_SESSION))) {
        struct str word = command_next(&rest);
        *session = command_str(c, word);
        id = str_trim(rest);
    }
    *message = 0;
    return path ? !id.len || str_to_int(id, 1, INT64_MAX, message)
                : id.len && str_to_int(id, 1, INT64_MAX, message);
}

struct branch {
    struct session s;
    struct message m;
    int64_t leaf;
};

static enum rc read_branch(
    const struct command_call *c, const char *session, int64_t message, struct branch *out, struct err *e)
{
    struct db *db = store_read(c->x->store);
    enum rc rc = store_session_get(db, c->x->a, c->x->owner, session, &out->s, e);
    if (rc == RC_OK && message)
        rc = store_message_get(db, c->x->a, c->x->owner, message, &out->m, e);
    if (rc == RC_OK && message && out->m.session_id != out->s.id)
        rc = RC_NOT_FOUND;
    out->leaf = out->s.head_id;
    if (rc == RC_OK && message)
        rc = store_message_leaf(db, c->x->owner, message, &out->leaf, e);
    store_read_done(c->x->store, db);
    return rc == RC_NOT_FOUND ? err_say(e, rc, "command.no_such_message") : rc;
}

/* The message decides the branch. The open one needs no mark: the caller follows it. */
static enum rc resume_message(struct command_call *c, const char *session, int64_t message, struct err *e)
{
    struct branch b = {0};
    enum rc rc = read_branch(c, session, message, &b, e);
    bool other = rc == RC_OK && b.leaf != b.s.head_id;
    if (other && !c->x->keeps_branch)
        rc = session_set_head(c->x->store, c->x->config, c->x->owner, b.s.pub, message, e);
    if (rc == RC_OK)
        rc = resume(c, &b.s);
    if (rc != RC_OK || !other)
        return rc;
    c->out->branch_id = c->x->keeps_branch ? b.leaf : 0;
    command_say(c, "command.resumed_branch",
        LANG_ARGS({"text", command_text(c, picture_text(c->x->a, c->x->lang, &b.m))}));
    return RC_OK;
}

enum rc command_resume(struct command_call *c, struct err *e)
{
    struct finding f = {.c = c, .words = c->args, .page = 1};
    const char *session = NULL;
    int64_t message = 0;
    if (c->args.len == 0)
        return command_sessions(c, e);
    if (names_message(c, &session, &message))
        return resume_message(c, session, message, e);
    enum rc rc = find_by_id(c, &f, e);
    if (rc == RC_OK && f.out.n == 0)
        rc = store_with_reader(c->x->store, find, &f, e);
    if (rc != RC_OK)
        return rc;
    if (f.out.n == 0)
        return err_say(
            e, RC_NOT_FOUND, "command.no_session_found", arg_text("words", command_str(c, c->args)));
    if (f.out.n == 1 && !f.out.more)
        return resume(c, f.out.rows);
    const struct session *one = same_title(&f);
    if (one)
        return resume(c, one);
    command_say(c, "command.which_session", NULL);
    show_list(c, &f);
    return RC_OK;
}

/* ---- facts of one ---- */

static void say_row(struct command_call *c, const char *key, const char *value)
{
    command_item(c, "%s: %s", lang_text(c->x->lang, key), value);
}

static const char *model_of(const struct command_call *c, const struct session *s)
{
    const struct provider_choice *p =
        s->provider ? providers_by_name(c->x->providers, s->provider, s->model) : NULL;
    if (!p && s->model)
        return command_text(c, str_of(s->model));
    p = p ? p : providers_default(c->x->providers);
    return command_text(c, str_of(provider_choice_label(p, c->x->lang)));
}

static const char *tokens_of(const struct command_call *c, const struct session_stats *st)
{
    int64_t in = 0, out = 0;
    for (size_t i = 0; i < st->models_n; i++) {
        in += st->models[i].tokens_in;
        out += st->models[i].tokens_out;
    }
    const struct lang *l = c->x->lang;
    return lang_fill(c->x->a, l, "command.tokens_in_out",
        LANG_ARGS({"in", humanize_number(c->x->a, l, in)}, {"out", humanize_number(c->x->a, l, out)}));
}

enum rc command_session_info(struct command_call *c, struct err *e)
{
    struct session s;
    struct session_stats st;
    const struct locale l = {c->x->lang, c->x->zone, c->x->now, NULL};
    enum rc rc = command_session(c, &s, e);
    if (rc != RC_OK)
        return rc;
    struct db *db = store_read(c->x->store);
    rc = store_session_stats(db, c->x->a, c->x->owner, s.id, 1, &st, e);
    store_read_done(c->x->store, db);
    if (rc != RC_OK)
        return rc;
    strbuf_addf(&c->md, "**%s**", command_title(c, &s));
    say_row(c, "command.row_id", arena_printf(c->x->a, "`%s`", s.pub));
    say_row(c, "command.row_started", humanize_exact(c->x->a, &l, s.created_at));
    say_row(c, "command.row_messages", humanize_number(c->x->a, c->x->lang, s.message_count));
    say_row(c, "command.row_tokens", tokens_of(c, &st));
    if (s.context_window)
        say_row(c, "command.row_context",
            arena_printf(c->x->a, "%s / %s", humanize_tokens(c->x->a, c->x->lang, s.context_tokens),
                humanize_tokens(c->x->a, c->x->lang, s.context_window)));
    say_row(c, "command.row_model", model_of(c, &s));
    if (s.workspace)
        say_row(c, "command.row_workspace", command_text(c, str_of(s.workspace)));
    return RC_OK;
}

enum rc command_rename(struct command_call *c, struct err *e)
{
    struct session s;
    struct session_change change = {.title = command_str(c, c->args)};
    enum rc rc = command_needs_args(c, e);
    if (rc == RC_OK)
        rc = command_session(c, &s, e);
    if (rc == RC_OK)
        rc = session_change(c->x->store, c->x->owner, s.pub, &change, e);
    if (rc == RC_OK)
        command_say(c, "command.renamed", LANG_ARGS({"title", command_text(c, c->args)}));
    return rc;
}
