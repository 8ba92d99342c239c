#include "web/page/wrong_form.h"

#define DETAILS_DEEP_MAX 8

#define INVALID   " aria-invalid=\"true\" autofocus"
#define DESCRIBED " aria-describedby=\""
#define AUTOFOCUS " autofocus"

static bool begins(const char *at, const char *with)
{
    return strncmp(at, with, strlen(with)) == 0;
}

/* The last `what` before `end`. NULL: none. */
static const char *last_before(const char *from, const char *end, const char *what)
{
    const char *last = NULL;
    for (const char *at = from; (at = strstr(at, what)) && at < end; at++)
        last = at;
    return last;
}

/* The start tag of the control between two places. NULL: none. */
static const char *control_in(const char *from, const char *end, const char *name)
{
    for (const char *at = from; (at = strstr(at, name)) && at < end; at++) {
        const char *tag = last_before(from, at, "<"), *close = strchr(at, '>');
        if (!tag || !close)
            continue;
        const char *hidden = strstr(tag, " type=\"hidden\"");
        if ((begins(tag, "<input") && !(hidden && hidden < close)) || begins(tag, "<textarea") ||
            begins(tag, "<select"))
            return tag;
    }
    return NULL;
}

/* The control in one of the forms of which the form itself or a button posts to the path. */
static const char *find_control(struct arena *a, const char *page, struct str path, const char *field)
{
    const char *action = arena_printf(a, "action=\"%.*s", (int)path.len, path.s);
    const char *name = arena_printf(a, " name=\"%s\"", field);
    for (const char *at = page; (at = strstr(at, action)); at++) {
        const char *form = last_before(page, at, "<form"), *end = strstr(at, "</form>");
        if (!form || !end || !strchr("\"?", at[strlen(action)]))
            continue;
        const char *control = control_in(form, end, name);
        if (control)
            return control;
    }
    return NULL;
}

/* The closed <details> around a place, outermost first. */
static size_t details_around(const char *page, const char *place, const char *open[DETAILS_DEEP_MAX])
{
    size_t n = 0;
    for (const char *at = page; (at = strchr(at, '<')) && at < place; at++) {
        if (begins(at, "<details") && n < DETAILS_DEEP_MAX)
            open[n++] = at;
        else if (begins(at, "</details") && n)
            n--;
    }
    size_t closed = 0;
    for (size_t i = 0; i < n; i++) {
        const char *is_open = strstr(open[i], " open");
        if (!is_open || is_open > strchr(open[i], '>'))
            open[closed++] = open[i];
    }
    return closed;
}

/* Whether a place is between the attributes of a tag, and not in a text or a value. */
static bool in_tag(const char *page, const char *at)
{
    size_t quotes = 0;
    while (at-- > page && *at != '<' && *at != '>')
        quotes += *at == '"';
    return at >= page && *at == '<' && quotes % 2 == 0;
}

/* Appends a part of the page without its autofocus: the first one of a page counts. */
static void add_part(struct strbuf *out, const char *page, const char *from, const char *end)
{
    for (const char *at = from; (at = strstr(at, AUTOFOCUS)) && at < end; at += strlen(AUTOFOCUS)) {
        if (!in_tag(page, at))
            continue;
        strbuf_add(out, from, (size_t)(at - from));
        from = at + strlen(AUTOFOCUS);
    }
    strbuf_add(out, from, (size_t)(end - from));
}

static void add_control(struct strbuf *out, const char *page, const char *tag, const char *close)
{
    const char *names = tag + strcspn(tag, " >"), *described = strstr(tag, DESCRIBED);
    strbuf_add(out, tag, (size_t)(names - tag));
    strbuf_adds(out, INVALID DESCRIBED WRONG_FORM_MESSAGE);
    if (described && described < close) {
        const char *ids = described + strlen(DESCRIBED), *end = strchr(ids, '"') + 1;
        strbuf_addc(out, ' ');
        strbuf_add(out, ids, (size_t)(end - ids));
        add_part(out, page, names, described);
        names = end;
    } else {
        strbuf_addc(out, '"');
    }
    add_part(out, page, names, close);
}

void wrong_form_mark(struct arena *a, struct str path, const char *field, struct strbuf *page)
{
    if (page->failed || page->len == 0)
        return;
    const char *old = arena_strndup(a, page->s, page->len), *from = old, *end = old + page->len;
    const char *control = find_control(a, old, path, field), *open[DETAILS_DEEP_MAX];
    if (!control)
        return;
    size_t open_n = details_around(old, control, open);
    strbuf_clear(page);
    for (size_t i = 0; i < open_n; i++) {
        const char *name_end = open[i] + strlen("<details");
        add_part(page, old, from, name_end);
        strbuf_adds(page, " open");
        from = name_end;
    }
    add_part(page, old, from, control);
    const char *close = strchr(control, '>');
    add_control(page, old, control, close);
    add_part(page, old, close, end);
}
