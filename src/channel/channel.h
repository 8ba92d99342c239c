/*
 * The interface of all channels: updates that a channel receives, actions that it sends, and their outcomes.
 * A channel is a way to talk to Alfred outside of its own pages, such as Telegram. A folder of src/channel
 * has the wire format of one channel. app/channel and app/delivery have the code for all channels and use a
 * channel through its `struct channel_driver` only.
 *
 * Ids of a channel (chats, threads, messages, people) are text and are only compared. Telegram's exceed 2^53
 * and can be negative.
 */
#ifndef ALFRED_CHANNEL_CHANNEL_H
#define ALFRED_CHANNEL_CHANNEL_H

#include "base/backoff.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "net/http.h"

#define CHANNEL_ID_SIZE 64 /* bytes of an id with its NUL */

/* A place where messages are written: a chat, or a thread of one (a forum topic). */
struct channel_place {
    const char *chat;
    const char *thread; /* "": none */
};

/* ---- updates ---- */

enum channel_update_kind {
    UPDATE_OTHER, /* authenticated, but nothing that Alfred acts on */
    UPDATE_MESSAGE,
    UPDATE_EDITED,   /* `message` has a new text */
    UPDATE_PRESSED,  /* a button; `data` is its token */
    UPDATE_STOPPED,  /* the person of a private chat stopped `draft` */
    UPDATE_BLOCKED,  /* we were removed or blocked: nothing can be sent to `chat` */
    UPDATE_ADMITTED, /* the reverse */
    UPDATE_MOVED     /* `chat` is now called `moved_to`, with all its threads */
};

/* The ways in which a file is used: app/channel/file_kind.h. */
enum channel_file_kind {
    CHANNEL_PICTURE,
    CHANNEL_VOICE, /* recorded speech, and other files with sound */
    CHANNEL_DOCUMENT,
    CHANNEL_FILE_KINDS /* their number */
};

struct channel_file {
    const char *id; /* for fetch(); NULL: there is no file */
    enum channel_file_kind kind;
    int64_t bytes;                 /* its size, as the channel says; 0: unknown */
    const char *name, *media_type; /* as the sender says, not checked; NULL: unknown */
    int64_t seconds;               /* of a recording; 0: unknown */
    bool spoken;                   /* the person has recorded it for this chat: its words are the person's */
};

struct channel_update {
    enum channel_update_kind kind;
    struct channel_place place;
    bool group;                       /* several people; false: a conversation of one person with us */
    const char *message;              /* id of the message; "": none */
    int64_t sent_at;                  /* when the person sent the message, as the channel says; 0: unknown */
    const char *sender, *sender_name; /* id and display name of the person; "": none */
    bool unnamed;             /* a person wrote it in the name of a group or channel, so there is no sender */
    const char *language;     /* of the person, as the channel says: "de"; NULL: unknown */
    struct str text;          /* text or caption in Markdown, without the mention of us at its start */
    int64_t units;            /* length of the text as it came, in UTF-16 units; 0: that of `text` */
    bool is_command;          /* text begins with "/word", or is "/", and is meant for us; "@us" is removed */
    bool named;               /* the command names us: "/word@us", "@us /word" */
    bool forwarded;           /* the text is somebody else's */
    const char *author;       /* of forwarded text: display name; "": unknown */
    bool addressed;           /* meant for us: not a group, a mention, a reply to us, or a command */
    struct channel_file file; /* of the message, or of the one that it replies to */
    bool in_album;            /* one of several messages that the person has sent as one */
    const char *left_out;     /* content without text: "photo", "voice", "document", ...; NULL: none */
    struct str replied_to;    /* text of the message that it replies to; .s NULL: none */
    const char *replied_voice; /* id of that message if it is a recording; NULL: it is none */
    const char *press, *data;  /* PRESSED: id of the press, and the button's token */
    int64_t draft;             /* STOPPED */
    const char *moved_to;
};

/* The length of a message as the channel counts it. */
static inline int64_t channel_units(const struct channel_update *u)
{
    return u->units ? u->units : (int64_t)utf8_utf16_len(u->text);
}

/* ---- actions ---- */

/* The number of a turn's draft: from 1 to 2^31 - 1, as channels have no larger ones. */
static inline int64_t channel_draft(int64_t turn_id)
{
    int64_t draft = turn_id & INT32_MAX;
    return draft ? draft : 1;
}

enum channel_action_kind {
    ACTION_SEND,
    ACTION_EDIT,   /* the message `message` */
    ACTION_DRAFT,  /* a text that grows, shown until the next SEND; the driver may not have it */
    ACTION_TYPING, /* shows for some seconds that an answer is being written */
    ACTION_FILE,   /* a message that is a file, without text */
    ACTION_ANSWER, /* ends the wait of a button that was pressed; text: a short notice, or empty */
    ACTION_CHECK   /* asks whether our credentials are accepted; shows nothing, has no place */
};

struct channel_button {
    const char *label;
    const char *token; /* comes back as `data` of UPDATE_PRESSED; at most CHANNEL_TOKEN_MAX bytes */
};
#define CHANNEL_TOKEN_MAX 64

