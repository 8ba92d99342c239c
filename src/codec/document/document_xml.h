/*
 * An XML part of a document, by libexpat: the elements that a format knows, with their text. The library is
 * loaded at the first part (base/shared_library.h).
 *
 * A part is parsed while it is unpacked. Declarations of entities are refused, external ones are never read.
 */
#ifndef ALFRED_CODEC_DOCUMENT_DOCUMENT_XML_H
#define ALFRED_CODEC_DOCUMENT_DOCUMENT_XML_H

#include "codec/document/document_zip.h"

#define DOCUMENT_XML_DEPTH_MAX    256
#define DOCUMENT_XML_ELEMENTS_MAX 8000000            /* of all parts of a document, attributes included */
#define DOCUMENT_XML_MEMORY_MAX   ((size_t)32 << 20) /* bytes that the library may have at once */

/* Namespaces, those of ISO 29500 strict included. */
enum xml_ns {
    NS_OTHER,
    NS_TYPES, /* [Content_Types].xml */
    NS_RELS,  /* *.rels */
    NS_MC,    /* alternatives for other versions of a program */
    NS_W,     /* Word */
    NS_S,     /* Excel */
    NS_P,     /* PowerPoint */
    NS_A,     /* texts of drawings */
    NS_WP,    /* drawings in Word */
    NS_M,     /* formulas */
    NS_OFFICE,
    NS_TEXT,
    NS_TABLE,
    NS_DRAW,
    NS_STYLE,
    NS_NUMBER,
    NS_SVG,
    NS_PRESENTATION,
    NS_MANIFEST,
    NS_CONTAINER,
    NS_OPF,
    NS_DC,
    NS_ENC
};

/* An element that a format knows. Others give no events, but their content does. XML_SKIP: neither does the
 * content. Of mc:AlternateContent the first alternative is read, the others are skipped. */
struct xml_tag {
    enum xml_ns ns;
    const char *name; /* NULL: the end of the table */
    int tag;
};
#define XML_SKIP (-1)

typedef const char *const *xml_attributes;
/* The value of an attribute by its local name, in any namespace but that of references; NULL: there is none.
 */
const char *xml_attribute(xml_attributes at, const char *name);
/* A reference to a relationship, such as r:id. */
const char *xml_reference(xml_attributes at, const char *name);
/* A decimal number from `min` to `max`; what is larger or smaller becomes that, what is none `none`. */
int64_t xml_number(const char *value, int64_t min, int64_t max, int64_t none);

/* Any may be NULL. `tag` of text: the innermost known element around it. */
struct xml_ops {
    void (*start)(void *arg, int tag, xml_attributes at);
    void (*end)(void *arg, int tag);
    void (*text)(void *arg, int tag, struct str text);
};

/* Shared by all parts of a document. */
struct xml_limits {
    size_t elements; /* so far */
    bool full;       /* a handler sets it: the parser stops with RC_TOO_BIG */
};

/* RC_BAD_INPUT: damaged. RC_TOO_BIG: a limit. RC_FORBIDDEN: encrypted. RC_UNAVAILABLE: the library is
 * missing. */
enum rc xml_read(struct document_zip *z, const struct document_zip_entry *entry, struct xml_limits *limits,
    const struct xml_tag *tags, const struct xml_ops *ops, void *arg, struct err *e);

#endif
