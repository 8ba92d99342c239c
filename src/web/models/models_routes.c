/* How to connect a model, and which ones are. */
#include "web/page/pages.h"

static const struct {
    const char *kind, *words;
} kinds[] = {{"openai", "OpenAI's language"}, {"anthropic", "Anthropic"}};

static const char *kind_words(const char *kind)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (strcmp(kinds[i].kind, kind) == 0)
            return kinds[i].words;
    return kind;
}

enum rc page_connect(struct req *r, struct resp *out, struct err *e)
{
    struct view *v;
    const struct providers *p = r->web->providers;
    enum rc rc = page_view(r, "Connect a model", AT_NONE, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    view_bool(v, "offline", strcmp(providers_default(p)->kind, "offline") == 0);
    struct view *list = view_list(v, "connected");
    for (size_t i = 0; i < p->n; i++) {
        if (strcmp(p->choices[i].kind, "offline") == 0)
            continue;
        struct view *row = view_item(list);
        view_text(row, "label", p->choices[i].label);
        view_text(row, "kind", kind_words(p->choices[i].kind));
        view_text(row, "model", p->choices[i].model);
    }
    return resp_page(r, out, 200, "connect", v, e);
}
