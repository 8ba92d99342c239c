/*
 * Shared by the files of the import: a conversation of any origin, and the steps that store it.
 *
 *     file/import_file.c reads the bytes of a plain, gzip or zip file
 *     import.c           finds the values in these bytes and calls the other steps
 *     import_alfred.c, import_chatgpt.c, import_claude.c, import_librechat.c, import_openwebui.c
 *                        convert a value into a struct import_conversation
 *     import_chatgpt_marks.c, import_chatgpt_tools.c, import_chatgpt_thoughts.c
 *                        sources, tools and reasoning of ChatGPT
 *     import_claude_text.c
 *                        the texts of Claude's answers
 *     import_openwebui_answer.c
 *                        the answers of Open WebUI
 *     import_text.c      texts, names and times in JSON as values for the store
 *     import_calls.c     calls of tools of other services
 *     import_tree.c      finds parents, cuts loops, orders parents before children
 *     import_pictures.c  pictures of messages, between reading and storing
 *     import_known.c     leaves out facts that are stored already
 *     import_save.c      stores a conversation in transactions
 *     import_extra.c     stores what a conversation has besides its messages
 *     import_grow.c      adds the new messages of a conversation that was imported before
 *     import_personal.c  stores settings, instructions, personas, prompts and tags of our format
 *     import_words.c     the result in words
 */
#ifndef ALFRED_APP_IMPORT_IMPORT_PRIVATE_H
#define ALFRED_APP_IMPORT_IMPORT_PRIVATE_H

#include "app/import/import.h"
#include "base/strbuf.h"
#include "codec/json/json.h"
#include "store/memory/compaction.h"
#include "store/memory/memory.h"
#include "store/memory/summary.h"
#include "store/message/picture.h"
#include "store/reminder.h"
#include "store/task.h"

/* Bytes of one conversation as JSON, or of one record of our format. */
#define IMPORT_VALUE_MAX ((size_t)16 * 1024 * 1024)
/* Our records contain stored calls, so they nest deeper than calls. */
#define IMPORT_LIMITS ((struct json_limits){JSON_DEPTH_MAX + 3, 200000})
/* Of LibreChat, whose messages nest. jansson refuses more than 2048 levels. */
#define IMPORT_NESTED_LIMITS ((struct json_limits){2000, 200000})
/* Bytes of text of one conversation in our format. */
#define IMPORT_CONVERSATION_MAX ((size_t)64 * 1024 * 1024)

#define IMPORT_MESSAGES_MAX ((size_t)50000)              /* messages of one conversation */
#define IMPORT_EXTRAS_MAX   ((size_t)1000)               /* its summaries, memories and tasks */
#define IMPORT_TEXT_MAX     ((size_t)1024 * 1024)        /* bytes of one message; a longer one is cut */
#define IMPORT_CALLS_MAX    ((size_t)256 * 1024)         /* bytes of a message's calls */
#define IMPORT_WORD_MAX     ((size_t)200)                /* bytes of a model's, provider's, tool's name */
#define IMPORT_PASS_MAX     ((int64_t)256 * 1024 * 1024) /* bytes of a value that is skipped */
#define IMPORT_PICTURES_MAX ((int64_t)256 * 1024 * 1024) /* bytes of pictures of one conversation */
#define IMPORT_NONE         SIZE_MAX

#define IMPORT_CHANNEL "import"

/* A picture whose bytes wait in a file (import_pictures.c). */
struct import_picture {
    struct picture picture; /* without an id */
    int64_t at;             /* in that file */
};

struct import_message {
    const char *key, *parent; /* as in the file; parent NULL: none */
    enum message_role role;
    enum message_status status;
    struct str text;
    const char *calls, *call_id, *tool, *error, *provider, *model;
    struct import_picture *pictures; /* NULL: none; otherwise room for PICTURES_PER_MESSAGE */
    size_t pictures_n;
    struct str reasoning;
    enum message_stop stop;
    int64_t tokens_in, tokens_out, tokens_cached, tokens_reasoning, reasoning_ms, created_at, ended_at;
    bool edited;      /* an answer that the user rewrote */
    bool dropped;     /* its children move to its parent */
    size_t parent_at; /* after import_tree(): an index, IMPORT_NONE for a root */
    int64_t id;       /* in the store; 0 until it is stored */
};

/* A summary, compaction, memory, task or reminder of a conversation: its row, and the messages that it refers
 * to. */
struct import_extra {
    enum { EXTRA_SUMMARY, EXTRA_COMPACTION, EXTRA_MEMORY, EXTRA_TASK, EXTRA_REMINDER } kind;
    const char *first, *last;     /* `first` is the source of a memory, task or reminder */
    bool skip;                    /* import_known_takes() refused it */
    int64_t paused_at, snooze_at; /* of a reminder, or of a task's one; 0: not paused, not put off */
    union {
        struct summary summary;
        struct compaction compaction;
        struct memory memory;
        struct task task;
        struct reminder reminder;
    };
};

