#include "cli/serve/certificate.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "cli/serve/supervise.h"

#define HOST_MAX     64 /* bytes of a common name, RFC 5280 */
#define SETTINGS_MAX (64 * 1024)
#define DAYS         "825" /* Apple's limit; it is made again at a start near its end */
#define CHAIN_MAX    (1024 * 1024)
#define LAST_LINE    "-----END CERTIFICATE-----" /* of a certificate */
#define REMAINS_S    "2592000"                   /* a start within the last 30 days makes it again */

/* The host name if it has only the characters of a DNS name. Other characters could be syntax in openssl's
 * file. */
static void host_name(char out[HOST_MAX])
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";
    if (gethostname(out, HOST_MAX) != 0 || !memchr(out, '\0', HOST_MAX) || !*out ||
        strspn(out, good) != strlen(out))
        snprintf(out, HOST_MAX, "localhost");
}

/* A name without the brackets of an IPv6 address. */
static struct str bare(const char *name)
{
    struct str s = str_of(name);
    return *name == '[' ? (struct str){s.s + 1, s.len - 2} : s;
}

static bool is_address(struct arena *a, struct str name)
{
    unsigned char raw[sizeof(struct in6_addr)];
    const char *text = arena_strndup(a, name.s, name.len);
    return inet_pton(AF_INET, text, raw) == 1 || inet_pton(AF_INET6, text, raw) == 1;
}

static void add_names(struct strbuf *out, const struct config_list *names)
{
    AUTO(arena) a = arena_new();
    const char *between = "";
    for (size_t i = 0; i < names->n; i++) {
        struct str name = bare(names->v[i]);
        if (!name.len)
            continue;
        strbuf_addf(out, "%s%s:%.*s", between, is_address(a, name) ? "IP" : "DNS", STR_FMT(name));
        between = ", ";
    }
}

/* A settings file of our own: Debian's openssl.cnf would make the certificate an authority. */
static enum rc write_settings(const char *path, const struct config_list *names, struct err *e)
{
    char host[HOST_MAX];
    host_name(host);
    AUTO_STRBUF text;
    strbuf_init(&text, SETTINGS_MAX);
    strbuf_addf(&text,
        "[req]\nprompt = no\ndistinguished_name = name\nx509_extensions = extensions\n"
        "[name]\nCN = %s\nO = Alfred\n"
        "[extensions]\nbasicConstraints = critical, CA:FALSE\nkeyUsage = critical, digitalSignature\n"
        "extendedKeyUsage = serverAuth\nsubjectAltName = ",
        host);
    add_names(&text, names);
    strbuf_adds(&text, "\n");
    return fs_write_atomic(path, strbuf_str(&text), e);
}

static enum rc make(
    const char *dir, const struct config_list *names, const struct certificate *c, struct err *e)
{
    char settings[FS_PATH_MAX], chain[FS_PATH_MAX], key[FS_PATH_MAX];
    enum rc rc = fs_mkdirs(dir, e);
    if (rc != RC_OK || (rc = fs_join(settings, dir, "openssl.cnf", e)) != RC_OK ||
        (rc = fs_join(chain, dir, "cert.new", e)) != RC_OK ||
        (rc = fs_join(key, dir, "key.new", e)) != RC_OK || (rc = write_settings(settings, names, e)) != RC_OK)
        return rc;
    const char *argv[] = {"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
        "-nodes", "-sha256", "-days", DAYS, "-config", settings, "-keyout", key, "-out", chain, NULL};
    int code = supervise_wait_for(argv);
    unlink(settings);
    if (code == 127)
        rc = err_tell(e, RC_UNAVAILABLE, "The program openssl is missing; install the package openssl.");
    else if (code != 0)
        rc = err_tell(e, RC_UNAVAILABLE, "openssl could not create a certificate (exit code %d).", code);
    else if ((rc = fs_replace(key, c->key, e)) == RC_OK)
        rc = fs_replace(chain, c->chain, e);
    if (rc == RC_OK)
        log_info("made a self-signed certificate, %s", c->chain);
    return rc;
}

bool certificate_is_trusted(const char *chain, const char *host)
{
    const char *argv[] = {"openssl", "verify", "-purpose", "sslserver", "-verify_hostname", host,
        "-untrusted", chain, chain, NULL};
    return supervise_wait_for(argv) == 0;
}

/* Signed by itself, whatever its time. A certificate of an authority was put here by a person. */
static bool is_self_signed(const char *chain)
{
    const char *argv[] = {"openssl", "verify", "-no_check_time", "-trusted", chain, chain, NULL};
    return supervise_wait_for(argv) == 0;
}

static bool is_certificate(const char *chain)
{
    const char *argv[] = {"openssl", "x509", "-noout", "-in", chain, NULL};
    return supervise_wait_for(argv) == 0;
}

static bool is_key(const char *key)
{
    const char *argv[] = {"openssl", "pkey", "-noout", "-in", key, "-passin", "pass:", NULL};
    return supervise_wait_for(argv) == 0;
}

