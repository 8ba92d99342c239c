#include "web/summary/compaction_resource.h"

#include "codec/json/json.h"
#include "web/chat/compaction_mark.h"
#include "web/http/resource.h"
#include "web/http/web.h"
#include "web/models/models_resource.h"

#define FACTS_JSON_MAX ((size_t)256 * 1024)

enum rc compaction_find(struct req *r, struct session *s, struct compaction *c, struct err *e)
{
    int64_t owner = r->who.user_id;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_session_get(db, r->arena, owner, req_text(r, F_SESSION), s, e);
    if (rc == RC_OK)
        rc = store_compaction_get(db, r->arena, owner, s->id, req_int(r, F_COMPACTION), c, e);
    store_read_done(r->web->store, db);
    return rc;
}

static void view_facts(struct view *v, struct str facts)
{
    AUTO(json_t) all = NULL;
    struct view *list = view_list(v, "facts");
    size_t i;
    json_t *one;
    if (json_parse(facts, FACTS_JSON_MAX, &all, NULL) == RC_OK)
        json_array_foreach(all, i, one)
        {
            if (json_is_string(one))
                view_item_text(list, json_string_value(one));
        }
}

void compaction_resource(
    const struct req *r, struct view *v, const struct session *s, const struct compaction *c)
{
    struct arena *a = r->arena;
    bool by_rule = strcmp(c->provider, "offline") == 0;
    long long first = (long long)c->first_id, last = (long long)c->last_id;
    view_id(a, v, "id", c->id);
    view_text(v, "url", compaction_url(a, s->pub, c->id));
    view_text(v, "transcript_url",
        *c->transcript
            ? arena_printf(a, "/api/sessions/%s/compactions/%lld/transcript", s->pub, (long long)c->id)
            : NULL); /* an imported one */
    view_id(a, v, "first_id", c->first_id);
    view_id(a, v, "last_id", c->last_id);
    view_text(
        v, "messages_url", arena_printf(a, "/s/%s?at=%lld&message=%lld#m-%lld", s->pub, last, first, first));
    view_int(v, "messages", c->messages);
    view_int(v, "tokens_before", c->tokens_before);
    view_int(v, "tokens_after", c->tokens_after);
    view_str(v, "keep", c->keep);
    view_str(v, "text", c->text);
    view_facts(v, c->facts);
    view_bool(v, "by_rule", by_rule);
    view_text(v, "model", by_rule ? NULL : model_label(r->web->providers, r->lang, c->provider, c->model));
    view_at(v, "created_at", c->created_at);
}
