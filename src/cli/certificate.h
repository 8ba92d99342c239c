/* The self-signed certificate for a server without a configured one, and the check whether browsers trust
 * a configured one. */
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

/* Whether this machine's certificate authorities stand behind the first certificate of the file `chain`, now
 * and for the name `host`, as far as `openssl verify` can tell. False also when openssl is missing. */
bool certificate_is_trusted(const char *chain, const char *host);

#endif
