#include "web/chat/compaction_mark.h"

#include "base/humanize.h"
#include "web/chat/message_view.h"
#include "web/http/resource.h"

const char *compaction_url(struct arena *a, const char *session, int64_t id)
{
    return arena_printf(a, "/s/%s/compactions/%lld", session, (long long)id);
}

const char *compaction_numbers(struct arena *a, const struct lang *l, const struct compaction *c)
{
    return arena_printf(a, "%s → %s", humanize_number(a, l, c->tokens_before),
        lang_count(a, l, "count.tokens", c->tokens_after, NULL));
}

/* The compaction whose border is above the message; NULL: none. */
static const struct compaction *mark_of(const struct message_frame *f, const struct message *m)
{
    for (size_t i = 0; i < f->compactions_n && m->parent_id; i++)
        if (f->compactions[i].last_id == m->parent_id)
            return &f->compactions[i];
    return NULL;
}

static struct view *put_mark(const struct message_frame *f, struct view *v, const struct compaction *c)
{
    if (!c) {
        view_null(v, "compaction");
        return NULL;
    }
    struct view *mark = view_obj(v, "compaction");
    view_id(f->arena, mark, "id", c->id);
    view_text(mark, "url", compaction_url(f->arena, f->session, c->id));
    view_int(mark, "messages", c->messages);
    view_int(mark, "tokens_before", c->tokens_before);
    view_int(mark, "tokens_after", c->tokens_after);
    view_at(mark, "created_at", c->created_at);
    return mark;
}

void compaction_mark_resource(const struct message_frame *f, struct view *v, const struct message *m)
{
    put_mark(f, v, mark_of(f, m));
}

void compaction_mark_view(const struct message_frame *f, struct view *v, const struct message *m)
{
    const struct compaction *c = mark_of(f, m);
    struct view *mark = put_mark(f, v, c);
    if (!mark)
        return;
    view_text(mark, "count_words", lang_count(f->arena, f->locale.lang, "count.messages", c->messages, NULL));
    view_text(mark, "numbers_words", compaction_numbers(f->arena, f->locale.lang, c));
    view_bool(mark, "cleared", c->text.len == 0);
    view_text(mark, "when_exact", humanize_exact(f->arena, &f->locale, c->created_at));
}
