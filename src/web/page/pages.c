#include "web/page/pages.h"

#include "base/clock.h"
#include "base/humanize.h"
#include "base/id.h"
#include "web/http/resource.h"
#include "web/http/respond.h"
#include "web/http/wrong_field.h"
#include "web/page/due_view.h"
#include "web/page/form_again.h"
#include "web/page/sidebar.h"
#include "web/page/views.h"

/* The notices after redirects. The address contains the key, never the sentence. */
static const struct {
    const char *word, *key;
} notices[] = {
    {"renamed", "notice.renamed"},
    {"unlinked", "link.unlinked"},
    {"admitted", "link.admitted"},
    {"asking_refused", "link.refused"},
    {"tag_added", "tag.added"},
    {"tag_saved", "tag.saved"},
    {"tags_merged", "tag.merged"},
    {"tag_deleted", "tag.deleted"},
    {"session_saved", "notice.session_saved"},
    {"kept", "notice.kept"},
    {"deleted", "notice.deleted"},
    {"restored", "notice.restored"},
    {"message_restored", "notice.message_restored"},
    {"all_restored", "notice.all_restored"},
    {"erased", "notice.erased"},
    {"account_deleted", "notice.account_deleted"},
    {"emptied", "notice.emptied"},
    {"pinned", "notice.pinned"},
    {"unpinned", "notice.unpinned"},
    {"archived", "notice.archived"},
    {"unarchived", "notice.unarchived"},
    {"summary_asked", "notice.summary_asked"},
    {"compact_asked", "notice.compact_asked"},
    {"job_retried", "notice.job_retried"},
    {"jobs_retried", "notice.jobs_retried"},
    {"outbox_retried", "notice.outbox_retried"},
    {"outbox_dropped", "notice.outbox_dropped"},
    {"outbox_resumed", "notice.outbox_resumed"},
    {"skipped_retried", "notice.skipped_retried"},
    {"saved", "notice.saved"},
    {"message_deleted", "notice.message_deleted"},
    {"settings_saved", "notice.settings_saved"},
    {"answers_saved", "notice.answers_saved"},
    {"library_saved", "library.saved"},
    {"library_deleted", "library.deleted"},
    {"files_added", "file.added"},
    {"file_deleted", "file.deleted"},
    {"workspace_renamed", "workspace.renamed"},
    {"workspace_deleted", "workspace.deleted"},
    {"password", "notice.password"},
    {"second_off", "second.off"},
    {"user_second_off", "second.user_off"},
    {"signin_again", "second.again"},
    {"revoked", "notice.revoked"},
    {"revoked_others", "notice.revoked_others"},
    {"disabled", "notice.disabled"},
    {"enabled", "notice.enabled"},
    {"role", "notice.role"},
    {"shared", "notice.shared"},
    {"share_renewed", "notice.share_renewed"},
    {"share_ended", "notice.share_ended"},
    {"export_asked", "notice.export_asked"},
    {"import_asked", "notice.import_asked"},
    {"transfer_deleted", "notice.transfer_deleted"},
    {"memory_added", "notice.memory_added"},
    {"memory_known", "notice.memory_known"},
    {"memory_saved", "notice.memory_saved"},
    {"memory_deleted", "notice.memory_deleted"},
    {"memory_restored", "notice.memory_restored"},
    {"memory_paused", "notice.memory_paused"},
    {"memory_resumed", "notice.memory_resumed"},
    {"memory_cleared", "notice.memory_cleared"},
    {"suggestions_kept", "notice.suggestions_kept"},
    {"suggestion_done", "notice.suggestion_done"},
    {"suggestion_dismissed", "notice.suggestion_dismissed"},
    {"token_revoked", "notice.token_revoked"},
    {"task_added", "notice.task_added"},
    {"task_saved", "notice.task_saved"},
    {"task_done", "notice.task_done"},
    {"task_reopened", "notice.task_reopened"},
    {"task_deleted", "notice.task_deleted"},
    {"task_restored", "notice.task_restored"},
    {"tasks_cleared", "notice.tasks_cleared"},
    {"reminder_added", "reminders.added"},
    {"reminder_saved", "reminders.saved"},
    {"reminder_deleted", "reminders.was_deleted"},
    {"reminder_restored", "reminders.restored"},
    {"reminder_paused", "reminders.was_paused"},
    {"reminder_resumed", "reminders.resumed"},
    {"reminder_done", "reminders.was_done"},
    {"reminder_snoozed", "reminders.snoozed"},
    {"calendar_ended", "calendar.ended"},
    {"tasks_restored", "notice.tasks_restored"},
};