/* Files that cannot be read, or a key of another certificate, as after a power failure or a copy of one file.
 * openssl refuses to pack these. */
static bool is_broken(const char *chain, const char *key)
{
    const char *argv[] = {"openssl", "pkcs12", "-export", "-in", chain, "-inkey", key, "-out", "/dev/null",
        "-passin", "pass:", "-passout", "pass:", NULL};
    return supervise_wait_for(argv) == 1;
}

/* `seconds` from now. */
static bool remains_valid(const char *chain, const char *seconds)
{
    const char *argv[] = {"openssl", "x509", "-checkend", seconds, "-noout", "-in", chain, NULL};
    return supervise_wait_for(argv) == 0;
}

static bool has_name(struct arena *a, const char *chain, struct str name)
{
    const char *option = is_address(a, name) ? "-verify_ip" : "-verify_hostname";
    const char *argv[] = {"openssl", "verify", "-no_check_time", option, arena_strndup(a, name.s, name.len),
        "-trusted", chain, chain, NULL};
    return supervise_wait_for(argv) == 0;
}

/* The machine's own name does not count: that of a container changes with every start, and people would have
 * to accept a new certificate each time. */
static bool has_names(const char *chain, const struct config_list *names)
{
    AUTO(arena) a = arena_new();
    char host[HOST_MAX];
    host_name(host);
    for (size_t i = 0; i < names->n; i++) {
        struct str name = bare(names->v[i]);
        if (name.len && !str_eq_nocase(name, str_of(host)) && !has_name(a, chain, name))
            return false;
    }
    return true;
}

/* Without openssl no certificate is self-signed and none is broken, so the one that is there stays. */
static bool is_to_renew(const struct certificate *c, const struct config_list *names)
{
    bool ours = is_self_signed(c->chain), broken = is_broken(c->chain, c->key);
    if (broken && (ours || !is_certificate(c->chain))) {
        log_warn("%s and its key cannot be used; both are made again", c->chain);
        return true;
    }
    return ours && !(remains_valid(c->chain, REMAINS_S) && has_names(c->chain, names));
}

enum rc certificate_ensure(
    const char *data_dir, const struct config_list *names, struct certificate *out, struct err *e)
{
    char dir[FS_PATH_MAX];
    enum rc rc = fs_join(dir, data_dir, "tls", e);
    if (rc != RC_OK || (rc = fs_join(out->chain, dir, "cert.pem", e)) != RC_OK ||
        (rc = fs_join(out->key, dir, "key.pem", e)) != RC_OK)
        return rc;
    if (fs_exists(out->chain) && fs_exists(out->key) && !is_to_renew(out, names))
        return RC_OK;
    return make(dir, names, out, e);
}

/* Opens a file in memory with the first certificate of `chain`, which nginx uses with the key; openssl would
 * find the one that fits anywhere in the file. */
static enum rc open_first(const char *chain, int *fd, struct err *e)
{
    AUTO_STRBUF text;
    strbuf_init(&text, CHAIN_MAX);
    enum rc rc = fs_read(chain, &text, e);
    if (rc != RC_OK)
        return rc;
    const char *end = strstr(text.s, LAST_LINE);
    size_t n = end ? (size_t)(end - text.s) + strlen(LAST_LINE) : text.len;
    *fd = memfd_create("certificate", 0); /* openssl inherits it */
    if (*fd < 0 || write(*fd, text.s, n) != (ssize_t)n || write(*fd, "\n", 1) != 1)
        return err_set(e, RC_IO, "%s: %s", chain, strerror(errno));
    return RC_OK;
}

enum rc certificate_check(const char *chain, const char *key, struct err *e)
{
    char path[32];
    AUTO_FD first = -1;
    enum rc rc = open_first(chain, &first, e);
    if (rc != RC_OK)
        return rc;
    snprintf(path, sizeof path, "/dev/fd/%d", first);
    if (!is_broken(path, key))
        return RC_OK;
    if (!is_certificate(path))
        return err_tell(e, RC_BAD_INPUT,
            "[server] certificate: %.150s does not begin with a certificate in the form PEM.", chain);
    if (!is_key(key))
        return err_tell(e, RC_BAD_INPUT,
            "[server] certificate_key: %.150s is no private key in the form PEM without a password.", key);
    return err_tell(e, RC_BAD_INPUT,
        "[server] certificate_key: %.100s does not belong to the first certificate of %.100s. "
        "Name the key with which that certificate was requested; "
        "the certificate of the server is the first of its file.",
        key, chain);
}

enum rc certificate_check_time(const char *chain, struct err *e)
{
    if (remains_valid(chain, "0") || !is_certificate(chain))
        return RC_OK;
    return err_tell(e, RC_BAD_INPUT,
        "[server] certificate: %.150s has expired, so browsers refuse it. "
        "Renew it and put the new files in place.",
        chain);
}
