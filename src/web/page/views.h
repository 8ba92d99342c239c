/* Shared by all pages: the frame, the row of a session, times. */
#ifndef ALFRED_WEB_PAGE_VIEWS_H
#define ALFRED_WEB_PAGE_VIEWS_H

#include "store/session/session.h"
#include "web/http/request.h"

/* Adds the values of the layout: title, user, csrf, nonce. */
void page_common_view(struct req *r, struct view *v, const char *title);

/* `title`, or the label of a session without a title. */
const char *session_title(const struct lang *l, const char *title);

/* The name of a channel for people; of a later one, its own name. */
const char *channel_label(const struct req *r, const char *channel);

/* A session of the sidebar. The sidebar is on every page, so its rows contain nothing else. The texts of `s`
 * live as long as the view. */
void session_row_view(const struct lang *l, struct view *v, const struct session *s);

/* A time in words: relative and exact. `a` is the arena of the view. view_at() of resource.h writes its RFC
 * 3339 form. */
void view_time_words(struct arena *a, struct view *v, const struct locale *l, const char *words_key,
    const char *exact_key, int64_t at);
void view_created_words(struct arena *a, struct view *v, const struct locale *l, int64_t at);

/* A time in three forms: RFC 3339, relative in words, and exact in words. */
void view_time(struct arena *a, struct view *v, const struct locale *l, const char *iso_key,
    const char *words_key, const char *exact_key, int64_t at);
/* created_at, created_words, created_exact. */
void view_created(struct arena *a, struct view *v, const struct locale *l, int64_t at);

#endif
