/*
 * Relocation and initialisation read most of a library and of those that it needs: 5.5 of libcurl's 9 MB are
 * not read again. After them, pages of code and constants leave the process. The kernel has them in its cache
 * and maps those that are used.
 */
#include "base/shared_library.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* True when the loader writes into segments that are read-only afterwards. */
static bool has_text_relocations(const struct dl_phdr_info *object)
{
    for (ElfW(Half) i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[i];
        if (p->p_type != PT_DYNAMIC)
            continue;
        for (const ElfW(Dyn) *d = (const void *)(object->dlpi_addr + p->p_vaddr); d->d_tag != DT_NULL; d++)
            if (d->d_tag == DT_TEXTREL || (d->d_tag == DT_FLAGS && d->d_un.d_val & DF_TEXTREL))
                return true;
    }
    return false;
}

static int count(struct dl_phdr_info *object, size_t size, void *n)
{
    (void)object;
    (void)size;
    ++*(size_t *)n;
    return 0;
}

/* `arg`: the number of objects to skip. */
static int unmap_unchanged(struct dl_phdr_info *object, size_t size, void *arg)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    size_t *skip = arg;
    (void)size;
    if (*skip) {
        --*skip;
        return 0;
    }
    if (has_text_relocations(object))
        return 0;
    for (ElfW(Half) i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[i];
        uintptr_t at = object->dlpi_addr + p->p_vaddr, begin = at & ~(page - 1);
        if (p->p_type == PT_LOAD && !(p->p_flags & PF_W))
            madvise((void *)begin, at + p->p_memsz - begin, MADV_DONTNEED); /* a refusal is harmless */
    }
    return 0;
}

/* Returns with l->failure set when something is missing. */
static void load(struct shared_library *l)
{
    *l->failure = '\0';
    void *library = dlopen(l->file, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(l->failure, sizeof l->failure, "%s", dlerror());
        return;
    }
    for (const struct shared_function *f = l->functions; f->name; f++) {
        void *address = dlsym(library, f->name);
        if (!address) {
            snprintf(l->failure, sizeof l->failure, "%s has no function %s", l->file, f->name);
            return;
        }
        memcpy(f->pointer, &address, sizeof address);
    }
    if (l->init && !l->init())
        snprintf(l->failure, sizeof l->failure, "%s cannot be initialised", l->file);
}

enum rc shared_library_load(struct shared_library *l, struct err *e)
{
    pthread_mutex_lock(&l->lock);
    if (!l->loaded) {
        size_t before = 0;
        dl_iterate_phdr(count, &before);
        load(l);
        dl_iterate_phdr(unmap_unchanged, &before); /* new objects come last */
        l->loaded = !*l->failure;
    }
    enum rc rc = l->loaded ? RC_OK : err_set(e, RC_UNAVAILABLE, "%s", l->failure);
    pthread_mutex_unlock(&l->lock);
    return rc;
}