static const char *const places[] = {
    [AT_CHAT] = "on_chat",
    [AT_SESSIONS] = "on_sessions",
    [AT_SEARCH] = "on_search",
    [AT_ACCOUNT] = "on_account",
    [AT_USERS] = "on_users",
    [AT_JOBS] = "on_jobs",
    [AT_TELEGRAM] = "on_telegram",
    [AT_OUTBOX] = "on_outbox",
    [AT_MEMORY] = "on_memory",
    [AT_TASKS] = "on_tasks",
    [AT_SETTINGS] = "on_settings",
    [AT_LIBRARY] = "on_library",
    [AT_TAGS] = "on_tags",
    [AT_REMINDERS] = "on_reminders",
    [AT_TRASH] = "on_trash",
    [AT_DATA] = "on_data",
    [AT_SHARES] = "on_shares",
};

/* The address of a restored session, or of its message. */
static void view_restored(const struct req *r, struct view *v, const char *session, struct str message)
{
    int64_t id;
    bool is_message = message.s && str_to_int(message, 1, INT64_MAX, &id);
    view_text(
        v, "flash_open", is_message ? message_url(r->arena, session, id) : session_url(r->arena, session));
}

/* F_DONE is a word, or a word and an entry of the trash: "deleted.ses_...", or a word and what came back from
 * there: "restored.ses_...", "message_restored.ses_....12". */
static void view_notice(const struct req *r, struct view *v)
{
    struct str rest = req_str(r, F_DONE), word = str_cut(&rest, '.');
    const char *entry = rest.s ? arena_str(r->arena, str_cut(&rest, '.')).s : NULL;
    bool came_back = str_is(word, "restored") || str_is(word, "message_restored");
    for (size_t i = 0; word.len && i < ARRAY_LEN(notices); i++)
        if (str_is(word, notices[i].word))
            view_text(v, "flash", lang_text(r->lang, notices[i].key));
    if (id_valid(ID_SESSION, entry) && came_back)
        view_restored(r, v, entry, rest);
    else if (id_valid(ID_SESSION, entry))
        view_text(v, "flash_undo", arena_printf(r->arena, "/trash/%s/restore", entry));
    if (r->method == HTTP_GET && req_int(r, F_UNDO))
        view_text(v, "flash_undo",
            arena_printf(r->arena, "%.*s/%lld/%s", STR_FMT(r->path), (long long)req_int(r, F_UNDO),
                str_is(word, "task_done") ? "reopen" : "restore"));
}

enum rc page_view(struct req *r, const char *title, enum page_place place, int64_t current, struct view **out,
    struct err *e)
{
    struct view *v = view_new(r->arena);
    page_common_view(r, v, title);
    if (r->method == HTTP_GET)
        view_notice(r, v);
    if (place != AT_NONE)
        view_bool(v, places[place], true);
    *out = v;
    if (!r->signed_in)
        return RC_OK;
    /* who reads the page, and the position up to which it shows all changes (web/stream/live.h) */
    view_text(v, "live",
        arena_printf(r->arena, "%lld %lld", (long long)r->who.user_id, (long long)r->now * US_PER_MS));
    enum rc rc = due_view(r, v, e);
    return rc == RC_OK ? sidebar_view(r, v, current, e) : rc;
}

enum rc page_about(struct req *r, const char *key, const struct session *s, struct view **out, struct err *e)
{
    const char *title = humanize_isolated(r->arena, session_title(r->lang, s->title));
    return page_view(
        r, lang_fill(r->arena, r->lang, key, LANG_ARGS({"title", title})), AT_NONE, s->id, out, e);
}

bool page_can_say(enum rc rc)
{
    switch (rc) {
    case RC_BAD_INPUT:
    case RC_UNAUTHENTICATED:
    case RC_CONFLICT:
    case RC_TOO_BIG:
    case RC_RATE_LIMITED:
    case RC_UNAVAILABLE: return true;
    default: return false;
    }
}

