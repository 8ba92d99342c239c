/* The self-signed certificate for a server without a configured one, and the checks of a configured one. */
#ifndef ALFRED_CLI_SERVE_CERTIFICATE_H
#define ALFRED_CLI_SERVE_CERTIFICATE_H

#include "app/config/config.h"
#include "base/err.h"
#include "base/fs.h"

struct certificate {
    char chain[FS_PATH_MAX], key[FS_PATH_MAX];
};

/*
 * Ensures data_dir/tls/cert.pem and key.pem. When one is missing, the program `openssl` creates both: P-256,
 * 825 days, for `names` (see hosts.h). It creates them again when the certificate is self-signed and ends
 * within 30 days, lacks one of `names` except this machine's, or has another key, and when it cannot be read.
 * After a crash each file is whole. RC_IO. RC_UNAVAILABLE (with a sentence): openssl is missing or fails.
 */
enum rc certificate_ensure(
    const char *data_dir, const struct config_list *names, struct certificate *out, struct err *e);

/*
 * Both check the files of [server] certificate and certificate_key. RC_BAD_INPUT with a sentence that says
 * what to do: nginx would refuse the files; the certificate has expired, which nginx uses all the same.
 * RC_IO, RC_TOO_BIG: the chain cannot be read. Without the program openssl nothing else is found.
 */
enum rc certificate_check(const char *chain, const char *key, struct err *e);
enum rc certificate_check_time(const char *chain, struct err *e);

/* True when `openssl verify` finds that this machine's certificate authorities trust the first certificate
 * of the file `chain` now for the name `host`. False also when openssl is missing. */
bool certificate_is_trusted(const char *chain, const char *host);

#endif
