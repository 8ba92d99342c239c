#include "web/trash/trash_resource.h"

#include "base/humanize.h"
#include "web/http/resource.h"
#include "web/page/views.h"

void trash_resource(struct arena *a, struct view *v, const struct config *c, const struct trash_entry *t)
{
    view_text(v, "id", t->pub);
    view_text(v, "kind", t->message_id ? "messages" : "session");
    view_text(v, "title", t->title);
    view_text(v, "session", t->message_id ? t->from_pub : t->pub);
    view_bool(v, "session_in_trash", !t->message_id || t->from_trashed);
    view_text(v, "message", id_text(a, t->message_id));
    view_text(v, "role", !t->message_id ? NULL : t->asked ? "user" : "assistant");
    view_text(v, "text", t->message_id ? t->words : NULL);
    view_int(v, "message_count", t->messages);
    view_at(v, "deleted_at", t->trashed_at);
    view_at(v, "erased_at", trash_erased_at(c, t));
}

void trash_view(struct arena *a, struct view *v, const struct config *c, const struct locale *l,
    const struct trash_entry *t)
{
    view_text(v, "id", t->pub);
    view_text(v, "title", session_title(l->lang, t->title));
    view_bool(v, "is_message", t->message_id != 0);
    view_text(v, "words", t->words && *str_trim(str_of(t->words)).s ? t->words : NULL);
    view_text(v, "who", lang_text(l->lang, t->asked ? "trash.by_you" : "trash.by_alfred"));
    view_text(v, "count_words", lang_count(a, l->lang, "count.messages", t->messages, NULL));
    view_text(v, "session_url", t->message_id && !t->from_trashed ? session_url(a, t->from_pub) : NULL);
    view_time(a, v, l, "deleted_at", "deleted_words", "deleted_exact", t->trashed_at);
    view_at(v, "erased_at", trash_erased_at(c, t));
    view_text(v, "erased_exact", humanize_exact(a, l, trash_erased_at(c, t)));
}

const char *trash_key_text(struct arena *a, const struct trash_entry *last)
{
    return arena_printf(a, "%lld.%lld", (long long)last->trashed_at, (long long)last->session_id);
}

bool trash_key_parse(struct str text, struct trash_key *out)
{
    struct str at = str_cut(&text, '.');
    return text.s && str_to_int(at, 1, INT64_MAX, &out->trashed_at) &&
           str_to_int(text, 1, INT64_MAX, &out->session_id);
}
