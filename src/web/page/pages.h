/*
 * The program `pages`: everything that is HTML and no running answer. Handlers, and what they share: the
 * frame of a page, notices after a redirect, forms that come back with a problem, addresses that came from
 * outside.
 */
#ifndef ALFRED_WEB_PAGES_H
#define ALFRED_WEB_PAGES_H

#include "web/http/request.h"
#include "web/http/web.h"

extern const struct web_program pages_program;

/* Where the reader is, for the marks in the sidebar. */
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

/* What a person can mend comes back on the form itself; anything else is an error page. */
bool page_can_say(enum rc rc);

/* Shows the form again: sets "problem" in `v`, the status and Retry-After by `why`. */
enum rc page_problem(struct req *r, struct resp *out, const char *template_name, struct view *v,
    const struct err *why, struct err *e);

/* 303 to a local path with ?done=`what`, one of the words of notices[] in pages.c. */
void page_done(struct resp *out, const char *path, const char *what);

/* `field` when it is a path of ours, else `otherwise`: nobody can send people elsewhere with a link. */
const char *page_local_path(const struct req *r, enum field field, const char *otherwise);
bool path_is_local(struct str path);

#define PAGE_PATH_MAX 900 /* characters of F_NEXT and F_BACK, below what a redirect takes */

/* Chat. What could not be done is said above the box, and the text that was not taken stands in it again. */
struct chat_trouble {
    const struct err *why;
    const char *text;
    bool retry; /* sending the box again is what the person wanted */
};
/* The session of the path ("new" too); `trouble` NULL: none. */
enum rc page_chat_show(struct req *r, struct resp *out, const struct chat_trouble *trouble, struct err *e);
route_handler page_new, page_session;

/* Sessions and messages */
route_handler page_sessions, page_rename, page_pin, page_unpin, page_delete_ask, page_delete;
route_handler page_summary, page_summary_ask;
route_handler page_compact, page_compaction;
route_handler page_message_text, page_message_delete_ask, page_message_delete;

/* Memory */
route_handler page_memory, page_memory_add, page_memory_change, page_memory_delete, page_memory_restore;
route_handler page_suggestion_keep, page_suggestions_keep, page_suggestion_dismiss;
route_handler page_memory_pause, page_memory_resume, page_memory_clear_ask, page_memory_clear;
route_handler page_confirm;

/* The to-do list */
route_handler page_tasks, page_task_add, page_task_change, page_task_done, page_task_reopen;
route_handler page_task_delete, page_task_restore, page_tasks_clear, page_tasks_restore;

/* Doors */
route_handler page_signin, page_signin_post, page_signout, page_welcome, page_welcome_post;

route_handler page_account, page_password, page_revoke, page_revoke_others;
route_handler page_users, page_user_add, page_user_link, page_user_disable, page_user_enable, page_user_role;
route_handler page_jobs, page_job_retry;
route_handler page_connect;
route_handler page_search;

/* Exports and imports */
route_handler page_data, page_data_export, page_data_import, page_data_delete, page_data_file;

#endif
