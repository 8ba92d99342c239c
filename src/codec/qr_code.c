#include "codec/qr_code.h"

#include <qrencode.h>
#include <sodium.h>

#include "base/shared_library.h"

#define MARGIN  4 /* modules, ISO/IEC 18004 */
#define SVG_MAX ((size_t)256 * 1024)
#define DARK    1u

static struct {
    __typeof__(&QRcode_encodeString) QRcode_encodeString;
    __typeof__(&QRcode_free) QRcode_free;
} qr;

#define FUNCTION(name) {#name, &qr.name},
static const struct shared_function functions[] = {FUNCTION(QRcode_encodeString) FUNCTION(QRcode_free){0}};
#undef FUNCTION

static struct shared_library libqrencode = SHARED_LIBRARY("libqrencode.so.4", functions, NULL);

/* A path with one bar for each run of dark modules. */
static void put_rows(struct strbuf *out, const unsigned char *modules, int width)
{
    for (int y = 0; y < width; y++)
        for (int x = 0, run; x < width; x += run) {
            const unsigned char *row = modules + (ptrdiff_t)y * width;
            for (run = 1; x + run < width && ((row[x] ^ row[x + run]) & DARK) == 0;)
                run++;
            if (row[x] & DARK)
                strbuf_addf(out, "M%d %dh%dv1h-%dz", x + MARGIN, y + MARGIN, run, run);
        }
}

enum rc qr_code_svg(struct arena *a, const char *text, struct markup *out, struct err *e)
{
    enum rc rc = shared_library_load(&libqrencode, e);
    if (rc != RC_OK)
        return rc;
    QRcode *code = qr.QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1);
    if (!code)
        return err_set(e, RC_TOO_BIG, "a text of %zu bytes is no QR code", strlen(text));
    AUTO_STRBUF svg;
    strbuf_init(&svg, SVG_MAX);
    int side = code->width + 2 * MARGIN;
    strbuf_addf(&svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" shape-rendering=\"crispEdges\">"
        "<path fill=\"#fff\" d=\"M0 0h%dv%dh-%dz\"/><path fill=\"#000\" d=\"",
        side, side, side, side, side);
    put_rows(&svg, code->data, code->width);
    strbuf_adds(&svg, "\"/></svg>");
    sodium_memzero(code->data, (size_t)code->width * (size_t)code->width);
    qr.QRcode_free(code);
    if (svg.failed)
        return err_set(e, RC_TOO_BIG, "a QR code of %d modules is too large", side);
    out->html = (struct str){arena_strndup(a, svg.s, svg.len), svg.len};
    return RC_OK;
}
