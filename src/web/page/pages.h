/*
 * The program `pages`: all HTML except running answers. This file has handlers and their shared parts: the
 * frame of a page, notices after a redirect, forms shown again with a problem, and links of other sites.
 */
#ifndef ALFRED_WEB_PAGE_PAGES_H
#define ALFRED_WEB_PAGE_PAGES_H

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
    AT_MEMORY,
    AT_TASKS
};

/* A view with the frame: title, user, sidebar (`current` session marked, 0: none) when signed in, and the
 * notice that F_DONE asks for. */
enum rc page_view(struct req *r, const char *title, enum page_place place, int64_t current, struct view **out,
    struct err *e);

/* Whether a person can correct this: then the form shows the error, else there is an error page. */
bool page_can_say(enum rc rc);

/* Shows the form again: sets "problem" in `v`, the status and Retry-After by `why`. */
enum rc page_problem(struct req *r, struct resp *out, const char *template_name, struct view *v,
    const struct err *why, struct err *e);

/* 303 to a local path with ?done=`what`, one of the words of notices[] in pages.c. Always RC_OK, so that a
 * handler can end with it. */
enum rc page_done(struct resp *out, const char *path, const char *what);

/* Shows a form; `why` is the error that its last submission met, NULL when there was none. */
typedef enum rc page_form(struct req *r, struct resp *out, const struct err *why, struct err *e);

/* A submission failed with `why`: the form again if the person can correct that, else an error page. */
enum rc page_again(struct req *r, struct resp *out, page_form *form, const struct err *why, struct err *e);

/* `field` when it is a path of ours, else `otherwise`: nobody can send people elsewhere with a link. */
const char *page_local_path(const struct req *r, enum field field, const char *otherwise);
bool path_is_local(struct str path);

#define PAGE_PATH_MAX 900 /* characters of F_NEXT and F_BACK, below what a redirect takes */

/* A page that asks before something is deleted. */
struct page_question {
    const char *title, *text, *action, *cancel_url;
};

/* The question as a page; F_BACK is sent on. `why`: the answer was yes, but it could not be done (NULL: not
 * tried yet). */
enum rc page_question(
    struct req *r, struct resp *out, const struct page_question *q, const struct err *why, struct err *e);

#endif
