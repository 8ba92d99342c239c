/* Shared by the tests of imports. */
#ifndef ALFRED_TESTS_APP_IMPORT_RIG_H
#define ALFRED_TESTS_APP_IMPORT_RIG_H

#include "app/store_rig.h"

#include <zlib.h>

#include "app/import/format/import_format_private.h"
#include "app/import/import_private.h"
#include "base/fs.h"

#define NOW INT64_C(1700000000000)

/* Writes a file into the test's folder and returns its path. */
__attribute__((unused)) static const char *write_file(const char *name, struct str text)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", unit_tmp(), name);
    assert_ok(fs_write_atomic(path, text, NULL));
    return path;
}

/* Compresses a text and returns its length. `bits`: windowBits of zlib. */
__attribute__((unused)) static size_t packed(int bits, struct str text, unsigned char *to, size_t room)
{
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)text.s,
        .avail_in = (unsigned)text.len,
        .next_out = to,
        .avail_out = (unsigned)room};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return room - z.avail_out;
}

#endif