struct import_pictures;
struct import_conversation {
    struct arena *a;
    struct import_pictures *pictures;
    size_t bytes;         /* bytes of text so far */
    const char *outer_id; /* "chatgpt:..."; NULL: none, import_prepare() derives one from the text */
    const char *own_pub;  /* for our own format: ses_..., which may exist here */
    const char *title, *titled_by, *topic, *keywords, *workspace, *provider, *model, *effort, *persona;
    int temperature;
    int64_t answer_tokens;
    const char **tags;
    size_t tags_n;
    int64_t created_at, active_at, archived_at;
    bool pinned, archived_by_user;
    bool in_order;                                  /* the messages are in the order of their creation */
    const char *head, *topic_knows, *summary_knows; /* keys */
    struct import_message *messages;
    size_t n, room;
    struct import_extra *extras;
    size_t extras_n, extras_room;
    size_t *order; /* after import_tree(): the indices of the kept messages, parents first */
    size_t order_n;
    size_t *sorted; /* all indices by key */
    /* import_save.c */
    uint64_t digest; /* hash of title and texts */
    int64_t counted; /* messages of the user, and answers */
    int64_t ids_of;  /* the session whose messages' ids are known; 0: none yet */
    size_t ids_n;    /* the first ids_n of the order have theirs */
};

/* ---- import_tree.c ---- */

struct import_message *import_add(struct import_conversation *c, const char *key, const char *parent);
/* Adds a part of a message that becomes several, below *parent. Its key is "ID#N" with N = *pieces, which is
 * counted up, and becomes *parent. */
struct import_message *import_add_piece(struct import_conversation *c, const char *id, size_t *pieces,
    const char **parent, enum message_role role, struct str text);
struct import_extra *import_add_extra(struct import_conversation *c);
/* Fills parent_at and order. Messages in a loop, or below one, are left out. */
void import_tree(struct import_conversation *c);
/* The message with this key if it is kept, else the nearest kept one above it; IMPORT_NONE. */
size_t import_find(const struct import_conversation *c, const char *key);

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

/* The bytes of the pictures of one conversation, in a file without a name in the data folder, so that memory
 * holds one picture at most. */
struct import_pictures {
    const struct config *config;
    struct zip_pictures *zip; /* of ChatGPT; NULL: none */
    int fd;                   /* -1 until the first picture */
    int64_t size;             /* bytes that are used */
    struct import_data {
        int64_t at, len;
    } * data; /* base64 of embedded files, in order; len 0: too large */
    size_t data_n, data_room;
    int64_t data_len; /* of the one that is being read */
    enum rc failed;   /* RC_IO: the file could not be written; RC_UNAVAILABLE: the disk is full */
};
/* For the next conversation. */
void import_pictures_clear(struct import_pictures *p);
/* Adds a picture to a message of the user: from base64, or from a data URL with a file that
 * json_stream_data() has cut. RC_UNSUPPORTED and RC_TOO_BIG: Alfred does not accept the picture, and the
 * message stays as it is. RC_IO. */
enum rc import_picture_add_base64(
    struct import_conversation *c, struct import_message *m, struct str base64, struct err *e);
/* Adds a file of ChatGPT's zip: "file-service://file-AbC123", "sediment://file_00AB". */
enum rc import_picture_add_file(
    struct import_conversation *c, struct import_message *m, struct str pointer, struct err *e);
/* A json_stream_data_fn for a `struct import_pictures *`: keeps the files that import_picture_add_base64()
 * may ask for. */
void import_pictures_take(void *arg, struct str piece, bool cut);
/* Stores the first `*n` pictures, for which the user has room, without a message; `out` is in `a`. For the
 * transaction that adds the message. */
enum rc import_pictures_store(struct db *db, struct arena *a, int64_t owner,
    const struct import_conversation *c, const struct import_message *m, int64_t now, struct picture **out,
    size_t *n, struct err *e);
/* The text of a message of which the first `n` pictures are stored: a note stands for each other one. */
struct str import_text_with_pictures(struct import_conversation *c, const struct import_message *m, size_t n);

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

/* ---- the formats ---- */

/* True: `v` is a conversation of that format. The parsers return RC_BAD_INPUT or RC_TOO_BIG for one that
 * cannot be read. */
bool import_is_chatgpt(const json_t *v);
enum rc import_chatgpt(struct import_conversation *c, const json_t *v, struct err *e);
bool import_is_claude(const json_t *v);
enum rc import_claude(struct import_conversation *c, const json_t *v, struct err *e);
/* The sentence for the user when `v` is from a file of Claude's export that has no conversations; NULL: it is
 * not. */
