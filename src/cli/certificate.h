/* The self-signed certificate of a server that nobody gave another one. */
#ifndef ALFRED_CLI_CERTIFICATE_H
#define ALFRED_CLI_CERTIFICATE_H

#include "base/err.h"
#include "base/fs.h"

struct certificate {
    char chain[FS_PATH_MAX], key[FS_PATH_MAX];
};

/*
 * data_dir/tls/cert.pem and key.pem; made by the program `openssl` when one of them is missing: P-256, ten
 * years, for localhost, this machine's name, 127.0.0.1 and ::1. RC_IO, RC_UNAVAILABLE (to be shown): openssl
 * is missing or fails.
 */
enum rc certificate_ensure(const char *data_dir, struct certificate *out, struct err *e);

#endif
