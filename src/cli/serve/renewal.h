/* Notices that the files of a certificate were replaced, by their times and inodes. Owns nothing. */
#ifndef ALFRED_CLI_SERVE_RENEWAL_H
#define ALFRED_CLI_SERVE_RENEWAL_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#define RENEWAL_FILES 2 /* the chain and the key */

struct renewal {
    const char *files[RENEWAL_FILES];
    struct {
        ino_t inode;
        struct timespec changed;
    } seen[RENEWAL_FILES];
};

void renewal_init(struct renewal *r, const char *chain, const char *key);

/* True when a file is another one than at the last call, or at renewal_init(). A file that is missing for the
 * moment is not a change. */
bool renewal_noticed(struct renewal *r);

#endif