struct channel_action {
    enum channel_action_kind kind;
    struct channel_place place;
    const char *message;                  /* EDIT: id of the message. ANSWER: id of the press */
    const char *reply_to;                 /* SEND: id of a message; NULL: none */
    int64_t draft;                        /* DRAFT: of channel_draft() */
    struct str markup;                    /* in the channel's own format (render()) */
    struct str plain;                     /* the same as plain text, for a channel that refuses the markup */
    bool as_plain;                        /* send `plain` */
    const struct channel_button *buttons; /* rows of one button each, or fewer rows as the driver sees fit */
    size_t buttons_n;
    bool silent;           /* without a sound */
    const char *file_name; /* FILE */
    struct str file;
    bool is_picture; /* FILE: it is shown as one */
};

enum channel_outcome {
    OUTCOME_DONE,       /* also an edit that changes nothing */
    OUTCOME_LATER,      /* too many requests: this chat waits `wait_ms` */
    OUTCOME_FAILED,     /* it was certainly not delivered, and another attempt can help: no connection, 5xx */
    OUTCOME_DOUBTFUL,   /* SEND and FILE only: it may have been delivered, as no answer came to the request */
    OUTCOME_BAD_MARKUP, /* send it as plain text */
    OUTCOME_TARGET_GONE, /* the message to edit was deleted: send anew */
    OUTCOME_THREAD_GONE, /* the thread was deleted */
    OUTCOME_MOVED,       /* the chat is now `moved_to` */
    OUTCOME_BLOCKED,     /* the chat does not take messages from us */
    OUTCOME_UNKNOWN,     /* the server does not know this kind of action: use another */
    OUTCOME_REFUSED,     /* another attempt cannot help */
    OUTCOME_BAD_TOKEN    /* the server does not accept our credentials: nothing can be sent at all */
};

/* The waits between two questions whether a server accepts our credentials again. Servers refuse right ones
 * for a time, too, as does what stands before them. */
#define CHANNEL_REFUSED_RETRY ((struct backoff){.first_ms = MS_PER_MIN, .max_ms = MS_PER_H})

/* The longest wait that a server can demand from us after too many requests. */
#define CHANNEL_WAIT_MAX_MS MS_PER_H

struct channel_result {
    enum channel_outcome outcome;
    int64_t wait_ms;                /* LATER: at most CHANNEL_WAIT_MAX_MS */
    char message[CHANNEL_ID_SIZE];  /* DONE after SEND: id of the message */
    char moved_to[CHANNEL_ID_SIZE]; /* MOVED */
    char detail[200];               /* for the log: never a secret, never a message's text */
};

/* ---- files ---- */

enum channel_fetch {
    FETCH_DONE,
    FETCH_LATER, /* another attempt can help: no connection, 5xx, too many requests */
    FETCH_GONE,
    FETCH_TOO_BIG
};

struct channel_fetched {
    enum channel_fetch outcome;
    int64_t wait_ms; /* LATER: the least wait that the server demands, at most CHANNEL_WAIT_MAX_MS; 0: none */
    struct str data; /* DONE: valid during the callback */
    char detail[200]; /* of other outcomes, for the log: never a secret */
};
/* Called on the loop's thread, exactly once. */
typedef void channel_fetched_fn(void *arg, const struct channel_fetched *f);

/* A part of a text that fits one message. Two that are short can be one message, with a blank line between
 * them. */
struct channel_piece {
    struct str markup, plain;
};

struct channel_call;
/* Called on the loop's thread, exactly once. */
typedef void channel_done_fn(void *arg, const struct channel_result *r);

/* A channel with its settings and connections. Loop thread only, except render() and read(). */
struct channel_driver {
    const char *name;  /* "telegram": `channel` of rows */
    const char *label; /* "Telegram": for people */
    void *self;
    /* Starts an action. `done` may be called before it returns. */
    void (*act)(void *self, const struct channel_action *a, channel_done_fn *done, void *arg);
    /* Fetches the bytes of a file (channel_file.id), at most `max`. `done` may be called before it
     * returns. */
    void (*fetch)(void *self, const char *file, size_t max, channel_fetched_fn *done, void *arg);
    /* Markdown as pieces in the arena; at least one unless the text is blank. Any thread. */
    void (*render)(struct arena *a, struct str markdown, struct channel_piece **out, size_t *n);
    /* Reads a stored update. False: it cannot be read, and counts as UPDATE_OTHER. Any thread. */
    bool (*read)(void *self, struct arena *a, struct str body, struct channel_update *out);
    int64_t piece_chars; /* a message of this length or more may continue in the next one */
    int64_t chat_gap_ms, group_gap_ms,
        all_gap_ms;      /* least time between two messages or edits in a chat, a group, anywhere */
    int64_t edit_gap_ms; /* between two edits of a growing answer */
    int64_t typing_ms;   /* the time for which TYPING is shown */
    bool drafts;         /* ACTION_DRAFT is offered, outside of groups */
};

#endif
