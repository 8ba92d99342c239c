/* The changes are collected first, as places of the page and what stands there instead; they do not overlap.
 * Then they are applied in the order of the page. */
#include "web/page/form_again.h"

#include <stdlib.h>

#include "codec/html.h"

#define DETAILS_DEEP_MAX  8
#define EDITS_FIRST       64
#define ESCAPED_TIMES_MAX 6 /* "&quot;" for one byte */

/* A start tag on the page: from '<' to '>'. */
struct tag {
    const char *at, *end;
};

struct edit {
    const char *from, *to;
    struct str text;
};

struct again {
    struct arena *a;
    const struct form_sent *sent;
    const char *page;
    struct edit *edits;
    size_t n, space;
};

static void edit(struct again *x, const char *from, const char *to, struct str text)
{
    if (x->n == x->space) {
        size_t space = x->space ? 2 * x->space : EDITS_FIRST;
        struct edit *more = arena_alloc(x->a, space * sizeof *more);
        if (x->n)
            memcpy(more, x->edits, x->n * sizeof *more);
        x->edits = more;
        x->space = space;
    }
    x->edits[x->n++] = (struct edit){from, to, text};
}

/* ---- tags ---- */

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

/* The space before an attribute. NULL: the tag does not have it. */
static const char *attribute_at(struct tag t, const char *name)
{
    size_t quotes = 0, n = strlen(name);
    for (const char *at = t.at; at < t.end; at++) {
        quotes += *at == '"';
        if (*at == ' ' && quotes % 2 == 0 && begins(at + 1, name) && strchr(" =>", at[1 + n]))
            return at;
    }
    return NULL;
}

/* The value as it stands on the page, escaped. s = NULL: no such attribute. */
static struct str attribute(struct tag t, const char *name)
{
    const char *at = attribute_at(t, name), *value = at ? at + 1 + strlen(name) : NULL;
    return value && begins(value, "=\"") ? (struct str){value + 2, strcspn(value + 2, "\"")}
                                         : (struct str){0};
}

static const char *attribute_end(const char *at)
{
    const char *end = at + 1 + strcspn(at + 1, " =>");
    return begins(end, "=\"") ? end + 2 + strcspn(end + 2, "\"") + 1 : end;
}

static void remove_attribute(struct again *x, struct tag t, const char *name)
{
    const char *at = attribute_at(t, name);
    if (at)
        edit(x, at, attribute_end(at), STR(""));
}

/* A control without a value gets it behind its name. */
static void set_value(struct again *x, struct tag t, struct str value)
{
    const char *old = attribute_at(t, "value"), *name_end = attribute_end(attribute_at(t, "name"));
    edit(x, old ? old : name_end, old ? attribute_end(old) : name_end,
        str_of(arena_printf(x->a, " value=\"%.*s\"", STR_FMT(value))));
}

/* An attribute without a value, such as "checked". */
static void set_flag(struct again *x, struct tag t, const char *name, bool on)
{
    if (!on)
        remove_attribute(x, t, name);
    else if (!attribute_at(t, name))
        edit(x, t.end, t.end, str_of(arena_printf(x->a, " %s", name)));
}

/* The next one of an element between two places. at = NULL: none. */
static struct tag next_tag(const char *from, const char *end, const char *element)
{
    for (const char *at = from; (at = strchr(at, '<')) && at < end; at++) {
        struct tag t = {at, strchr(at, '>')};
        if (t.end && begins(at + 1, element) && strchr(" >", at[1 + strlen(element)]))
            return t;
    }
    return (struct tag){0};
}

/* The next control that the user sees. at = NULL: none. */
static struct tag next_control(const char *from, const char *end)
{
    for (const char *at = from; (at = strchr(at, '<')) && at < end; at++) {
        struct tag t = {at, strchr(at, '>')};
        bool is_input = begins(at, "<input ");
        if (t.end && (is_input || begins(at, "<textarea ") || begins(at, "<select ")) &&
            !(is_input && str_is(attribute(t, "type"), "hidden")))
            return t;
    }
    return (struct tag){0};
}

/* ---- the form ---- */

static const struct field_rule *rule_of(const struct form_sent *sent, struct tag control)
{
    enum field f = field_by_name(attribute(control, "name"));
    return f && sent->rules ? field_rule_find(sent->rules, f) : NULL;
}

static bool is_wrong(const struct form_sent *sent, struct tag control)
{
    return sent->wrong && str_is(attribute(control, "name"), sent->wrong);
}

/* The number of controls between two places whose field was sent or is wrong. */
static size_t fields_met(const struct form_sent *sent, const char *from, const char *end)
{
    size_t n = 0;
    for (struct tag t = {from, from}; (t = next_control(t.end, end)).at;) {
        const struct field_rule *rule = rule_of(sent, t);
        n += is_wrong(sent, t) || (rule && sent->values[rule->field].present);
    }
    return n;
}

/* From the start of the form to its end tag. A form posts to the path itself or with a button. at = NULL:
 * none. */
static struct tag find_form(const struct again *x)
{
    const char *action = arena_printf(x->a, "action=\"%.*s", STR_FMT(x->sent->path));
    struct tag best = {0};
    size_t most = 0;
    for (const char *at = x->page; (at = strstr(at, action)); at++) {
        struct tag f = {last_before(x->page, at, "<form"), strstr(at, "</form>")};
        if (!f.at || !f.end || !strchr("\"?#", at[strlen(action)]))
            continue;
        size_t n = fields_met(x->sent, f.at, f.end);
        if (n > most) {
            most = n;
            best = f;
        }
    }
    return best;
}

static void open_details(struct again *x, struct tag details)
{
    const char *name_end = details.at + strlen("<details");
    if (!attribute_at(details, "open"))
        edit(x, name_end, name_end, STR(" open"));
}

