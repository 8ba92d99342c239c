#include "web/library/library_view.h"

#include "web/http/resource.h"
#include "web/http/web.h"

struct library_reader library_reader(const struct req *r)
{
    return (struct library_reader){r->who.user_id, r->who.role == USER_ADMIN};
}

void library_resource(struct arena *a, struct view *v, enum library_kind kind, const struct library_entry *x,
    struct library_reader of)
{
    view_text(v, "id", id_text(a, x->id));
    view_text(v, "name", x->name);
    view_str(v, "text", x->text);
    view_bool(v, "shared", x->shared);
    view_bool(v, "own", x->owner == of.user_id);
    view_bool(v, "can_change", x->owner == of.user_id || (x->shared && of.admin));
    if (kind != LIBRARY_PERSONA)
        return;
    view_text(v, "choice", x->choice);
    view_text(v, "temperature", temperature_text(a, x->temperature));
    view_text(v, "tools", x->tools ? x->tools : "memory tasks sessions connected");
}

enum rc library_read(
    const struct req *r, enum library_kind kind, struct library_entry **out, size_t *n, struct err *e)
{
    struct db *db = store_read(r->web->store);
    enum rc rc = store_library_list(db, r->arena, r->who.user_id, kind, out, n, e);
    store_read_done(r->web->store, db);
    return rc;
}

enum rc personas_view(const struct req *r, struct view *v, int64_t selected, struct err *e)
{
    struct library_entry *list;
    size_t n;
    enum rc rc = library_read(r, LIBRARY_PERSONA, &list, &n, e);
    if (rc != RC_OK)
        return rc;
    view_bool(v, "any_personas", n > 0);
    view_bool(v, "has_options", n > 0 || providers_list(r->web->providers)->n > 1);
    struct view *personas = view_list(v, "personas");
    for (size_t i = 0; i < n; i++) {
        struct view *item = view_item(personas);
        view_text(item, "value", id_text(r->arena, list[i].id));
        view_text(item, "name", list[i].name);
        view_text(item, "choice", list[i].choice);
        view_bool(item, "selected", list[i].id == selected);
    }
    return RC_OK;
}
