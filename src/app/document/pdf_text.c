/*
 * PDF files. The text is that of static/js/composer/pdf.js: the pages one after the other with an empty line
 * between them, each without white space at its ends and at the ends of its lines.
 *
 * pdftotext ends with 1 when it cannot open a file, and tells a password by its words only. With 3 the file
 * forbids copying.
 */
#include "app/document/document_private.h"

#include <string.h>

#include "base/confined.h"
#include "base/log.h"
#include "base/mem.h"
#include "codec/charset.h"

#define MARK       "%PDF-"
#define MARK_BYTES 1024 /* at the beginning of a file that may have the mark (ISO 32000-1, annex H) */
#define FORBIDDEN  3    /* exit code */

/* Where fonts and tables of characters are. */
static const char *const data[] = {"/usr/share/poppler", "/usr/share/fonts", "/usr/local/share/fonts",
    "/usr/share/fontconfig", "/etc/fonts", "/var/cache/fontconfig", NULL};

bool pdf_is(const struct file_text_source *s)
{
    struct str head = {s->bytes.s, s->bytes.len < MARK_BYTES ? s->bytes.len : MARK_BYTES};
    const struct str ending = STR(".pdf");
    bool is_named =
        s->name.len > ending.len && str_eq_nocase(str_from(s->name, s->name.len - ending.len), ending);
    return is_named || str_is(s->media_type, "application/pdf") ||
           (head.len && memmem(head.s, head.len, MARK, strlen(MARK)));
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

static enum file_text why_failed(const struct confined_end *end)
{
    if (end->outcome == CONFINED_TOO_LONG)
        return FILE_TEXT_LONG;
    if (end->outcome == CONFINED_ENDED &&
        (end->code == FORBIDDEN || strstr(end->words, "Incorrect password")))
        return FILE_TEXT_LOCKED;
    return FILE_TEXT_BROKEN;
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

enum rc pdf_text(const struct file_text_source *s, enum file_text *result, struct strbuf *out, struct err *e)
{
    char path[FS_PATH_MAX];
    struct confined_end end;
    *result = FILE_TEXT_NO_PROGRAM;
    if (!confined_find(PDF_PROGRAM, path)) {
        log_warn("a PDF file cannot be read: %s is not installed (Debian: %s)", PDF_PROGRAM, PDF_PACKAGE);
        return RC_OK;
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
        return RC_OK;
    }
    if (rc != RC_OK)
        return err_set(e, rc, "%s", why.text);
    if (end.can_read_all)
        log_warn("this kernel has no Landlock, so %s can read all files of Alfred", PDF_PROGRAM);
    if (end.outcome == CONFINED_STOPPED)
        return err_set(e, RC_UNAVAILABLE, "%s was stopped", PDF_PROGRAM);
    if (end.outcome != CONFINED_ENDED || end.code != 0) {
        log_end(&end);
        *result = why_failed(&end);
        return RC_OK;
    }
    AUTO_STRBUF text;
    strbuf_init(&text, 9 * printed.len + 16);
    *result = !add_pages(strbuf_str(&printed), &text) ? FILE_TEXT_EMPTY
              : text.len > s->max                     ? FILE_TEXT_LONG
                                                      : FILE_TEXT_READ;
    if (*result == FILE_TEXT_READ)
        strbuf_addstr(out, strbuf_str(&text));
    return RC_OK;
}
