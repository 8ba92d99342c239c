/* An uploaded zip. Whatever its bytes are, the reader gives pieces or a clean refusal; passing over entries
 * and reading the rest gives the same end of the content. A picture is read or is not. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "app/import/file/import_zip.h"
#include "base/strbuf.h"

#define CONTENT_MAX ((size_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum rc content(int fd, size_t size, int64_t pass, int64_t *passed, struct strbuf *out)
{
    struct import_zip *z;
    struct str piece = {"", 1};
    enum rc rc = import_zip_open(fd, (int64_t)size, &z, NULL);
    if (rc != RC_OK)
        return rc;
    char *picture;
    size_t bytes;
    if (zip_picture_read(import_zip_pictures(z), STR("file-A"), CONTENT_MAX, &picture, &bytes))
        free(picture);
    *passed = import_zip_pass(z, pass);
    while (rc == RC_OK && piece.len > 0 && !out->failed) {
        rc = import_zip_read(z, &piece, NULL);
        if (rc == RC_OK)
            strbuf_addstr(out, piece);
    }
    import_zip_free(z);
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("zip", MFD_CLOEXEC);
    int64_t passed = 0;
    struct strbuf whole, rest;
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    strbuf_init(&whole, CONTENT_MAX);
    strbuf_init(&rest, CONTENT_MAX);
    enum rc rc = content(fd, size, 0, &passed, &whole);
    if (rc == RC_OK && !whole.failed) {
        if (content(fd, size, (int64_t)whole.len / 2, &passed, &rest) != RC_OK)
            abort();
        struct str end = {whole.s + passed, whole.len - (size_t)passed};
        if ((size_t)passed > whole.len || !str_eq(end, strbuf_str(&rest)))
            abort();
    }
    strbuf_release(&whole);
    strbuf_release(&rest);
    close(fd);
    return 0;
}