const char *import_other_claude(const json_t *v);
bool import_is_openwebui(const json_t *v);
enum rc import_openwebui(struct import_conversation *c, const json_t *v, struct err *e);
bool import_is_librechat(const json_t *v);
enum rc import_librechat(struct import_conversation *c, const json_t *v, struct err *e);

/* Adds a RECORD_PERSONAL (import_personal.c), unless the user has one of its name. */
enum rc import_personal(struct store *s, int64_t owner, const json_t *v, struct err *e);

/* Our format consists of records. */
enum import_record {
    RECORD_OTHER,
    RECORD_HEADER,
    RECORD_SESSION,
    RECORD_PART /* belongs to the session before */,
    RECORD_PERSONAL, /* a setting, an instruction, a persona, a prompt or a tag */
    RECORD_FACT
};
enum import_record import_record_of(const json_t *v);
/* Reads the first bytes only: every line of our format begins with its type. */
bool import_begins_session(struct str line);
bool import_begins_ours(struct str line);
/* RC_BAD_INPUT with a sentence: a newer version. `sessions`: the number that the header states. */
enum rc import_header(const json_t *v, int64_t *sessions, struct err *e);
enum rc import_session(struct import_conversation *c, const json_t *v, struct err *e);
/* RC_OK also for a part of another session, which is left out. */
enum rc import_part(struct import_conversation *c, const json_t *v, struct err *e);
enum rc import_fact(struct arena *a, const json_t *v, struct import_extra *out, struct err *e);

/* ---- import_known.c ---- */

struct import_known;
enum rc import_known_load(
    struct store *s, int64_t owner, int64_t now, struct import_known **out, struct err *e);
void import_known_free(struct import_known *k); /* NULL is fine */
/* True: the fact is new for the owner, has no duplicate, and there is room for it. It counts as known from
 * now on. Completes it for the store, in `a`. */
bool import_known_takes(struct import_known *k, struct arena *a, struct import_extra *x, int64_t now);
/* `*is`: another program has stored this fact since import_known_load(). For the transaction that stores it.
 */
enum rc import_known_since(struct db *db, const struct import_known *k, int64_t owner,
    const struct import_extra *x, bool *is, struct err *e);

/* ---- import_save.c ---- */

/* After import_tree(): fills in missing times, outer_id and digest. */
void import_prepare(struct import_conversation *c, int64_t now);
/* True when it was imported completely before, or is a session of the owner. */
enum rc import_is_whole(
    struct db *db, int64_t owner, struct import_conversation *c, bool *known, struct err *e);

struct import_save {
    struct transfer *t;            /* its counters change in the same transaction */
    struct import_conversation *c; /* prepared; NULL: only `facts` */
    struct import_extra *facts;    /* not in a session */
    size_t facts_n, facts_from;    /* the first facts_from were stored by earlier slices */
    const struct import_known *known;
    int64_t position; /* of `t` when all is stored */
    bool in_list;
    bool grows; /* import_news() has found messages to add to the session of `c` */
    int64_t now, write_ms;
    /* out */
    size_t facts_done;
    bool shown; /* the session has its owner; stays set in later slices */
    bool more;  /* call again, with facts_from = facts_done */
    int64_t until;
};
/* A store_fn: one slice. Counts c as done, or as known and skipped. After a failure the caller restores
 * `t`. */
enum rc import_save_tx(struct db *db, void *arg, struct err *e);

/* Shared with import_grow.c: stores the message that is at `k` of the order. The ids of those before it are
 * known. */
struct draft;
enum rc import_save_message(
    struct db *db, const struct import_save *s, size_t k, const struct draft *d, struct err *e);
/* The stored message of a key, or the nearest one above it; 0: none. `c` may be NULL. */
int64_t import_id_of(const struct import_conversation *c, const char *key);
/* The end of the shown branch, else the newest message. */
int64_t import_head(const struct import_conversation *c);
/* Plans the helper's work on the session. */
enum rc import_plan(struct db *db, const struct import_save *s, int64_t session, struct err *e);
bool import_time_is_up(const struct import_save *s);

/* ---- import_extra.c ---- */

/* `session` 0: not in a session. */
enum rc import_save_extra(
    struct db *db, const struct import_save *s, int64_t session, struct import_extra *x, struct err *e);

/* ---- import_grow.c ---- */

/* How a conversation in a file differs from the session of its earlier import. */
enum import_news {
    NEWS_NONE,    /* not more messages than were imported */
    NEWS_MORE,    /* the session's messages, unchanged, and further ones */
    NEWS_CHANGED, /* more messages, but those of the session are others */
};
/* After import_prepare(). Fills in the ids of the messages that the session has. */
enum rc import_news(
    struct db *db, int64_t owner, struct import_conversation *c, enum import_news *out, struct err *e);
/* A slice of import_save_tx() for NEWS_MORE. */
enum rc import_grow(struct db *db, struct import_save *s, struct err *e);

#endif
