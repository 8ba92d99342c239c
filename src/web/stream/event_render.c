#include "web/stream/event_render.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"

struct event_render *event_render_new(
    struct feeds *f, const struct web *web, const struct lang *lang, const char *turn, int64_t owner)
{
    struct event_render *j = xcalloc(1, sizeof *j);
    j->feeds = f;
    j->frame = (struct event_frame){.web = web, .lang = lang, .owner = owner, .csrf = ""};
    snprintf(j->turn, sizeof j->turn, "%s", turn);
    event_texts_init(j->text);
    return j;
}

void event_render_free(struct event_render *j)
{
    event_texts_release(j->text);
    free(j);
}

/* After a failure readers see the step at the end of the answer. */
void event_render_step(void *job)
{
    struct event_render *j = job;
    struct err e = ERR_INIT;
    if (event_step(&j->frame, j->turn, &j->step, j->text, &e) != RC_OK)
        log_error("turn %s: a step cannot be shown: %s", j->turn, e.text);
}

/* After a failure the stream closes without an end, and readers reconnect. */
void event_render_end(void *job)
{
    struct event_render *j = job;
    struct err e = ERR_INIT;
    enum rc rc = event_end(&j->frame, j->turn, j->text, &e);
    for (size_t i = 0; rc != RC_OK && i < EVENT_FORMS; i++)
        strbuf_clear(&j->text[i]);
    if (rc != RC_OK && rc != RC_CONFLICT && rc != RC_NOT_FOUND)
        log_error("turn %s: its end cannot be shown, readers reconnect: %s", j->turn, e.text);
}
