#include "web/chat/message_view.h"

#include "app/context/context.h"
#include "app/tools/tools.h"
#include "base/clock.h"
#include "base/log.h"
#include "codec/html.h"
#include "codec/markdown/markdown.h"
#include "web/summary/compaction_resource.h"
#include "web/http/web.h"
#include "web/page/humanize.h"

#define SIDEBAR_SESSIONS 40
#define MESSAGE_HTML_MAX ((size_t)8 * 1024 * 1024)
#define ARTICLE_TEMPLATE "partials/message"

static void view_time(struct arena *a, struct view *v, const char *iso_key, const char *words_key,
    const char *exact_key, int64_t at, int64_t now)
{
    char iso[CLOCK_RFC3339_SIZE];
    clock_rfc3339(at, iso);
    view_text(v, iso_key, iso);
    view_text(v, words_key, words_ago(a, at, now));
    view_text(v, exact_key, words_exact(a, at));
}

void view_created(struct arena *a, struct view *v, int64_t at, int64_t now)
{
    view_time(a, v, "created_iso", "created_words", "created_exact", at, now);
}

void view_used(struct arena *a, struct view *v, int64_t at, int64_t now)
{
    view_time(a, v, "used_iso", "used_words", "used_exact", at, now);
}

void view_page_common(struct req *r, struct view *v, const char *title)
{
    view_text(v, "page_title", arena_printf(r->arena, "%s · Alfred", title));
    view_text(v, "nonce", r->nonce);
    if (!r->signed_in)
        return;
    view_text(v, "csrf", r->csrf);
    struct view *user = view_obj(v, "user");
    view_text(user, "name", r->who.name);
    view_bool(user, "is_admin", r->who.role == USER_ADMIN);
}

/* Sessions */

/* What the sidebar shows; its rows are on every page, so they carry no more. */
static void view_row(struct view *v, const struct session *s)
{
    view_text(v, "id", s->pub);
    view_text(v, "title", s->title ? s->title : "New chat");
    view_bool(v, "untitled", !s->title);
    view_bool(v, "running", s->running_turns > 0);
    view_bool(v, "unread", s->active_at > s->seen_at);
    view_bool(v, "pinned", s->pinned);
}

static void view_keywords(struct arena *a, struct view *v, const char *keywords)
{
    struct view *list = view_list(v, "keywords");
    for (struct str rest = str_of(keywords); rest.len;) {
        struct str word = str_trim(str_cut(&rest, ','));
        view_item_text(list, arena_strndup(a, word.s, word.len));
    }
}

/* How full the model's window is, and what becomes of it. */
static void view_context(struct view *v, const struct session *s)
{
    struct view *c = view_obj(v, "context");
    int64_t percent = s->context_window > 0 ? s->context_tokens * 100 / s->context_window : 0;
    view_int(c, "tokens", s->context_tokens);
    view_int(c, "window", s->context_window);
    view_int(c, "percent", percent > 100 ? 100 : percent);
    view_bool(c, "known", s->context_window > 0);
    view_bool(c, "compacting", s->compacting);
    view_text(c, "error", s->compact_error);
}

void view_session_line(struct arena *a, struct view *v, const struct session *s, int64_t now)
{
    view_row(v, s);
    view_text(v, "count_words", words_count(a, s->message_count, "message", "messages"));
    view_bool(v, "archived", s->archived_at != 0);
    view_text(v, "topic", s->topic);
    view_text(v, "workspace", s->workspace);
    view_time(a, v, "active_iso", "active_words", "active_exact", s->active_at, now);
}

void view_session(struct arena *a, struct view *v, const struct session *s, int64_t now)
{
    view_session_line(a, v, s, now);
    view_text(v, "url", arena_printf(a, "/s/%s", s->pub));
    view_int(v, "message_count", s->message_count);
    view_keywords(a, v, s->keywords);
    view_context(v, s);
}

