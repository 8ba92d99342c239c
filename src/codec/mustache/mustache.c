#include "codec/mustache/mustache_node.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "codec/html.h"

#define FOLDER_DEPTH_MAX 8
#define SUFFIX           ".mustache"

struct mustache_set *mustache_set_new(void)
{
    struct mustache_set *set = xcalloc(1, sizeof *set);
    set->arena = arena_new();
    return set;
}

void mustache_set_free(struct mustache_set *set)
{
    if (!set)
        return;
    for (struct mustache_template *t = set->templates; t; t = t->next)
        free(t->nodes);
    arena_free(set->arena);
    free(set);
}

struct mustache_template *mustache_slot(struct mustache_set *set, struct str name)
{
    for (struct mustache_template *t = set->templates; t; t = t->next)
        if (str_eq(t->name, name))
            return t;
    struct mustache_template *t = ARENA_NEW(set->arena, struct mustache_template);
    t->name = arena_str(set->arena, name);
    t->next = set->templates;
    set->templates = t;
    return t;
}

void mustache_set_constant(struct mustache_set *set, const char *name, const char *value)
{
    AUTO_STRBUF text;
    strbuf_init(&text, MUSTACHE_SOURCE_MAX);
    html_escape(&text, str_of(value));
    set->constant_tag = str_of(arena_printf(set->arena, "{{%s}}", name));
    set->constant_text = arena_str(set->arena, strbuf_str(&text));
}

void mustache_set_texts(struct mustache_set *set, mustache_text *text, const void *arg)
{
    set->text = text;
    set->text_arg = arg;
}

/* Copies the source into the set, with the constant inserted. */
static struct str own_source(struct mustache_set *set, struct str source)
{
    AUTO_STRBUF out;
    strbuf_init(&out, SIZE_MAX / 2);
    const struct str tag = set->constant_tag;
    while (tag.len) {
        const char *at = memmem(source.s, source.len, tag.s, tag.len);
        if (!at)
            break;
        size_t n = (size_t)(at - source.s);
        strbuf_add(&out, source.s, n);
        strbuf_addstr(&out, set->constant_text);
        source = (struct str){at + tag.len, source.len - n - tag.len};
    }
    strbuf_addstr(&out, source);
    return arena_str(set->arena, strbuf_str(&out));
}

enum rc mustache_set_add(struct mustache_set *set, const char *name, struct str source, struct err *e)
{
    if (source.len > MUSTACHE_SOURCE_MAX)
        return err_set(e, RC_TOO_BIG, "template %s has more than %d bytes", name, MUSTACHE_SOURCE_MAX);
    struct mustache_template *t = mustache_slot(set, str_of(name));
    if (t->defined)
        return err_set(e, RC_CONFLICT, "template %s is there already", name);
    if (!set->text)
        return mustache_compile(set, t, own_source(set, source), e);
    AUTO_STRBUF expanded;
    strbuf_init(&expanded, 2 * MUSTACHE_SOURCE_MAX);
    enum rc rc = mustache_texts(set, name, source, &expanded, e);
    return rc == RC_OK ? mustache_compile(set, t, own_source(set, strbuf_str(&expanded)), e) : rc;
}

static enum rc add_file(struct mustache_set *set, const char *path, const char *name, struct err *e)
{
    AUTO_STRBUF source;
    strbuf_init(&source, MUSTACHE_SOURCE_MAX);
    enum rc rc = fs_read(path, &source, e);
    return rc == RC_OK ? mustache_set_add(set, name, strbuf_str(&source), e) : rc;
}

static enum rc add_folder(
    struct mustache_set *set, const char *dir, const char *prefix, int depth, struct err *e);

static enum rc add_entry(struct mustache_set *set, const char *dir, const char *prefix, const char *entry,
    int depth, struct err *e)
{
    char path[FS_PATH_MAX];
    enum rc rc = fs_join(path, dir, entry, e);
    if (rc != RC_OK)
        return rc;
    struct stat st;
    if (stat(path, &st) < 0)
        return err_set(e, RC_IO, "stat %s: %s", path, strerror(errno));
    size_t len = strlen(entry), suffix = strlen(SUFFIX);
    bool is_template = len > suffix && strcmp(entry + len - suffix, SUFFIX) == 0;
    if (!S_ISDIR(st.st_mode) && !is_template)
        return RC_OK;
    AUTO(arena) a = arena_new();
    const char *name =
        arena_printf(a, "%s%.*s", prefix, (int)(S_ISDIR(st.st_mode) ? len : len - suffix), entry);
    if (S_ISDIR(st.st_mode))
        return add_folder(set, path, arena_printf(a, "%s/", name), depth + 1, e);
    return add_file(set, path, name, e);
}

static enum rc add_folder(
    struct mustache_set *set, const char *dir, const char *prefix, int depth, struct err *e)
{
    if (depth > FOLDER_DEPTH_MAX)
        return err_set(e, RC_TOO_BIG, "template folders are nested too deeply: %s", dir);
    DIR *d = opendir(dir);
    if (!d)
        return err_set(e, errno == ENOENT ? RC_NOT_FOUND : RC_IO, "open %s: %s", dir, strerror(errno));
    enum rc rc = RC_OK;
    for (struct dirent *entry; rc == RC_OK && (entry = readdir(d));)
        if (entry->d_name[0] != '.')
            rc = add_entry(set, dir, prefix, entry->d_name, depth, e);
    closedir(d);
    return rc;
}

enum rc mustache_set_load(struct mustache_set *set, const char *dir, struct err *e)
{
    return add_folder(set, dir, "", 0, e);
}

static bool names_markup(const struct node *n)
{
    const struct str suffix = STR("_html");
    if (!n->path_n)
        return false;
    struct str last = view_key_name(n->path[n->path_n - 1]);
    return last.len > suffix.len && memcmp(last.s + last.len - suffix.len, suffix.s, suffix.len) == 0;
}

enum rc mustache_check_raw(const struct mustache_set *set, struct err *e)
{
    for (const struct mustache_template *t = set->templates; t; t = t->next)
        for (uint32_t i = 0; i < t->n; i++)
            if (t->nodes[i].op == NODE_RAW && !names_markup(&t->nodes[i]))
                return err_set(e, RC_BAD_INPUT,
                    "template %s, line %u: the raw tag %.*s does not end in _html", t->name.s,
                    t->nodes[i].line, STR_FMT(t->nodes[i].text));
    return RC_OK;
}

enum rc mustache_check_names(const struct mustache_set *set, struct err *e)
{
    for (const struct mustache_template *t = set->templates; t; t = t->next)
        for (uint32_t i = 0; i < t->n; i++)
            if (t->nodes[i].target && !t->nodes[i].target->defined)
                return err_set(e, RC_BAD_INPUT, "template %s, line %u: there is no template %.*s", t->name.s,
                    t->nodes[i].line, STR_FMT(t->nodes[i].text));
    return RC_OK;
}
