/*
 * Reads a conversation of another service, or of our own export, as a struct import_conversation. Nothing
 * here writes to the store, except pictures in a transaction of the caller.
 *
 *     import_alfred.c, import_chatgpt.c, import_claude.c, import_librechat.c, import_openwebui.c
 *                        convert a JSON value into a struct import_conversation
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
 */
#ifndef ALFRED_APP_IMPORT_FORMAT_IMPORT_FORMAT_H
#define ALFRED_APP_IMPORT_FORMAT_IMPORT_FORMAT_H

#include "app/config/config.h"
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
#define IMPORT_WORD_MAX      ((size_t)200) /* bytes of a model's, provider's, tool's name */
#define IMPORT_NONE          SIZE_MAX

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
    bool skip;                    /* the user has it already, or no room for it */
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
    /* for import_save.c */
    uint64_t digest; /* hash of title and texts */
    int64_t counted; /* messages of the user, and answers */
    int64_t ids_of;  /* the session whose messages' ids are known; 0: none yet */
    size_t ids_n;    /* the first ids_n of the order have theirs */
};

/* ---- import_tree.c ---- */

/* Fills parent_at and order. Messages in a loop, or below one, are left out. */
void import_tree(struct import_conversation *c);
/* The message with this key if it is kept, else the nearest kept one above it; IMPORT_NONE. */
size_t import_find(const struct import_conversation *c, const char *key);

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

#endif
