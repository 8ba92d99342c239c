#include "web/library/workspace_file_view.h"

#include "base/humanize.h"
#include "web/http/resource.h"
#include "web/http/web.h"
#include "web/page/views.h"

void workspace_file_resource(struct arena *a, struct view *v, const struct workspace_file *x)
{
    view_id(a, v, "id", x->id);
    view_text(v, "workspace", x->workspace);
    view_text(v, "name", x->name);
    view_int(v, "bytes", x->bytes);
    view_int(v, "lines", x->lines);
    view_at(v, "created_at", x->created_at);
    view_at(v, "changed_at", x->changed_at);
    view_text(v, "url", workspace_file_url(a, x->id));
}

enum rc workspace_file_saved(struct req *r, struct resp *out, int64_t id, bool added, struct err *e)
{
    struct workspace_file x;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_workspace_file_get(db, r->arena, r->who.user_id, id, &x, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    workspace_file_resource(r->arena, view_obj(v, "file"), &x);
    return resp_json(out, added ? 201 : 200, v, e);
}

void workspace_file_view(const struct req *r, struct view *v, const struct workspace_file *x)
{
    struct locale l = req_locale(r);
    view_id(r->arena, v, "id", x->id);
    view_text(v, "name", x->name);
    view_text(v, "size_words", humanize_bytes(r->arena, r->lang, x->bytes, LANG_ROUND_UP));
    view_text(v, "lines_words", lang_count(r->arena, r->lang, "file.lines", x->lines, NULL));
    view_time(r->arena, v, &l, "changed_at", "changed_words", "changed_exact", x->changed_at);
}

enum rc workspace_files_view(const struct req *r, struct view *v, const char *workspace, struct err *e)
{
    struct workspace_file *list;
    size_t n;
    int64_t bytes = 0;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_workspace_files(db, r->arena, r->who.user_id, workspace, &list, &n, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    struct view *files = view_list(v, "files");
    for (size_t i = 0; i < n; i++) {
        workspace_file_view(r, view_item(files), &list[i]);
        bytes += list[i].bytes;
    }
    view_bool(v, "any_files", n > 0);
    view_text(v, "files_words",
        lang_count(r->arena, r->lang, "file.count", (int64_t)n,
            LANG_ARGS({"size", humanize_bytes(r->arena, r->lang, bytes, LANG_ROUND_UP)})));
    view_int(v, "most_files", WORKSPACE_FILES_MAX);
    view_int(v, "file_bytes", WORKSPACE_FILE_BYTES_MAX);
    view_text(v, "file_size", humanize_bytes(r->arena, r->lang, WORKSPACE_FILE_BYTES_MAX, LANG_ROUND_DOWN));
    view_text(v, "all_size", humanize_bytes(r->arena, r->lang, WORKSPACE_FILES_BYTES_MAX, LANG_ROUND_DOWN));
    return RC_OK;
}
