#include "web/channel/refused_view.h"

#include <string.h>

#include "base/clock.h"
#include "base/humanize.h"
#include "store/channel/problem.h"
#include "web/http/resource.h"
#include "web/page/views.h"

static const char *problem_words(const struct req *r, const struct channel_problem *p)
{
    const struct lang_arg *args = LANG_ARGS({"label", channel_label(r, p->channel)});
    return strcmp(p->task, CHANNEL_SENDS) == 0 ? lang_fill(r->arena, r->lang, "outbox.refused_send", args)
                                               : lang_fill(r->arena, r->lang, "outbox.refused_fetch", args);
}

/* The time of the next attempt; NULL: now. */
static const char *next_words(const struct req *r, const struct channel_problem *p)
{
    const struct locale l = req_locale(r);
    return p->next_at < r->now + MS_PER_S ? NULL : humanize_until(r->arena, &l, p->next_at);
}

static void view_problem(const struct req *r, struct view *v, const struct channel_problem *p)
{
    view_text(v, "label", channel_label(r, p->channel));
    view_text(v, "words", problem_words(r, p));
    view_text(v, "reason", p->error);
    view_text(v, "next", next_words(r, p));
}

static void problem_resource(const struct req *r, struct view *v, const struct channel_problem *p)
{
    view_text(v, "channel", p->channel);
    view_text(v, "label", channel_label(r, p->channel));
    view_text(v, "task", p->task);
    view_text(v, "reason", p->error);
    view_at(v, "at", p->at);
    view_at(v, "next_at", p->next_at);
}

typedef void problem_fn(const struct req *r, struct view *v, const struct channel_problem *p);

static enum rc each(const struct req *r, struct db *db, struct view *v, problem_fn *fn, struct err *e)
{
    struct channel_problem *problems;
    size_t n;
    enum rc rc = store_channel_problems(db, r->arena, &problems, &n, e);
    struct view *list = view_list(v, "problems");
    for (size_t i = 0; rc == RC_OK && i < n; i++)
        fn(r, view_item(list), &problems[i]);
    return rc;
}

enum rc refused_view(const struct req *r, struct db *db, struct view *v, struct err *e)
{
    return each(r, db, v, view_problem, e);
}

enum rc refused_resource(const struct req *r, struct db *db, struct view *v, struct err *e)
{
    return each(r, db, v, problem_resource, e);
}