enum rc page_problem(struct req *r, struct resp *out, const char *template_name, struct view *v,
    const struct err *why, struct err *e)
{
    view_text(v, "problem", public_text(r, why));
    if (why->retry_after_s)
        resp_header(out, "Retry-After", "%d", why->retry_after_s);
    enum rc rc = resp_page(r, out, http_status(why->rc), template_name, v, e);
    if (rc != RC_OK)
        return rc;
    struct form_sent sent = {r->path, r->route ? r->route->fields : NULL, r->fields, wrong_field(r, why)};
    form_again(r->arena, &sent, &out->body);
    return RC_OK;
}

enum rc page_question(
    struct req *r, struct resp *out, const struct page_question *q, const struct err *why, struct err *e)
{
    struct view *v;
    enum rc rc = page_view(r, q->title, AT_NONE, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    view_text(v, "title", q->title);
    view_text(v, "text", q->text);
    view_text(v, "action", q->action);
    view_text(v, "danger_label", q->yes ? q->yes : lang_text(r->lang, "script_later.delete"));
    view_text(v, "cancel_url", q->cancel_url);
    struct view *fields = view_list(v, "fields");
    if (req_has(r, F_BACK)) {
        struct view *back = view_item(fields);
        view_text(back, "name", field_name(F_BACK));
        view_text(back, "value", req_text(r, F_BACK));
    }
    return why ? page_problem(r, out, "confirm", v, why, e) : resp_page(r, out, 200, "confirm", v, e);
}

enum rc page_done(struct resp *out, const char *path, const char *what)
{
    resp_redirect(out, "%s%cdone=%s", path, strchr(path, '?') ? '&' : '?', what);
    return RC_OK;
}

enum rc page_deleted(
    const struct req *r, struct resp *out, const char *path, const char *what, const char *entry)
{
    bool keeps = r->web->config->trash.days > 0;
    return page_done(out, path, keeps ? arena_printf(r->arena, "%s.%s", what, entry) : what);
}

enum rc page_restored(
    const struct req *r, struct resp *out, const char *path, const char *session, int64_t message)
{
    const char *what = message
                           ? arena_printf(r->arena, "message_restored.%s.%lld", session, (long long)message)
                           : arena_printf(r->arena, "restored.%s", session);
    return page_done(out, path, what);
}

enum rc page_undoable(const struct req *r, struct resp *out, const char *path, int64_t id, const char *what)
{
    char sign = strchr(path, '?') ? '&' : '?';
    return page_done(
        out, arena_printf(r->arena, "%s%c%s=%lld", path, sign, field_name(F_UNDO), (long long)id), what);
}

enum rc page_again(struct req *r, struct resp *out, page_form *form, const struct err *why, struct err *e)
{
    if (page_can_say(why->rc))
        return form(r, out, why, e);
    *e = *why;
    return why->rc;
}

/* "//host" and "/\host" are addresses of other hosts. A fragment would hide what page_done() appends. */
bool path_is_local(struct str path)
{
    if (path.len == 0 || path.s[0] != '/' || path.len > PAGE_PATH_MAX)
        return false;
    if (path.len > 1 && (path.s[1] == '/' || path.s[1] == '\\'))
        return false;
    for (size_t i = 0; i < path.len; i++)
        if (path.s[i] <= ' ' || path.s[i] > '~' || path.s[i] == '#' || path.s[i] == '\\')
            return false;
    return true;
}

const char *page_list_path(const struct req *r, const char *path)
{
    static const enum field of_notice[] = {F_DONE, F_UNDO, F_AT};
    const char *referer = req_param(r, "HTTP_REFERER"), *host = referer ? strstr(referer, "://") : NULL;
    const char *at = host ? strchr(host + strlen("://"), '/') : NULL;
    size_t n = strlen(path);
    if (!at || strncmp(at, path, n) != 0 || at[n] != '?')
        return path;
    const char *list = path;
    for (struct str rest = str_of(at + n + 1); rest.s;) {
        struct str part = str_cut(&rest, '&'), value = part, name = str_cut(&value, '=');
        bool keeps = part.len > 0;
        for (size_t i = 0; i < ARRAY_LEN(of_notice); i++)
            keeps = keeps && !str_is(name, field_name(of_notice[i]));
        if (keeps)
            list = arena_printf(r->arena, "%s%c%.*s", list, list == path ? '?' : '&', STR_FMT(part));
    }
    return path_is_local(str_of(list)) ? list : path;
}

const char *page_local_path(const struct req *r, enum field field, const char *otherwise)
{
    return path_is_local(req_str(r, field)) ? req_text(r, field) : otherwise;
}
