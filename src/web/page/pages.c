#include "web/page/pages.h"

#include "web/http/respond.h"
#include "web/page/sidebar.h"
#include "web/page/views.h"

/* The notices after redirects. The address contains the key, never the sentence. */
static const struct {
    const char *word, *sentence;
} notices[] = {
    {"renamed", "The title is saved."},
    {"session_saved", "Title and workspace are saved."},
    {"deleted", "The session is deleted."},
    {"pinned", "The session is pinned."},
    {"unpinned", "The session is no longer pinned."},
    {"archived", "The session is archived. A new message brings it back."},
    {"unarchived", "The session is back in the list."},
    {"summary_asked", "The summary is being written."},
    {"compact_asked", "This conversation is being compacted. You can continue writing."},
    {"job_retried", "The job will be retried."},
    {"skipped_retried", "The texts without a vector will be retried."},
    {"saved", "The message is saved."},
    {"message_deleted", "The message is deleted."},
    {"settings_saved", "Your settings are saved."},
    {"answers_saved", "The settings of this chat are saved."},
    {"library_saved", "Saved."},
    {"library_deleted", "Deleted."},
    {"password", "The password is changed. You are signed out everywhere else."},
    {"revoked", "That device is signed out."},
    {"revoked_others", "You are signed out everywhere else."},
    {"disabled", "The user is disabled and signed out everywhere."},
    {"enabled", "The user is enabled."},
    {"role", "The role is changed."},
    {"export_asked", "The export is being written."},
    {"import_asked", "The file is uploaded. The import is running."},
    {"transfer_deleted", "The export or import is deleted."},
    {"memory_added", "The fact is added."},
    {"memory_known", "The fact was known. The new wording is saved."},
    {"memory_saved", "The fact is saved."},
    {"memory_deleted", "The fact is deleted. You can undo that for an hour."},
    {"memory_restored", "The fact is restored."},
    {"memory_paused", "The memory is paused."},
    {"memory_resumed", "The memory is resumed."},
    {"memory_cleared", "All facts are deleted."},
    {"suggestions_kept", "All suggestions are saved as facts."},
    {"suggestion_done", "Done."},
    {"suggestion_dismissed", "The suggestion is dismissed and will not be suggested again."},
    {"task_added", "The task is on your list."},
    {"task_saved", "The task is saved."},
    {"task_done", "The task is completed."},
    {"task_reopened", "The task is open again."},
    {"task_deleted", "The task is deleted. You can undo that for an hour."},
    {"task_restored", "The task is restored."},
    {"tasks_cleared", "The completed tasks are deleted. You can undo that for an hour."},
    {"tasks_restored", "The completed tasks are restored."},
};

static const char *const places[] = {
    [AT_CHAT] = "on_chat",
    [AT_SESSIONS] = "on_sessions",
    [AT_SEARCH] = "on_search",
    [AT_ACCOUNT] = "on_account",
    [AT_USERS] = "on_users",
    [AT_JOBS] = "on_jobs",
    [AT_MEMORY] = "on_memory",
    [AT_TASKS] = "on_tasks",
    [AT_SETTINGS] = "on_settings",
};

static const char *notice(const struct req *r)
{
    for (size_t i = 0; i < ARRAY_LEN(notices); i++)
        if (str_is(req_str(r, F_DONE), notices[i].word))
            return notices[i].sentence;
    return NULL;
}

enum rc page_view(struct req *r, const char *title, enum page_place place, int64_t current, struct view **out,
    struct err *e)
{
    struct view *v = view_new(r->arena);
    view_page_common(r, v, title);
    view_text(v, "flash", r->method == HTTP_GET ? notice(r) : NULL);
    if (place != AT_NONE)
        view_bool(v, places[place], true);
    *out = v;
    return r->signed_in ? sidebar_view(r, v, current, e) : RC_OK;
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
    return resp_page(r, out, http_status(why->rc), template_name, v, e);
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
    view_text(v, "danger_label", "Delete");
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

const char *page_local_path(const struct req *r, enum field field, const char *otherwise)
{
    return path_is_local(req_str(r, field)) ? req_text(r, field) : otherwise;
}
