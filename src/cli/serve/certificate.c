#include "cli/serve/certificate.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/serve/supervise.h"

#define HOST_MAX     64 /* bytes of a common name, RFC 5280 */
#define SETTINGS_MAX 2048
#define DAYS         "3650"

/* The host name if it has only the characters of a DNS name. Other characters could be syntax in openssl's
 * file. */
static void host_name(char out[HOST_MAX])
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";
    if (gethostname(out, HOST_MAX) != 0 || !memchr(out, '\0', HOST_MAX) || !*out ||
        strspn(out, good) != strlen(out))
        snprintf(out, HOST_MAX, "localhost");
}

/* A settings file of our own: Debian's openssl.cnf would make the certificate an authority. */
static enum rc write_settings(const char *path, struct err *e)
{
    char host[HOST_MAX];
    host_name(host);
    AUTO_STRBUF text;
    strbuf_init(&text, SETTINGS_MAX);
    strbuf_addf(&text,
        "[req]\nprompt = no\ndistinguished_name = name\nx509_extensions = extensions\n"
        "[name]\nCN = %s\nO = Alfred\n"
        "[extensions]\nbasicConstraints = critical, CA:FALSE\nkeyUsage = critical, digitalSignature\n"
        "extendedKeyUsage = serverAuth\nsubjectAltName = DNS:%s, DNS:localhost, IP:127.0.0.1, IP:::1\n",
        host, host);
    return fs_write_atomic(path, strbuf_str(&text), e);
}

static enum rc make(const char *dir, const struct certificate *c, struct err *e)
{
    char settings[FS_PATH_MAX], chain[FS_PATH_MAX], key[FS_PATH_MAX];
    enum rc rc = fs_mkdirs(dir, e);
    if (rc != RC_OK || (rc = fs_join(settings, dir, "openssl.cnf", e)) != RC_OK ||
        (rc = fs_join(chain, dir, "cert.new", e)) != RC_OK ||
        (rc = fs_join(key, dir, "key.new", e)) != RC_OK || (rc = write_settings(settings, e)) != RC_OK)
        return rc;
    const char *argv[] = {"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
        "-nodes", "-sha256", "-days", DAYS, "-config", settings, "-keyout", key, "-out", chain, NULL};
    int code = supervise_wait_for(argv, true);
    unlink(settings);
    if (code == 127)
        rc = err_tell(e, RC_UNAVAILABLE, "The program openssl is missing; install the package openssl.");
    else if (code != 0)
        rc = err_tell(e, RC_UNAVAILABLE, "openssl could not create a certificate (exit code %d).", code);
    /* the key first: a certificate without its key would never be replaced */
    else if (rename(key, c->key) < 0 || rename(chain, c->chain) < 0)
        rc = err_set(e, RC_IO, "rename in %s: %s", dir, strerror(errno));
    if (rc == RC_OK)
        log_info("made a self-signed certificate, %s", c->chain);
    return rc;
}

bool certificate_is_trusted(const char *chain, const char *host)
{
    const char *argv[] = {"openssl", "verify", "-purpose", "sslserver", "-verify_hostname", host,
        "-untrusted", chain, chain, NULL};
    return supervise_wait_for(argv, true) == 0;
}

enum rc certificate_ensure(const char *data_dir, struct certificate *out, struct err *e)
{
    char dir[FS_PATH_MAX];
    enum rc rc = fs_join(dir, data_dir, "tls", e);
    if (rc != RC_OK || (rc = fs_join(out->chain, dir, "cert.pem", e)) != RC_OK ||
        (rc = fs_join(out->key, dir, "key.pem", e)) != RC_OK)
        return rc;
    return fs_exists(out->chain) && fs_exists(out->key) ? RC_OK : make(dir, out, e);
}
