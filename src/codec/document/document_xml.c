/*
 * libexpat has no limit for what it keeps: names of elements and attributes, a token that does not end. So
 * its memory is counted. Its allocator has no argument, therefore the count is that of the thread.
 */
#include "codec/document/document_xml.h"

#include <expat.h>
#include <malloc.h>
#include <stdlib.h>

#include "base/shared_library.h"

/* Of elements on the stack, besides the tags of a format. */
#define UNKNOWN         0
#define ALTERNATIVES    (-2)
#define ALTERNATIVE_HAD (-3) /* one was read */

#define SEPARATOR '|' /* between namespace and name; no address has it */
#define OOXML     "http://schemas.openxmlformats.org/"
#define STRICT    "http://purl.oclc.org/ooxml/"
#define ODF       "urn:oasis:names:tc:opendocument:xmlns:"

#define FUNCTIONS(f)                                                                              \
    f(XML_ParserCreate_MM) f(XML_ParserFree) f(XML_SetUserData) f(XML_SetElementHandler)          \
        f(XML_SetCharacterDataHandler) f(XML_SetEntityDeclHandler) f(XML_Parse) f(XML_StopParser) \
            f(XML_GetErrorCode)

#define MEMBER(name)   __typeof__(&name) name;
#define FUNCTION(name) {#name, &expat.name},
/* Written once before the first call; read-only afterwards. */
static struct {
    FUNCTIONS(MEMBER)
} expat;
static const struct shared_function functions[] = {FUNCTIONS(FUNCTION){0}};
static struct shared_library libexpat = SHARED_LIBRARY("libexpat.so.1", functions, NULL);

static const struct {
    const char *address;
    enum xml_ns ns;
} namespaces[] = {
    {OOXML "spreadsheetml/2006/main", NS_S},
    {OOXML "wordprocessingml/2006/main", NS_W},
    {OOXML "drawingml/2006/main", NS_A},
    {OOXML "presentationml/2006/main", NS_P},
    {OOXML "drawingml/2006/wordprocessingDrawing", NS_WP},
    {OOXML "officeDocument/2006/math", NS_M},
    {OOXML "markup-compatibility/2006", NS_MC},
    {OOXML "package/2006/relationships", NS_RELS},
    {OOXML "package/2006/content-types", NS_TYPES},
    {STRICT "spreadsheetml/main", NS_S},
    {STRICT "wordprocessingml/main", NS_W},
    {STRICT "drawingml/main", NS_A},
    {STRICT "presentationml/main", NS_P},
    {STRICT "drawingml/wordprocessingDrawing", NS_WP},
    {STRICT "officeDocument/math", NS_M},
    {ODF "text:1.0", NS_TEXT},
    {ODF "table:1.0", NS_TABLE},
    {ODF "office:1.0", NS_OFFICE},
    {ODF "drawing:1.0", NS_DRAW},
    {ODF "style:1.0", NS_STYLE},
    {ODF "datastyle:1.0", NS_NUMBER},
    {ODF "svg-compatible:1.0", NS_SVG},
    {ODF "presentation:1.0", NS_PRESENTATION},
    {ODF "manifest:1.0", NS_MANIFEST},
    {ODF "container", NS_CONTAINER},
    {"http://www.idpf.org/2007/opf", NS_OPF},
    {"http://purl.org/dc/elements/1.1/", NS_DC},
    {"http://www.w3.org/2001/04/xmlenc#", NS_ENC},
};

struct reading {
    XML_Parser parser;
    struct xml_limits *limits;
    const struct xml_tag *tags;
    const struct xml_ops *ops;
    void *arg;
    int stack[DOCUMENT_XML_DEPTH_MAX];
    size_t depth, skipped; /* skipped: open elements from the one on that is skipped */
    int known;             /* the innermost known element */
    size_t last;           /* the namespace of the last element */
    enum rc stopped;
};

/* ---- memory ---- */

static _Thread_local size_t taken;

static bool counted(void *block)
{
    taken += block ? malloc_usable_size(block) : 0;
    return block;
}

static void give_back(void *block)
{
    taken -= block ? malloc_usable_size(block) : 0;
    free(block);
}

static void *take(size_t n)
{
    if (n > DOCUMENT_XML_MEMORY_MAX || taken > DOCUMENT_XML_MEMORY_MAX - n)
        return NULL;
    void *block = xmalloc(n ? n : 1);
    counted(block);
    return block;
}

static void *resize(void *block, size_t n)
{
    size_t had = block ? malloc_usable_size(block) : 0;
    if (n > DOCUMENT_XML_MEMORY_MAX || taken - had > DOCUMENT_XML_MEMORY_MAX - n)
        return NULL;
    taken -= had;
    block = xrealloc(block, n ? n : 1);
    counted(block);
    return block;
}

/* ---- attributes ---- */

static const char *attribute(xml_attributes at, const char *name, bool reference)
{
    for (; *at; at += 2) {
        const char *mark = strrchr(*at, SEPARATOR);
        if (strcmp(mark ? mark + 1 : *at, name) != 0)
            continue;
        static const char refers[] = "/relationships";
        bool is_reference = mark && (size_t)(mark - *at) >= strlen(refers) &&
                            memcmp(mark - strlen(refers), refers, strlen(refers)) == 0;
        if (is_reference == reference)
            return at[1];
    }
    return NULL;
}

const char *xml_attribute(xml_attributes at, const char *name)
{
    return attribute(at, name, false);
}

const char *xml_reference(xml_attributes at, const char *name)
{
    return attribute(at, name, true);
}

int64_t xml_number(const char *value, int64_t min, int64_t max, int64_t none)
{
    char *end;
    if (!value)
        return none;
    long long n = strtoll(value, &end, 10);
    if (end == value)
        return none;
    return n < min ? min : n > max ? max : n;
}

