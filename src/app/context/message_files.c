#include "app/context/message_files.h"

#include "base/strbuf.h"
#include "codec/markdown/markdown_typed.h"

#define NAMED_MAX 4 /* files that a mark names; it counts the others */

size_t message_files(struct str text, struct message_file out[MESSAGE_FILES_MAX + 1])
{
    struct typed_file files[MESSAGE_FILES_MAX];
    struct str before;
    size_t n = markdown_typed_files(text, 0, files, MESSAGE_FILES_MAX, &before);
    out[0] = (struct message_file){STR(""), text};
    for (size_t i = 0; i < n; i++)
        out[i + 1] = (struct message_file){files[i].name, files[i].content};
    return n + 1;
}

struct str message_own_text(struct str text)
{
    struct typed_file files[MESSAGE_FILES_MAX];
    struct str own;
    markdown_typed_files(text, 0, files, MESSAGE_FILES_MAX, &own);
    return own;
}

size_t message_file_lines(struct str text)
{
    return str_count(text, '\n') + (text.len && text.s[text.len - 1] != '\n');
}

/* Adds the lines of a file that are between the two places. False: none are. */
static bool add_lines(const struct message_file *f, const char *from, const char *to, struct strbuf *out)
{
    const char *begin = f->text.s, *end = begin + f->text.len;
    if (from >= end || to <= begin)
        return false;
    size_t lines = message_file_lines(f->text);
    size_t first = from <= begin ? 1 : str_count((struct str){begin, (size_t)(from - begin)}, '\n') + 1;
    size_t last = to >= end ? lines : message_file_lines((struct str){begin, (size_t)(to - begin)});
    strbuf_addf(out, "lines %zu to %zu of ", first, last);
    if (f->name.len)
        strbuf_addf(out, "\"%.*s\", which has %zu lines", STR_FMT(f->name), lines);
    else
        strbuf_addf(out, "this message, which has %zu lines", lines);
    return true;
}

const char *message_cut_mark(struct arena *a, struct str text, int64_t id, size_t from, size_t to)
{
    struct message_file files[MESSAGE_FILES_MAX + 1];
    size_t n = message_files(text, files), more = 0, named = 0;
    AUTO_STRBUF what;
    strbuf_init(&what, MESSAGE_CUT_MARK_MAX);
    for (size_t i = n > 1 ? 1 : 0; i < n; i++) {
        size_t at = what.len;
        if (named)
            strbuf_adds(&what, "; ");
        if (named == NAMED_MAX || !add_lines(&files[i], text.s + from, text.s + to, &what)) {
            more += named == NAMED_MAX && files[i].text.s < text.s + to;
            strbuf_rewind(&what, at);
        } else {
            named++;
        }
    }
    /* The text before the files is not among them. */
    if (n > 1 && from < (size_t)(files[1].name.s - text.s))
        strbuf_addf(&what, "%sa part of the text before the files", named ? "; " : "");
    if (more)
        strbuf_addf(&what, "; %zu more files", more);
    return arena_printf(a,
        "\n[\xE2\x80\xA6 left out here, because this message is longer than the model can read at once: "
        "%.*s. "
        "Use the tool read_file%s to read or search it \xE2\x80\xA6]\n",
        STR_FMT(strbuf_str(&what)), id ? arena_printf(a, " with \"message\": \"%lld\"", (long long)id) : "");
}