enum rc view_sidebar(struct req *r, struct view *v, int64_t current, struct err *e)
{
    struct session *rows;
    size_t n;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_session_newest(db, r->arena, r->who.user_id, SIDEBAR_SESSIONS + 1, &rows, &n, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    struct view *side = view_obj(v, "sidebar"), *groups = view_list(side, "groups"), *in = NULL;
    view_bool(side, "more", n > SIDEBAR_SESSIONS);
    const char *label = NULL;
    for (size_t i = 0; i < n && i < SIDEBAR_SESSIONS; i++) {
        const char *day = words_day_group(r->arena, rows[i].active_at, r->now);
        if (!label || strcmp(label, day) != 0) {
            struct view *group = view_item(groups);
            view_text(group, "label", label = day);
            in = view_list(group, "sessions");
        }
        struct view *row = view_item(in);
        bool is_current = rows[i].id == current;
        if (is_current)
            rows[i].seen_at = rows[i].active_at;
        view_row(row, &rows[i]);
        view_bool(row, "current", is_current);
    }
    return RC_OK;
}

/* Messages */

/* What a person typed is shown as typed: paragraphs at blank lines, breaks at the others, nothing
 * interpreted. */
static void user_html(struct str text, struct strbuf *out)
{
    bool open = false, first_line = true;
    for (struct str rest = text; rest.s;) {
        struct str line = str_cut(&rest, '\n');
        if (str_trim(line).len == 0) {
            if (open)
                strbuf_adds(out, "</p>");
            open = false;
            continue;
        }
        if (!open) {
            strbuf_adds(out, "<p>");
            open = first_line = true;
        }
        if (!first_line)
            strbuf_adds(out, "<br>");
        html_escape(out, line);
        first_line = false;
    }
    if (open)
        strbuf_adds(out, "</p>");
}

static void view_body(const struct message_frame *f, struct view *v, const struct message *m)
{
    AUTO_STRBUF html;
    strbuf_init(&html, MESSAGE_HTML_MAX);
    struct err e = ERR_INIT;
    if (m->role == ROLE_USER) {
        user_html(m->text, &html);
    } else if (markdown_html(m->text, &html, &e) != RC_OK) {
        log_warn("message %lld is shown as plain text: %s", (long long)m->id, e.text);
        strbuf_clear(&html);
        strbuf_adds(&html, "<pre>");
        html_escape(&html, m->text);
        strbuf_adds(&html, "</pre>");
    }
    view_html(v, "body_html", (struct markup){str_of(arena_strndup(f->arena, html.s, html.len))});
}

static void view_tool(const struct message_frame *f, struct view *v, const struct message *m)
{
    struct llm_tool_call *calls;
    size_t n;
    struct tool_look look = tool_look(m->tool ? m->tool : "");
    view_text(v, "tool", m->tool);
    view_text(v, "tool_label",
        look.label ? look.label : arena_printf(f->arena, "Called %s", m->tool ? m->tool : "a tool"));
    view_text(v, "tool_icon", look.icon);
    bool known = context_calls(f->arena, m->calls, &calls, &n, NULL) == RC_OK && n == 1;
    view_text(v, "tool_args", known ? calls[0].args : "");
    view_str(v, "tool_result", m->text);
}

static void view_branches(const struct message_frame *f, struct view *v, const struct message *m)
{
    static const char *const keys[2][2] = {{"prev_id", "prev_url"}, {"next_id", "next_url"}};
    int64_t ids[2] = {m->prev_sibling, m->next_sibling};
    view_int(v, "sibling", m->sibling);
    view_int(v, "siblings", m->siblings);
    view_bool(v, "has_siblings", m->siblings > 1);
    for (int i = 0; i < 2; i++) {
        long long id = (long long)ids[i];
        view_text(v, keys[i][0], id ? arena_printf(f->arena, "%lld", id) : NULL);
        view_text(
            v, keys[i][1], id ? arena_printf(f->arena, "/s/%s?at=%lld#m-%lld", f->session, id, id) : NULL);
    }
}

void view_message(const struct message_frame *f, struct view *v, const struct message *m, bool last)
{
    bool assistant = m->role == ROLE_ASSISTANT, running = m->status == MESSAGE_RUNNING;
    view_text(v, "id", arena_printf(f->arena, "%lld", (long long)m->id));
    view_text(v, "anchor", arena_printf(f->arena, "m-%lld", (long long)m->id));
    view_text(v, "parent_id", m->parent_id ? arena_printf(f->arena, "%lld", (long long)m->parent_id) : NULL);
    view_text(v, "role", message_role_name(m->role));
    view_bool(v, "is_user", m->role == ROLE_USER);
    view_bool(v, "is_assistant", assistant);
    view_bool(v, "is_tool", m->role == ROLE_TOOL);
    view_text(v, "status", message_status_name(m->status));
    view_bool(v, "running", running);
    view_bool(v, "stopped", m->status == MESSAGE_STOPPED);
    view_bool(v, "interrupted", m->status == MESSAGE_INTERRUPTED);
    view_bool(v, "failed", m->status == MESSAGE_FAILED);
    view_text(v, "error", m->error);
    view_bool(v, "has_calls", assistant && m->calls);
    view_bool(v, "can_retry",
        assistant && last && (m->status == MESSAGE_FAILED || m->status == MESSAGE_INTERRUPTED));
    view_bool(v, "last_in_path", last);
    view_str(v, "text", m->text);
    view_body(f, v, m);
    if (m->role == ROLE_TOOL)
        view_tool(f, v, m);
    view_branches(f, v, m);
    view_created(f->arena, v, m->created_at, f->now);
    const struct provider_choice *choice =
        assistant && m->provider ? providers_by_name(f->providers, m->provider, m->model) : NULL;
    view_text(v, "model_label", choice ? choice->label : assistant ? m->model : NULL);
    view_text(v, "session_id", f->session);
    view_text(v, "csrf", f->csrf);
    view_text(v, "turn", running ? f->turn : NULL);
    view_text(v, "leaf_id", f->leaf ? arena_printf(f->arena, "%lld", (long long)f->leaf) : NULL);
    notes_view(f->notes, f->arena, v, m);
    compaction_mark_view(f, v, m);
}

enum rc view_message_html(const struct web *w, const struct message_frame *f, const struct message *m,
    bool last, struct strbuf *out, struct err *e)
{
    struct view *v = view_new(f->arena);
    view_message(f, v, m, last);
    return mustache_render(w->templates, ARTICLE_TEMPLATE, v, out, e);
}

/* Models */

void view_choices(struct view *v, const struct providers *p, const struct provider_choice *selected)
{
    if (!selected)
        selected = providers_default(p);
    struct view *list = view_list(v, "choices");
    for (size_t i = 0; i < p->n; i++) {
        const struct provider_choice *c = &p->choices[i];
        struct view *item = view_item(list);
        view_text(item, "value", c->value);
        view_text(item, "label", c->label);
        view_text(item, "provider", c->name);
        view_text(item, "model", c->model);
        view_text(item, "kind", c->kind);
        view_bool(item, "selected", c == selected);
    }
    view_bool(v, "one_choice", p->n == 1);
    view_text(v, "choice_label", selected->label);
    view_bool(v, "offline", strcmp(providers_default(p)->kind, "offline") == 0);
}