/* ---- elements ---- */

static enum xml_ns namespace_of(struct reading *r, struct str address)
{
    for (size_t i = 0; i < ARRAY_LEN(namespaces); i++) {
        size_t at = (r->last + i) % ARRAY_LEN(namespaces);
        if (str_is(address, namespaces[at].address)) {
            r->last = at;
            return namespaces[at].ns;
        }
    }
    return NS_OTHER;
}

static int tag_of(struct reading *r, const char *name)
{
    const char *mark = strrchr(name, SEPARATOR);
    enum xml_ns ns = mark ? namespace_of(r, (struct str){name, (size_t)(mark - name)}) : NS_OTHER;
    if (ns == NS_OTHER)
        return UNKNOWN;
    if (ns == NS_MC && strcmp(mark + 1, "AlternateContent") == 0)
        return ALTERNATIVES;
    int *around = r->depth ? &r->stack[r->depth - 1] : NULL;
    if (ns == NS_MC && around && *around == ALTERNATIVE_HAD)
        return XML_SKIP;
    if (ns == NS_MC && around && *around == ALTERNATIVES)
        *around = ALTERNATIVE_HAD;
    for (const struct xml_tag *t = r->tags; t->name; t++)
        if (t->ns == ns && strcmp(t->name, mark + 1) == 0)
            return t->tag;
    return UNKNOWN;
}

static void stop(struct reading *r, enum rc rc)
{
    if (r->stopped != RC_OK)
        return;
    r->stopped = rc;
    expat.XML_StopParser(r->parser, XML_FALSE);
}

static void stop_when_full(struct reading *r)
{
    if (r->limits->full)
        stop(r, RC_TOO_BIG);
}

static void on_start(void *arg, const XML_Char *name, const XML_Char **at)
{
    struct reading *r = arg;
    if (r->stopped != RC_OK)
        return;
    r->limits->elements++;
    for (const XML_Char **a = at; *a; a += 2)
        r->limits->elements++;
    if (r->limits->elements > DOCUMENT_XML_ELEMENTS_MAX || r->depth == DOCUMENT_XML_DEPTH_MAX) {
        stop(r, RC_TOO_BIG);
        return;
    }
    int tag = r->skipped ? UNKNOWN : tag_of(r, name);
    r->stack[r->depth++] = tag;
    if (r->skipped || tag == XML_SKIP)
        r->skipped++;
    if (tag <= UNKNOWN)
        return;
    r->known = tag;
    if (r->ops->start)
        r->ops->start(r->arg, tag, at);
    stop_when_full(r);
}

static void on_end(void *arg, const XML_Char *name)
{
    struct reading *r = arg;
    (void)name;
    if (r->stopped != RC_OK)
        return;
    int tag = r->stack[--r->depth];
    r->skipped -= r->skipped > 0;
    if (tag <= UNKNOWN)
        return;
    if (r->ops->end)
        r->ops->end(r->arg, tag);
    r->known = UNKNOWN;
    for (size_t i = r->depth; i-- > 0 && r->known <= UNKNOWN;)
        r->known = r->stack[i];
    r->known = r->known > UNKNOWN ? r->known : UNKNOWN;
    stop_when_full(r);
}

static void on_text(void *arg, const XML_Char *text, int len)
{
    struct reading *r = arg;
    if (r->stopped != RC_OK || r->skipped || !r->ops->text || r->known == UNKNOWN)
        return;
    r->ops->text(r->arg, r->known, (struct str){text, (size_t)len});
    stop_when_full(r);
}

static void on_entity(void *arg, const XML_Char *name, int parameter, const XML_Char *value, int len,
    const XML_Char *base, const XML_Char *system, const XML_Char *public, const XML_Char *notation)
{
    (void)name, (void)parameter, (void)value, (void)len;
    (void)base, (void)system, (void)public, (void)notation;
    stop(arg, RC_BAD_INPUT);
}

/* ---- parts ---- */

static enum rc on_piece(void *arg, struct str piece, bool last, struct err *e)
{
    struct reading *r = arg;
    if (expat.XML_Parse(r->parser, piece.s, (int)piece.len, last) == XML_STATUS_OK)
        return RC_OK;
    if (r->stopped == RC_TOO_BIG || expat.XML_GetErrorCode(r->parser) == XML_ERROR_NO_MEMORY)
        return err_set(e, RC_TOO_BIG, "XML with too many elements or too much text");
    return err_set(e, RC_BAD_INPUT, "XML that is damaged or declares entities");
}

enum rc xml_read(struct document_zip *z, const struct document_zip_entry *entry, struct xml_limits *limits,
    const struct xml_tag *tags, const struct xml_ops *ops, void *arg, struct err *e)
{
    static const XML_Memory_Handling_Suite memory = {take, resize, give_back};
    static const XML_Char separator[] = {SEPARATOR, '\0'};
    enum rc rc = shared_library_load(&libexpat, e);
    if (rc != RC_OK)
        return rc;
    struct reading r = {.limits = limits, .tags = tags, .ops = ops, .arg = arg};
    r.parser = expat.XML_ParserCreate_MM(NULL, &memory, separator);
    if (!r.parser)
        return err_set(e, RC_TOO_BIG, "no memory for an XML parser");
    expat.XML_SetUserData(r.parser, &r);
    expat.XML_SetElementHandler(r.parser, on_start, on_end);
    expat.XML_SetCharacterDataHandler(r.parser, on_text);
    expat.XML_SetEntityDeclHandler(r.parser, on_entity);
    rc = document_zip_read(z, entry, on_piece, &r, e);
    expat.XML_ParserFree(r.parser);
    return rc;
}
