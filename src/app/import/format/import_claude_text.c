/*
 * The texts of Claude's answers. A block of text has citations: [{start_index, end_index, details: {type,
 * url}}], with places in characters. The answers of 2024 have tags in their text: <antArtifact identifier=""
 * type="" language="" title="">document</antArtifact> and <antThinking>reasoning</antThinking>.
 */
#include "app/import/format/import_claude_private.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/utf8.h"

#define CITATIONS_MAX ((size_t)1000) /* of one block */
#define ARTIFACT      "<antArtifact"
#define ARTIFACT_END  "</antArtifact>"
#define THINKING      "<antThinking>"
#define THINKING_END  "</antThinking>"

struct str claude_language(struct str language, struct str type)
{
    static const struct {
        const char *type;
        struct str language;
    } known[] = {{"text/markdown", STR("markdown")}, {"text/html", STR("html")},
        {"image/svg+xml", STR("xml")}, {"application/vnd.ant.mermaid", STR("mermaid")},
        {"application/vnd.ant.react", STR("jsx")}};
    if (language.len)
        return language;
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (str_is(type, known[i].type))
            return known[i].language;
    return STR("");
}

/* ---- citations ---- */

struct citation {
    size_t end;   /* of the words, in characters */
    size_t place; /* of the link, in bytes */
    struct str url, title;
};

static int by_end(const void *x, const void *y)
{
    const struct citation *i = x, *j = y;
    return (i->end > j->end) - (i->end < j->end);
}

/* "example.org" of "https://example.org/a". */
static struct str host_of(struct str url)
{
    const char *at = memmem(url.s, url.len, "://", 3);
    struct str rest = at ? str_from(url, (size_t)(at - url.s) + 3) : url;
    return str_cut(&rest, '/');
}

static size_t read_citations(struct arena *a, const json_t *list, struct citation **out)
{
    size_t n = 0, most = json_array_size(list) < CITATIONS_MAX ? json_array_size(list) : CITATIONS_MAX;
    *out = ARENA_ARRAY(a, struct citation, most + 1);
    for (size_t i = 0; i < most; i++) {
        const json_t *one = json_array_get(list, i), *details = json_object_get(one, "details");
        struct str url, title = STR("");
        int64_t end;
        if (!json_get_int(one, "end_index", &end) || end < 0 || !json_get_str(details, "url", &url) ||
            !str_starts(url, STR("http")))
            continue;
        json_get_str(details, "title", &title);
        (*out)[n++] =
            (struct citation){.end = (size_t)end, .url = url, .title = title.len ? title : host_of(url)};
    }
    qsort(*out, n, sizeof **out, by_end);
    return n;
}

/* Links stand behind the word in which the cited words end, before blanks. The citations are in the order of
 * their ends. No part of the text is searched for each of them, as both can be large. */
static void find_places(struct str s, struct citation *all, size_t n)
{
    size_t chars = 0, end = 0, word_end = 0, place = 0;
    for (size_t i = 0; i < n; i++) {
        size_t before = word_end;
        end += utf8_cut_chars(str_from(s, end), all[i].end - chars);
        chars = all[i].end;
        word_end = end > word_end ? end : word_end;
        while (word_end && word_end < s.len && isalnum((unsigned char)s.s[word_end - 1]) &&
               isalnum((unsigned char)s.s[word_end]))
            word_end++;
        size_t at = word_end;
        while (at > before && str_is_space(s.s[at - 1]))
            at--;
        place = at > before ? at : place;
        all[i].place = place;
    }
}

static bool is_linked(const struct citation *all, size_t first, size_t i)
{
    for (size_t k = first; k < i; k++)
        if (str_eq(all[k].url, all[i].url))
            return true;
    return false;
}

/* Appends the text with links to its sources behind the words that they support. */
static void add_cited(struct strbuf *b, struct str text, const json_t *list)
{
    AUTO(arena) a = arena_new();
    struct citation *all;
    size_t n = read_citations(a, list, &all), done = 0;
    find_places(text, all, n);
    for (size_t i = 0; i < n;) {
        size_t first = i;
        strbuf_add(b, text.s + done, all[i].place - done);
        done = all[i].place;
        for (; i < n && all[i].place == done; i++)
            if (!is_linked(all, first, i))
                strbuf_addf(b, "%s%s", i == first ? " (" : ", ", import_link(a, all[i].title, all[i].url));
        strbuf_addc(b, ')');
    }
    strbuf_addstr(b, str_from(text, done));
}

/* ---- tags ---- */

/* Takes the content of the element that begins after `skip` bytes of `rest`, and its end. An answer that was
 * cut has no end. */
static struct str take_content(struct str *rest, size_t skip, struct str end)
{
    struct str content = str_from(*rest, skip);
    const char *at = memmem(content.s, content.len, end.s, end.len);
    if (at)
        content.len = (size_t)(at - content.s);
    *rest = str_from(*rest, skip + content.len + (at ? end.len : 0));
    return str_trim(content);
}

static void take_artifact(struct strbuf *text, struct str *rest)
{
    AUTO(arena) a = arena_new();
    const char *close = memchr(rest->s, '>', rest->len);
    size_t head = close ? (size_t)(close - rest->s) : rest->len;
    struct str attributes = str_from((struct str){rest->s, head}, strlen(ARTIFACT));
    struct str content = take_content(rest, head + (close ? 1 : 0), STR(ARTIFACT_END));
    import_document(text, import_attribute(a, attributes, "title"),
        claude_language(import_attribute(a, attributes, "language"), import_attribute(a, attributes, "type")),
        content);
}

static const char *next(struct str rest, struct str tag)
{
    return memmem(rest.s, rest.len, tag.s, tag.len);
}

void claude_add_text(struct strbuf *text, struct strbuf *thinking, struct str said, const json_t *citations)
{
    AUTO_STRBUF cited;
    strbuf_init(&cited, IMPORT_VALUE_MAX);
    add_cited(&cited, said, citations);
    struct str rest = strbuf_str(&cited);
    const char *artifact = next(rest, STR(ARTIFACT)), *thought = next(rest, STR(THINKING));
    while (artifact || thought) {
        const char *at = artifact && (!thought || artifact < thought) ? artifact : thought;
        import_paragraph(text, str_trim((struct str){rest.s, (size_t)(at - rest.s)}));
        rest = str_from(rest, (size_t)(at - rest.s));
        if (at == artifact)
            take_artifact(text, &rest);
        else
            import_paragraph(thinking, take_content(&rest, strlen(THINKING), STR(THINKING_END)));
        if (artifact && artifact < rest.s)
            artifact = next(rest, STR(ARTIFACT));
        if (thought && thought < rest.s)
            thought = next(rest, STR(THINKING));
    }
    import_paragraph(text, str_trim(rest));
}
