/* Text, times and words of a file, checked and cut to the allowed sizes. jansson guarantees that strings
 * are valid UTF-8 without NUL. */
#include "app/import/format/import_format_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "codec/html.h"
#include "codec/markdown/markdown_write.h"
#include "store/session/tag.h"
#include "store/transfer.h"

#define IMPORT_TOOL_MAX ((size_t)64)
#define LANGUAGE_MAX    ((size_t)32) /* bytes */
#define LANGUAGE_CHARS  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+#-_."
#define AHEAD_MAX_MS    MS_PER_DAY /* tolerance for clocks that differ */

const char *import_line(struct arena *a, struct str s, size_t chars)
{
    s = str_trim(s);
    s.len = utf8_cut_chars(s, chars);
    char *line = arena_strndup(a, s.s ? s.s : "", s.len);
    for (char *p = line; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7F)
            *p = ' ';
    s = str_trim((struct str){line, utf8_drop_directional(line, s.len)});
    return s.len ? arena_strndup(a, s.s, s.len) : NULL;
}

const char *import_line_of(struct arena *a, const json_t *obj, const char *key, size_t chars)
{
    struct str s;
    return json_get_str(obj, key, &s) ? import_line(a, s, chars) : NULL;
}

struct str import_text(struct import_conversation *c, struct str s)
{
    if (s.len > IMPORT_TEXT_MAX)
        s.len = utf8_cut_bytes(s, IMPORT_TEXT_MAX);
    c->bytes += s.len;
    return arena_str(c->a, s);
}

void import_paragraph(struct strbuf *b, struct str s)
{
    if (b->len && s.len)
        strbuf_adds(b, "\n\n");
    strbuf_addstr(b, s);
}

void import_document(struct strbuf *b, struct str name, struct str language, struct str text)
{
    AUTO(arena) a = arena_new();
    const char *title = import_line(a, name, IMPORT_WORD_MAX);
    if (title)
        import_paragraph(b, str_of(arena_printf(a, "**%s**", title)));
    if (b->len)
        strbuf_adds(b, "\n\n");
    size_t n = 0;
    while (n < language.len && n < LANGUAGE_MAX && strchr(LANGUAGE_CHARS, language.s[n]))
        n++;
    markdown_write_fenced(b, (struct str){language.s, n}, text);
}

const char *import_link(struct arena *a, struct str title, struct str url)
{
    const char *words = import_line(a, title, IMPORT_WORD_MAX);
    AUTO_STRBUF b;
    strbuf_init(&b, IMPORT_VALUE_MAX);
    markdown_write_link(&b, words ? str_of(words) : STR(""), url);
    return arena_strndup(a, b.s, b.len);
}

const char *import_page(struct arena *a, const json_t *page, const char *address)
{
    struct str url, title = STR("");
    if (!json_get_str(page, address, &url) || !str_starts(url, STR("http")))
        return NULL;
    json_get_str(page, "title", &title);
    return import_link(a, title.len ? title : url, url);
}

void import_apart(struct strbuf *b)
{
    if (b->len && !str_is_space(b->s[b->len - 1]))
        strbuf_addc(b, ' ');
}

struct str import_unescaped(struct arena *a, struct str s)
{
    AUTO_STRBUF b;
    strbuf_init(&b, IMPORT_VALUE_MAX);
    html_decode(&b, s);
    return arena_str(a, strbuf_str(&b));
}

struct str import_attribute(struct arena *a, struct str head, const char *name)
{
    while (head.len) {
        struct str key = str_trim(str_cut(&head, '='));
        char quote = head.len ? *head.s : '\0';
        if (quote != '"' && quote != '\'')
            break;
        head = str_from(head, 1);
        struct str value = str_cut(&head, quote);
        if (str_is(key, name))
            return import_unescaped(a, value);
    }
    return STR("");
}

/* The attributes in a line ":::name{...}"; s NULL: another line. */
static struct str attributes_of(struct str line, struct str name)
{
    line = str_trim(line);
    if (!str_starts(line, STR(":::")) || line.s[line.len - 1] != '}')
        return (struct str){0};
    line = str_from(line, 3);
    if (!str_starts(line, name) || line.s[name.len] != '{')
        return (struct str){0};
    return (struct str){line.s + name.len + 1, line.len - name.len - 2};
}

/* An empty line below the lines. */
static void end_paragraph(struct strbuf *b)
{
    if (b->len > 1 && b->s[b->len - 2] != '\n')
        strbuf_addc(b, '\n');
}

