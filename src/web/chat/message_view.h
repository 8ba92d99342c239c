/* Writes a message into a view, for the page, the API and the stream. */
#ifndef ALFRED_WEB_CHAT_MESSAGE_VIEW_H
#define ALFRED_WEB_CHAT_MESSAGE_VIEW_H

#include "app/models/providers.h"
#include "store/memory/compaction.h"
#include "store/message/message.h"
#include "web/chat/annotations.h"
#include "web/http/request.h"

/* The reader of a message and the place where it is shown. */
struct message_frame {
    struct arena *arena;
    struct locale locale;
    bool admin; /* may correct the settings of a provider */
    const char *session, *csrf;
    const char *turn; /* id of the running turn, NULL: none */
    int64_t leaf;     /* end of the shown branch; 0: the head */
    int64_t whole;    /* a long question that is shown completely; 0: none */
    int64_t last_id;  /* the message that is the last of the conversation, as shown; 0: none of these */
    const struct providers *providers;
    struct html_cache *html;                       /* cached HTML of finished messages */
    const struct message_annotations *annotations; /* NULL: not shown */
    const struct compaction *compactions;          /* those whose borders may be above one of the messages */
    size_t compactions_n;
};

/* Answers are rendered from Markdown. A user's text is shown as typed. */
void message_view(const struct message_frame *f, struct view *v, const struct message *m);

/* A message's article as HTML, through the same partial as the page. */
enum rc message_html(const struct web *w, const struct message_frame *f, const struct message *m,
    struct strbuf *out, struct err *e);

#endif
