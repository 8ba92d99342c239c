#include "web/page/reading_view.h"

#include "base/clock.h"
#include "base/humanize.h"
#include "web/page/markdown_view.h"
#include "web/page/tool_view.h"
#include "web/picture/picture_resource.h"

#define PICTURE_WIDTH  640 /* pixels at most */
#define PICTURE_HEIGHT 480

static const char *note_of(struct arena *a, const struct lang *l, const struct message *m)
{
    if (m->error)
        return said_words(a, l, m->error);
    return m->status == MESSAGE_STOPPED       ? lang_text(l, "message.stopped")
           : m->status == MESSAGE_INTERRUPTED ? lang_text(l, "message.interrupted")
                                              : NULL;
}

static void view_pictures(struct arena *a, struct view *v, const struct reading *r, const struct message *m)
{
    struct view *list = view_list(v, "pictures");
    view_bool(v, "has_pictures", m->pictures_n > 0);
    view_bool(v, "has_text", m->text.len > 0 || m->pictures_n == 0);
    for (size_t i = 0; i < m->pictures_n; i++) {
        const struct picture *p = &m->pictures[i];
        struct view *item = view_item(list);
        view_text(item, "url",
            r->pictures ? arena_printf(a, "%s%s", r->pictures, p->pub)
                        : arena_printf(a, "data:%s;base64,", p->media_type));
        view_text(item, "alt", p->alt);
        picture_view_fit(item, p, PICTURE_WIDTH, PICTURE_HEIGHT);
    }
}

bool reading_has_text(const struct reading *r, const struct message *m)
{
    return m->role == ROLE_TOOL || m->text.len > 0 || m->pictures_n > 0 || m->error ||
           (r->reasoning && m->reasoning.len > 0);
}

void reading_view(
    struct arena *a, struct view *v, const struct reading *r, const struct message *m, size_t place)
{
    const struct lang *l = r->locale->lang;
    char at[CLOCK_RFC3339_SIZE];
    clock_rfc3339(m->created_at, at);
    view_int(v, "place", (int64_t)place);
    view_text(v, "role", message_role_name(m->role));
    view_bool(v, "is_user", m->role == ROLE_USER);
    view_bool(v, "is_assistant", m->role == ROLE_ASSISTANT);
    view_bool(v, "is_tool", m->role == ROLE_TOOL);
    view_bool(v, "is_system", m->role == ROLE_SYSTEM);
    view_text(v, "you", r->you);
    view_text(v, "name", r->name);
    view_text(v, "model", r->models && m->role == ROLE_ASSISTANT ? m->model : NULL);
    view_text(v, "created_at", at);
    view_text(v, "created_exact", humanize_exact(a, r->locale, m->created_at));
    view_text(v, "note", note_of(a, l, m));
    view_pictures(a, v, r, m);
    if (r->reasoning && m->reasoning.len)
        view_str(v, "reasoning", m->reasoning);
    else
        view_null(v, "reasoning");
    if (m->role == ROLE_TOOL) {
        view_text(v, "tool", m->tool ? m->tool : "tool");
        tool_call_view(a, v, l, m);
    } else if (m->role == ROLE_USER)
        view_typed(v, "body_html", m->text);
    else
        view_markdown_copy(r->html, r->html_id + (int64_t)place, a, v, l, m->text);
}
