/* Shared by the files that read formats: parts of a conversation from JSON. */
#ifndef ALFRED_APP_IMPORT_FORMAT_IMPORT_FORMAT_PRIVATE_H
#define ALFRED_APP_IMPORT_FORMAT_IMPORT_FORMAT_PRIVATE_H

#include "app/import/format/import_format.h"
#include "base/strbuf.h"
#include "store/session/session.h"

/* Bytes of text of one conversation in our format. */
#define IMPORT_CONVERSATION_MAX ((size_t)64 * 1024 * 1024)

#define IMPORT_MESSAGES_MAX ((size_t)50000)              /* messages of one conversation */
#define IMPORT_EXTRAS_MAX   ((size_t)1000)               /* its summaries, memories and tasks */
#define IMPORT_TEXT_MAX     ((size_t)1024 * 1024)        /* bytes of one message; a longer one is cut */
#define IMPORT_CALLS_MAX    ((size_t)256 * 1024)         /* bytes of a message's calls */
#define IMPORT_PICTURES_MAX ((int64_t)256 * 1024 * 1024) /* bytes of pictures of one conversation */

/* ---- import_tree.c ---- */

struct import_message *import_add(struct import_conversation *c, const char *key, const char *parent);
/* Adds a part of a message that becomes several, below *parent. Its key is "ID#N" with N = *pieces, which is
 * counted up, and becomes *parent. */
struct import_message *import_add_piece(struct import_conversation *c, const char *id, size_t *pieces,
    const char **parent, enum message_role role, struct str text);
struct import_extra *import_add_extra(struct import_conversation *c);

/* ---- import_text.c: JSON to storable values ---- */

/* One line without control characters, at most `chars`; NULL when nothing is left. */
const char *import_line(struct arena *a, struct str s, size_t chars);
const char *import_line_of(struct arena *a, const json_t *obj, const char *key, size_t chars);
/* Appends a text of any length, in the conversation's arena. */
struct str import_text(struct import_conversation *c, struct str s);
/* Appends `s` below what `b` has, after an empty line; an empty `s` adds nothing. */
void import_paragraph(struct strbuf *b, struct str s);
/* Appends a document as a fenced block, after an empty line, with its name above it unless that is empty. */
void import_document(struct strbuf *b, struct str name, struct str language, struct str text);
/* The text with its character references resolved. */
struct str import_unescaped(struct arena *a, struct str s);
/* The value of an attribute of an element, likewise. `head`: its attributes. Empty: there is none. */
struct str import_attribute(struct arena *a, struct str head, const char *name);
/* Removes the lines ":::name{...}" and ":::" around blocks of a text, which become paragraphs. A title or
 * subject of a block becomes one, too. */
void import_unwrap(struct strbuf *b, struct str name);
/* "[title](url)" */
const char *import_link(struct arena *a, struct str title, struct str url);
/* Sets what follows, a source in parentheses, apart from the word before it. */
void import_apart(struct strbuf *b);
/* The link to a page {title, ADDRESS}; `address`: the name of that member. NULL: it has no address. */
const char *import_page(struct arena *a, const json_t *page, const char *address);
/* "chatgpt:..."; NULL for an id that is empty or too long to be stored. */
const char *import_outer_id(struct import_conversation *c, const char *source, struct str id);
/* Seconds (maybe with a fraction) or milliseconds of a member of `obj`, as milliseconds; 0 when it is
 * missing or in the future. */
int64_t import_seconds(const json_t *obj, const char *key);
int64_t import_ms(const json_t *obj, const char *key);
/* The time in a text like "2026-03-29T07:06:34.084721Z", as milliseconds; 0 as above. */
int64_t import_iso(const json_t *obj, const char *key);
/* How long a model reasoned, as it is stored; 0: not told, or more than a day. */
int64_t import_reasoning_ms(double ms);
/* "(The file notes.pdf was here.)", with the name in that member; IMPORT_FILE_NOTE without one. */
const char *import_file_note(struct arena *a, const json_t *file, const char *key);
#define IMPORT_FILE_NOTE  "(A file was here.)"
#define IMPORT_IMAGE_NOTE "(An image was here.)"
/* The text with the note below it. */
struct str import_with_note(struct import_conversation *c, struct str text, const char *note);
/* The names of tags in a list, as those of the conversation. */
void import_tags(struct import_conversation *c, const json_t *list);
/* A name in the form that providers accept: letters, digits, - and _. */
const char *import_tool_name(struct arena *a, struct str s);
/* "user", "assistant", "system", "tool"; false: another word. */
bool import_role(struct str word, enum message_role *out);

/* ---- import_pictures.c ---- */

/* Adds a picture to a message of the user: from base64, or from a data URL with a file that
 * json_stream_data() has cut. RC_UNSUPPORTED and RC_TOO_BIG: Alfred does not accept the picture, and the
 * message stays as it is. RC_IO. */
enum rc import_picture_add_base64(
    struct import_conversation *c, struct import_message *m, struct str base64, struct err *e);
/* Adds a file of ChatGPT's zip: "file-service://file-AbC123", "sediment://file_00AB". */
enum rc import_picture_add_file(
    struct import_conversation *c, struct import_message *m, struct str pointer, struct err *e);

/* ---- import_calls.c ---- */

/* The value of a JSON text, which may be in a JSON string; NULL: it is none. */
json_t *import_json(struct arena *a, struct str text);
/* The arguments of a call: the object in a JSON text, else {"input": text}. */
json_t *import_args(struct arena *a, struct str text);
/* A list of {id, name, args} as text of at most IMPORT_CALLS_MAX bytes and within CONTEXT_CALLS_LIMITS.
 * Strings that are too long for that are cut and end with "…"; else the arguments are left out. NULL: the
 * list is empty, or has too many calls. */
const char *import_calls(struct arena *a, const json_t *calls);
/* The list of one call. */
const char *import_call(struct arena *a, const char *id, const char *name, const json_t *args);

#endif
