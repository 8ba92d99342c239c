/* What the handlers of all pages share: the frame of a page, notices after a redirect, forms shown again with
 * a problem, and confirmation pages. */
#ifndef ALFRED_WEB_PAGE_PAGES_H
#define ALFRED_WEB_PAGE_PAGES_H

#include "store/session/session.h"
#include "web/http/request.h"
#include "web/http/web.h"

/* The current page, for the marks in the sidebar. */
enum page_place {
    AT_NONE,
    AT_CHAT,
    AT_SESSIONS,
    AT_SEARCH,
    AT_ACCOUNT,
    AT_USERS,
    AT_JOBS,
    AT_TELEGRAM,
    AT_OUTBOX,
    AT_MEMORY,
    AT_TASKS,
    AT_SETTINGS,
    AT_LIBRARY,
    AT_TAGS,
    AT_REMINDERS,
    AT_TRASH,
    AT_DATA,
    AT_SHARES
};

/* A view with the frame: title, user, sidebar (session `current` marked, 0: none) when signed in, and the
 * notice that F_DONE names, with a button that undoes it (page_deleted(), page_undoable()) or a link to what
 * is restored (page_restored()). */
enum rc page_view(struct req *r, const char *title, enum page_place place, int64_t current, struct view **out,
    struct err *e);

/* page_view() of a page about a session. `key`: the title, a text with the session's {title}. */
enum rc page_about(struct req *r, const char *key, const struct session *s, struct view **out, struct err *e);

/* True when the user can correct this error: the form shows it. Otherwise an error page does. */
bool page_can_say(enum rc rc);

/* Shows the form again: sets "problem" in `v`, the status and Retry-After by `why`, gives the form what was
 * sent, and marks the wrong field (form_again.h). */
enum rc page_problem(struct req *r, struct resp *out, const char *template_name, struct view *v,
    const struct err *why, struct err *e);

/* Redirects (303) to a local path with ?done=`what`, a word of notices[] in pages.c. Always RC_OK, so that
 * a handler can end with it. */
enum rc page_done(struct resp *out, const char *path, const char *what);

/* The same after something went to the trash: the notice has a button that restores the entry. */
enum rc page_deleted(
    const struct req *r, struct resp *out, const char *path, const char *what, const char *entry);

/* The same after a session came back from the trash, or from `message` on (0: all of it): the notice has a
 * link to it. */
enum rc page_restored(
    const struct req *r, struct resp *out, const char *path, const char *session, int64_t message);

/* The same after a row was deleted, or a task completed: the page has a button that undoes it (F_UNDO). */
enum rc page_undoable(const struct req *r, struct resp *out, const char *path, int64_t id, const char *what);

/* Shows a form. `why` is the error of its last submission, NULL: none. */
typedef enum rc page_form(struct req *r, struct resp *out, const struct err *why, struct err *e);

/* After a submission that failed with `why`: the form again if the user can correct the error, else an
 * error page. */
enum rc page_again(struct req *r, struct resp *out, page_form *form, const struct err *why, struct err *e);

/* Where a form in the list at `path` leads back to: the list with the filter and the page that the browser
 * shows (Referer), without the notice of an earlier change. */
const char *page_list_path(const struct req *r, const char *path);

/* `field` when it is a local path, else `otherwise`: a link cannot redirect users to other sites. */
const char *page_local_path(const struct req *r, enum field field, const char *otherwise);
bool path_is_local(struct str path);

#define PAGE_PATH_MAX 900 /* characters of F_NEXT and F_BACK, below the limit of a redirect */

/* A page that asks for confirmation of a deletion. */
struct page_question {
    const char *title, *text, *action, *cancel_url;
    const char *yes; /* NULL: "Delete" */
};

/* Shows the question as a page. F_BACK is passed on. `why`: the error after a yes, NULL: not answered yet. */
enum rc page_question(
    struct req *r, struct resp *out, const struct page_question *q, const struct err *why, struct err *e);

#endif