void import_unwrap(struct strbuf *b, struct str name)
{
    if (!b->len || !memmem(b->s, b->len, ":::", 3))
        return;
    AUTO(arena) a = arena_new();
    AUTO_STRBUF out;
    size_t open = 0;
    bool border = false; /* the line before was a mark, or empty after one */
    strbuf_init(&out, IMPORT_VALUE_MAX);
    for (struct str rest = strbuf_str(b); rest.s;) {
        struct str line = str_cut(&rest, '\n'), attributes = attributes_of(line, name), title = STR("");
        bool end = open && str_is(str_trim(line), ":::");
        if (attributes.s) {
            title = import_attribute(a, attributes, "title");
            title = title.len ? title : import_attribute(a, attributes, "subject");
            line = title.len ? str_of(arena_printf(a, "**%.*s**", STR_FMT(title))) : STR("");
        }
        open += attributes.s != NULL;
        open -= end;
        border = border || end || attributes.s;
        if (end || (border && !str_trim(line).len))
            continue;
        if (border)
            end_paragraph(&out);
        border = title.len;
        strbuf_addstr(&out, line);
        strbuf_addc(&out, '\n');
    }
    struct str text = str_trim(strbuf_str(&out));
    strbuf_clear(b);
    strbuf_addstr(b, text);
}

const char *import_outer_id(struct import_conversation *c, const char *source, struct str id)
{
    bool useful = id.len > 0 && strlen(source) + 1 + id.len <= TRANSFER_OUTER_MAX;
    return useful ? arena_printf(c->a, "%s:%.*s", source, STR_FMT(id)) : NULL;
}

static int64_t sane(double ms)
{
    return isfinite(ms) && ms >= 1 && ms <= (double)(clock_wall_ms() + AHEAD_MAX_MS) ? (int64_t)ms : 0;
}

int64_t import_seconds(const json_t *obj, const char *key)
{
    const json_t *v = json_object_get(obj, key);
    return json_is_number(v) ? sane(json_number_value(v) * (double)MS_PER_S) : 0;
}

int64_t import_ms(const json_t *obj, const char *key)
{
    const json_t *v = json_object_get(obj, key);
    return json_is_integer(v) ? sane((double)json_integer_value(v)) : 0;
}

int64_t import_iso(const json_t *obj, const char *key)
{
    struct str s;
    struct tm t = {0};
    int64_t ms = 0;
    if (!json_get_str(obj, key, &s) || !strptime(s.s, "%Y-%m-%dT%H:%M:%S", &t))
        return 0;
    const char *dot = strchr(s.s, '.');
    if (dot)
        for (int i = 1, unit = 100; i <= 3 && dot[i] >= '0' && dot[i] <= '9'; i++, unit /= 10)
            ms += (dot[i] - '0') * unit;
    return sane((double)timegm(&t) * (double)MS_PER_S + (double)ms);
}

int64_t import_reasoning_ms(double ms)
{
    return ms > 0 && ms <= (double)MS_PER_DAY ? (int64_t)ms : 0;
}

const char *import_file_note(struct arena *a, const json_t *file, const char *key)
{
    const char *name = import_line_of(a, file, key, IMPORT_WORD_MAX);
    return name ? arena_printf(a, "(The file %s was here.)", name) : IMPORT_FILE_NOTE;
}

struct str import_with_note(struct import_conversation *c, struct str text, const char *note)
{
    return str_of(arena_printf(c->a, "%.*s%s%s", STR_FMT(text), text.len ? "\n\n" : "", note));
}

void import_tags(struct import_conversation *c, const json_t *list)
{
    size_t i, n = json_array_size(list) < TAGS_OF_SESSION_MAX ? json_array_size(list) : TAGS_OF_SESSION_MAX;
    c->tags = ARENA_ARRAY(c->a, const char *, n + 1);
    for (i = 0; i < n; i++) {
        const json_t *v = json_array_get(list, i);
        struct str s = {json_string_value(v), json_string_length(v)};
        if (s.s && (c->tags[c->tags_n] = import_line(c->a, s, TAG_CHARS_MAX)))
            c->tags_n++;
    }
}

const char *import_tool_name(struct arena *a, struct str s)
{
    char *name = arena_strndup(a, s.s ? s.s : "", s.len < IMPORT_TOOL_MAX ? s.len : IMPORT_TOOL_MAX);
    for (char *p = name; *p; p++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", *p))
            *p = '_';
    return *name ? name : "tool";
}

bool import_role(struct str word, enum message_role *out)
{
    for (enum message_role r = ROLE_USER; r <= ROLE_TOOL; r++)
        if (str_is(word, message_role_name(r))) {
            *out = r;
            return true;
        }
    return false;
}