/* Opens the details around the form and those in it, which may have fields that were sent. */
static void show_form(struct again *x, struct tag form)
{
    struct tag around[DETAILS_DEEP_MAX];
    size_t n = 0;
    for (const char *at = x->page; (at = strchr(at, '<')) && at < form.at; at++) {
        if (begins(at, "<details") && n < DETAILS_DEEP_MAX)
            around[n++] = (struct tag){at, strchr(at, '>')};
        else if (begins(at, "</details") && n)
            n--;
    }
    for (size_t i = 0; i < n; i++)
        open_details(x, around[i]);
    for (struct tag t = {form.at, form.at}; (t = next_tag(t.end, form.end, "details")).at;)
        open_details(x, t);
}

/* ---- the controls ---- */

/* The value that was sent, escaped. s = NULL: none. An empty number counts as absent (fields.h). */
static struct str sent_value(const struct again *x, struct tag control)
{
    const struct field_rule *rule = rule_of(x->sent, control);
    if (!rule)
        return (struct str){0};
    const struct field_value *v = &x->sent->values[rule->field];
    bool is_text = rule->type == FIELD_LINE || rule->type == FIELD_LINES;
    if (!v->present && is_text)
        return (struct str){0};
    if (!v->present)
        return STR("");
    AUTO_STRBUF b;
    strbuf_init(&b, v->s.len * ESCAPED_TIMES_MAX);
    html_escape(&b, v->s);
    return arena_str(x->a, strbuf_str(&b));
}

static void fill_input(struct again *x, struct tag t, struct str value)
{
    struct str type = attribute(t, "type");
    if (str_is(type, "password") || str_is(type, "file") || rule_of(x->sent, t)->type == FIELD_SECRET)
        return;
    if (str_is(type, "checkbox")) {
        set_flag(x, t, "checked", value.len > 0 && str_eq(value, attribute(t, "value")));
    } else if (str_is(type, "radio")) {
        if (value.s)
            set_flag(x, t, "checked", str_eq(value, attribute(t, "value")));
    } else if (value.s) {
        set_value(x, t, value);
    }
}

/* HTML drops a line break at the start. */
static void fill_text(struct again *x, struct tag t, struct str value)
{
    const char *end = strstr(t.end, "</textarea>");
    if (value.s && end)
        edit(x, t.end + 1, end, str_of(arena_printf(x->a, "\n%.*s", STR_FMT(value))));
}

static struct str option_value(struct tag t)
{
    struct str value = attribute(t, "value");
    return value.s ? value : (struct str){t.end + 1, strcspn(t.end + 1, "<")};
}

/* A value that the list does not offer changes nothing. */
static void fill_select(struct again *x, struct tag select, struct str value)
{
    const char *end = strstr(select.end, "</select>");
    struct tag chosen = {0}, t;
    if (!value.s || !end)
        return;
    for (t = select; !chosen.at && (t = next_tag(t.end, end, "option")).at;)
        if (str_eq(value, option_value(t)))
            chosen = t;
    for (t = select; chosen.at && (t = next_tag(t.end, end, "option")).at;)
        set_flag(x, t, "selected", t.at == chosen.at);
}

static void fill(struct again *x, struct tag t)
{
    if (!rule_of(x->sent, t))
        return;
    struct str value = sent_value(x, t);
    if (begins(t.at, "<input"))
        fill_input(x, t, value);
    else if (begins(t.at, "<textarea"))
        fill_text(x, t, value);
    else
        fill_select(x, t, value);
}

/* The wrong control gets the focus, and no other one. */
static void mark(struct again *x, struct tag t)
{
    const char *names = t.at + strcspn(t.at, " >");
    struct str described = attribute(t, "aria-describedby");
    for (const char *at = x->page; (at = strstr(at, " autofocus")); at++) {
        const char *tag = last_before(x->page, at, "<");
        struct tag other = {tag, tag ? strchr(tag, '>') : NULL};
        if (other.end && attribute_at(other, "autofocus") == at)
            remove_attribute(x, other, "autofocus");
    }
    remove_attribute(x, t, "aria-describedby");
    edit(x, names, names,
        str_of(arena_printf(x->a,
            " aria-invalid=\"true\" autofocus aria-describedby=\"" FORM_AGAIN_MESSAGE "%s%.*s\"",
            described.len ? " " : "", STR_FMT(described))));
}

/* ---- the page ---- */

/* An insertion comes before a change that begins at the same place. */
static int by_place(const void *one, const void *other)
{
    const struct edit *a = one, *b = other;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

static void apply(const struct again *x, struct strbuf *page)
{
    const char *from = x->page;
    strbuf_clear(page);
    for (size_t i = 0; i < x->n; i++) {
        strbuf_add(page, from, (size_t)(x->edits[i].from - from));
        strbuf_addstr(page, x->edits[i].text);
        from = x->edits[i].to;
    }
    strbuf_adds(page, from);
}

void form_again(struct arena *a, const struct form_sent *sent, struct strbuf *page)
{
    if (page->failed || page->len == 0)
        return;
    struct again x = {.a = a, .sent = sent, .page = arena_strndup(a, page->s, page->len)};
    struct tag form = find_form(&x), wrong = {0};
    if (!form.at)
        return;
    for (struct tag t = {form.at, form.at}; (t = next_control(t.end, form.end)).at;) {
        if (!wrong.at && is_wrong(sent, t))
            wrong = t;
        fill(&x, t);
    }
    if (wrong.at)
        mark(&x, wrong);
    show_form(&x, form);
    if (x.n)
        qsort(x.edits, x.n, sizeof *x.edits, by_place);
    apply(&x, page);
}
