/* Loaded into the programs by the rig (LD_PRELOAD), and linked into tests/unit/app/account/auth: passwords
 * are hashed with the lowest cost that libsodium knows.
 *
 * Each account of a test would cost .16 s of processor time, a tenth of the http tests. The format is the
 * same, and the cost is a part of it, so checking needs no change. tests/unit/app/account/password.c and
 * tests of tests/http/account have the real cost. */
#include <dlfcn.h>
#include <sodium.h>
#include <stdlib.h>

int crypto_pwhash_str_alg(char out[crypto_pwhash_STRBYTES], const char *const passwd,
    unsigned long long passwdlen, unsigned long long opslimit, size_t memlimit, int alg)
{
    int (*real)(char *, const char *, unsigned long long, unsigned long long, size_t, int);

    (void)opslimit;
    (void)memlimit;
    *(void **)&real = dlsym(RTLD_NEXT, "crypto_pwhash_str_alg");
    if (!real)
        abort();
    return real(out, passwd, passwdlen, crypto_pwhash_OPSLIMIT_MIN, crypto_pwhash_MEMLIMIT_MIN, alg);
}
