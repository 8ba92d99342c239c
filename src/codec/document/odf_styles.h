/* Styles of OpenDocument: titles, lists and hidden sheets. From styles.xml and the styles of content.xml. */
#ifndef ALFRED_CODEC_DOCUMENT_ODF_STYLES_H
#define ALFRED_CODEC_DOCUMENT_ODF_STYLES_H

#include "codec/document/document_private.h"

#define ODF_LEVELS 10 /* of lists */

struct odf_level {
    bool numbered;
    enum numeral form;
    int start, shown; /* shown: levels in the label */
    struct str before, after;
};

struct odf_list_style {
    struct str name;
    struct odf_level levels[ODF_LEVELS];
};

struct odf_style {
    struct str name, parent;
    bool hidden; /* a sheet with it */
};

struct odf_styles {
    struct document *d;
    struct {
        struct odf_style *list;
        size_t n, room;
    } styles;
    struct {
        struct odf_list_style *list;
        size_t n, room;
    } lists;
};

enum rc odf_styles_read(struct document *d, struct odf_styles *out, struct err *e);
void odf_styles_release(struct odf_styles *s);

bool odf_styles_is_title(const struct odf_styles *s, const char *style); /* may be NULL */
bool odf_styles_hides(const struct odf_styles *s, const char *style);    /* may be NULL */
/* NULL: there is none. */
const struct odf_list_style *odf_styles_list(const struct odf_styles *s, struct str name);

#endif
