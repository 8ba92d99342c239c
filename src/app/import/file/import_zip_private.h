/* Shared by the files that read a zip (import_zip.h). */
#ifndef ALFRED_APP_IMPORT_FILE_IMPORT_ZIP_PRIVATE_H
#define ALFRED_APP_IMPORT_FILE_IMPORT_ZIP_PRIVATE_H

#include "app/import/file/import_zip.h"
#include "base/little_endian.h"

#define ZIP_LOCAL_SIZE 30 /* bytes of a local header, without name and extra fields */
#define ZIP_STORED     0
#define ZIP_DEFLATED   8

struct zip_entry {
    uint64_t name;  /* hash of the whole name; of a picture, of its id */
    uint32_t group; /* consecutive entries of one folder have the same */
    uint32_t crc;
    uint64_t offset, packed, size;
    uint16_t method;
    uint8_t class, rank; /* the order: class, group, rank */
    uint8_t uses;        /* of a picture */
};

/* The files of ChatGPT that may be pictures: "file-AbC123-photo.png", "file_00AB-sanitized.dat", in any
 * folder. */
struct zip_pictures {
    int fd;
    struct zip_entry *entries; /* by `name` */
    size_t n, room;
};

/* `*id`: hash of the file's id. False: another file. */
bool zip_is_picture(struct str base, uint64_t *id);
/* Further ones than ZIP_WANTED_MAX are passed over. */
enum rc zip_picture_add(struct zip_pictures *p, const struct zip_entry *entry);
void zip_pictures_sort(struct zip_pictures *p);

uint64_t zip_hash(struct str s);

#endif
