/* Shared by the formats (document.h). */
#ifndef ALFRED_CODEC_DOCUMENT_DOCUMENT_PRIVATE_H
#define ALFRED_CODEC_DOCUMENT_DOCUMENT_PRIVATE_H

#include "codec/document/document_write.h"
#include "codec/document/document_xml.h"

struct document {
    struct arena *arena;
    struct document_zip zip;
    struct xml_limits limits;
    struct document_out out;
};

/* An array in the heap that grows; `items` is the caller's to free. Returns the new, zeroed item. */
void *document_grow(void **items, size_t *n, size_t *room, size_t size);
/* The same as a member of a struct: `struct thing *list; size_t n, room`. */
#define DOCUMENT_GROW(of) \
    ((__typeof__((of)->list))document_grow((void **)&(of)->list, &(of)->n, &(of)->room, sizeof *(of)->list))

int document_compare(struct str a, struct str b); /* for qsort() and bsearch() */

/* The part `name`, read with these tags. A part that is missing is RC_OK without events. */
enum rc document_part(struct document *d, struct str name, const struct xml_tag *tags,
    const struct xml_ops *ops, void *arg, struct err *e);

/* The name of the part to which `target` leads from the part `from`; in the arena. */
struct str document_path(struct arena *a, struct str from, struct str target);
/* True for addresses that are worth reading: of the web and of mail. */
bool document_is_address(struct str url);

/* Relationships of a part of Office Open XML. */
struct relation {
    struct str id, type, target; /* target: a name of a part, or an address */
    bool external;
};
struct relations {
    struct relation *list; /* by id */
    size_t n, room;
};
enum rc relations_read(struct document *d, struct str part, struct relations *out, struct err *e);
void relations_release(struct relations *r);
const struct relation *relations_find(const struct relations *r, const char *id);
/* The first whose type ends like this; NULL: none. */
const struct relation *relations_of_type(const struct relations *r, struct str end);

/* How numbers of lists are written. */
enum numeral { NUMERAL_DECIMAL, NUMERAL_LETTER, NUMERAL_CAPITAL, NUMERAL_ROMAN, NUMERAL_ROMAN_CAPITAL };
void numeral_add(struct strbuf *out, enum numeral form, int64_t n);

/* The formats. `main`: the main part. */
enum rc docx_read(struct document *d, struct str main, struct err *e);
enum rc xlsx_read(struct document *d, struct str main, struct err *e);
enum rc pptx_read(struct document *d, struct str main, struct err *e);
enum rc odf_read(struct document *d, struct err *e);
enum rc epub_read(struct document *d, struct err *e);

#endif
