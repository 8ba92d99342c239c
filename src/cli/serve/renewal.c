#include "cli/serve/renewal.h"

#include <sys/stat.h>

#include "base/mem.h"

static bool look(struct renewal *r, size_t i)
{
    struct stat st;
    if (stat(r->files[i], &st) < 0)
        return false;
    bool same = st.st_ino == r->seen[i].inode && st.st_mtim.tv_sec == r->seen[i].changed.tv_sec &&
                st.st_mtim.tv_nsec == r->seen[i].changed.tv_nsec;
    r->seen[i].inode = st.st_ino;
    r->seen[i].changed = st.st_mtim;
    return !same;
}

bool renewal_noticed(struct renewal *r)
{
    bool noticed = false;
    for (size_t i = 0; i < ARRAY_LEN(r->files); i++)
        noticed = look(r, i) || noticed;
    return noticed;
}

void renewal_init(struct renewal *r, const char *chain, const char *key)
{
    *r = (struct renewal){.files = {chain, key}};
    renewal_noticed(r);
}
