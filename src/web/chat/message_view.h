/* The views that several pages and the API share: the page's frame, session rows, messages. */
#ifndef ALFRED_WEB_VIEWS_H
#define ALFRED_WEB_VIEWS_H

#include "app/models/providers.h"
#include "store/compaction.h"
#include "store/message.h"
#include "store/session.h"
#include "web/chat/annotations.h"
#include "web/http/request.h"

/* What the layout needs: title, user, csrf, nonce. */
void view_page_common(struct req *r, struct view *v, const char *title);

/* The newest sessions by day, `current` (0: none) marked. */
enum rc view_sidebar(struct req *r, struct view *v, int64_t current, struct err *e);

/* A time three ways: created_iso, created_words, created_exact; and the same for the last use. */
void view_created(struct arena *a, struct view *v, int64_t at, int64_t now);
void view_used(struct arena *a, struct view *v, int64_t at, int64_t now);

/* A session into `v`: what a line of a list shows, and all. */
void view_session_line(struct arena *a, struct view *v, const struct session *s, int64_t now);
void view_session(struct arena *a, struct view *v, const struct session *s, int64_t now);

/* Who a message is shown to, and where. */
struct message_frame {
    struct arena *arena;
    const char *session, *csrf;
    const char *turn; /* id of the running turn, NULL: none */
    int64_t leaf;     /* where the branch ends that is shown; 0: at the head */
    int64_t now;
    const struct providers *providers;
    const struct message_notes *notes;    /* NULL: none are shown */
    const struct compaction *compactions; /* whose borders may lie above one of the messages */
    size_t compactions_n;
};

/* A message into `v`; answers are rendered from Markdown. Hostile text that would explode is shown as plain
 * text. */
void view_message(const struct message_frame *f, struct view *v, const struct message *m, bool last);

/* The provider choices into `v` (choices, one_choice, choice_label, offline); `selected` NULL: the default.
 */
void view_choices(struct view *v, const struct providers *p, const struct provider_choice *selected);

/* A message's article as HTML, through the same partial as the page. */
enum rc view_message_html(const struct web *w, const struct message_frame *f, const struct message *m,
    bool last, struct strbuf *out, struct err *e);

#endif
