#include "web/http/form_files.h"

#include "base/strbuf.h"
#include "codec/multipart.h"

struct reading {
    struct arena *arena;
    form_field_fn *field;
    void *arg;
    struct form_files *files;
    bool is_file;
    struct str name; /* of the field or file that is read now */
    struct strbuf value;
};

/* Browsers write three characters of a name as %22, %0D and %0A, and no others. */
static struct str decode_name(struct arena *a, struct str raw)
{
    char *to = arena_alloc(a, raw.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < raw.len; i++) {
        struct str rest = str_from(raw, i);
        bool quote = str_starts(rest, STR("%22"));
        bool line = str_starts_nocase(rest, STR("%0D")) || str_starts_nocase(rest, STR("%0A"));
        to[n++] = quote ? '"' : line ? ' ' : raw.s[i];
        i += quote || line ? 2 : 0;
    }
    return (struct str){to, n};
}

static enum rc on_part(void *arg, struct str name, struct str filename, struct err *e)
{
    struct reading *r = arg;
    r->is_file = filename.s != NULL;
    r->name = r->is_file ? decode_name(r->arena, filename) : arena_str(r->arena, name);
    strbuf_clear(&r->value);
    if (r->is_file && r->files->n == FORM_FILES_MAX)
        return err_say(e, RC_TOO_BIG, "form.unreadable");
    return RC_OK;
}

static enum rc on_data(void *arg, struct str piece, struct err *e)
{
    struct reading *r = arg;
    strbuf_addstr(&r->value, piece);
    return r->value.failed ? err_say(e, RC_TOO_BIG, "form.unreadable") : RC_OK;
}

static enum rc on_end(void *arg, struct err *e)
{
    struct reading *r = arg;
    struct str value = arena_str(r->arena, strbuf_str(&r->value));
    if (!r->is_file)
        return r->field(r->arg, r->name, value, e);
    if (r->name.len || value.len)
        r->files->list[r->files->n++] = (struct form_file){r->name, value};
    return RC_OK;
}

enum rc form_files_read(struct arena *a, const char *content_type, struct str body, form_field_fn *field,
    void *arg, struct form_files **out, struct err *e)
{
    static const struct multipart_ops ops = {on_part, on_data, on_end};
    struct reading r = {.arena = a, .field = field, .arg = arg, .files = arena_alloc(a, sizeof *r.files)};
    AUTO(multipart) form = multipart_new(str_of(content_type ? content_type : ""), &ops, &r);
    if (!form)
        return err_say(e, RC_UNSUPPORTED, "upload.wants_form");
    strbuf_init(&r.value, body.len + 1);
    enum rc rc = multipart_feed(form, body, e);
    if (rc == RC_OK)
        rc = multipart_end(form, e);
    strbuf_release(&r.value);
    *out = r.files;
    return rc;
}
