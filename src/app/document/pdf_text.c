/*
 * PDF files. The text is that of static/js/composer/pdf.js: the pages one after the other with an empty line
 * between them, each without white space at its ends and at the ends of its lines.
 *
 * pdftotext ends with 1 when it cannot open a file, and tells a password by its words only. With 3 the file
 * forbids copying.
 */
#include "app/document/document_private.h"

#include <string.h>

#include "base/confined/confined.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "codec/charset.h"
#include "codec/document/document.h"

#define MARK      "%PDF-" /* at the beginning of a file (ISO 32000-1, 7.5.2) */
#define FORBIDDEN 3       /* exit code */

/* Where fonts and tables of characters are. */
static const char *const data[] = {"/usr/share/poppler", "/usr/share/fonts", "/usr/local/share/fonts",
    "/usr/share/fontconfig", "/etc/fonts", "/var/cache/fontconfig", NULL};

/* A text may have the mark, too, but not at its beginning. */
bool file_text_takes_time(const struct file_text_source *s)
{
    const struct str ending = STR(".pdf");
    bool is_named =
        s->name.len > ending.len && str_eq_nocase(str_from(s->name, s->name.len - ending.len), ending);
    return !document_is(s->bytes) && (is_named || str_is(s->media_type, "application/pdf") ||
                                         str_starts(str_trim(s->bytes), STR(MARK)));
}

bool file_text_has_pdf(void)
{
    char path[FS_PATH_MAX];
    return confined_find(PDF_PROGRAM, path);
}

static struct str trim_end(struct str line)
{
    while (line.len && str_is_space(line.s[line.len - 1]))
        line.len--;
    return line;
}

static void add_page(struct str page, struct strbuf *out)
{
    struct str rest = str_trim(page);
    while (rest.s) {
        strbuf_addstr(out, trim_end(str_cut(&rest, '\n')));
        strbuf_addc(out, '\n');
    }
    strbuf_addc(out, '\n');
}

/* False: no page has a text. */
static bool add_pages(struct str printed, struct strbuf *out)
{
    AUTO_STRBUF valid, pages;
    strbuf_init(&valid, 3 * printed.len);
    charset_decode(printed, "UTF-8", NULL, &valid);
    strbuf_init(&pages, 3 * valid.len + 3);
    for (struct str rest = strbuf_str(&valid); rest.s;)
        add_page(str_cut(&rest, '\f'), &pages);
    struct str text = str_trim(strbuf_str(&pages));
    strbuf_addstr(out, text);
    strbuf_addc(out, '\n');
    return text.len > 0;
}

static enum rc failed(const struct file_text_source *s, const struct confined_end *end, struct err *e)
{
    bool locked = end->outcome == CONFINED_ENDED &&
                  (end->code == FORBIDDEN || strstr(end->words, "Incorrect password"));
    if (end->outcome == CONFINED_TOO_LONG)
        return file_refuse(s, RC_TOO_BIG, "document.long", e);
    return file_refuse(s, RC_BAD_INPUT, locked ? "document.locked" : "document.damaged", e);
}

/* Its words may be those of the file, so they are not logged. */
static void log_end(const struct confined_end *end)
{
    static const char *const words[] = {[CONFINED_ENDED] = "with the exit code",
        [CONFINED_CRASHED] = "by the signal",
        [CONFINED_LATE] = "after its time, by the signal",
        [CONFINED_TOO_LONG] = "at its longest output, by the signal",
        [CONFINED_STOPPED] = "by a stop, by the signal"};
    log_info("%s ended %s %d", PDF_PROGRAM, words[end->outcome], end->code);
}

enum rc pdf_text(struct arena *a, const struct file_text_source *s, struct str *text, struct err *e)
{
    char path[FS_PATH_MAX];
    struct confined_end end;
    if (!confined_find(PDF_PROGRAM, path)) {
        log_warn("a PDF file cannot be read: %s is not installed (Debian: %s)", PDF_PROGRAM, PDF_PACKAGE);
        return file_refuse(s, RC_UNSUPPORTED, "document.no_program", e);
    }
    const char *const argv[] = {path, "-enc", "UTF-8", "-eol", "unix", "-", "-", NULL};
    const struct confined c = {.argv = argv,
        .reads = data,
        .input = s->bytes,
        .ms = PDF_MS,
        .cpu_s = PDF_CPU_S,
        .memory = PDF_MEMORY,
        .stop_fd = s->stop_fd};
    AUTO_STRBUF printed;
    strbuf_init(&printed, 2 * s->max); /* it ends lines and pages with blanks, which are dropped */
    struct err why = ERR_INIT;
    enum rc rc = confined_run(&c, &printed, &end, &why);
    if (rc == RC_INTERNAL) {
        log_error("a PDF file cannot be read: %s", why.text);
        return file_refuse(s, RC_UNSUPPORTED, "document.no_program", e);
    }
    if (rc != RC_OK)
        return err_set(e, rc, "%s", why.text);
    if (end.can_read_all)
        log_warn("this kernel has no Landlock, so %s can read all files of Alfred", PDF_PROGRAM);
    if (end.outcome == CONFINED_STOPPED)
        return err_set(e, RC_UNAVAILABLE, "%s was stopped", PDF_PROGRAM);
    if (end.outcome != CONFINED_ENDED || end.code != 0) {
        log_end(&end);
        return failed(s, &end, e);
    }
    AUTO_STRBUF pages;
    strbuf_init(&pages, 9 * printed.len + 16);
    if (!add_pages(strbuf_str(&printed), &pages))
        return file_refuse(s, RC_BAD_INPUT, "document.only_pictures", e);
    if (pages.len > s->max)
        return file_refuse(s, RC_TOO_BIG, "document.long", e);
    *text = arena_str(a, strbuf_str(&pages));
    return RC_OK;
}
