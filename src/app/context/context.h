/*
 * The context of a model: the system prompt with the compaction, then the path from the head up to the root
 * or to the compaction's border, then blocks of data for this request only (facts, the session's focus). The
 * parts that change from turn to turn come last, so that the rest is the same bytes in every request of a
 * session (prompt caches). The policy and the model's window limit the path; the newest messages are kept
 * (setting [context] policy):
 *
 *     full      all messages that fit
 *     window    the new message and `window_messages` before it
 *     thrifty   the new message and `thrifty_messages` before it, these cut to `thrifty_chars` characters
 *
 * A tool call is never separated from its results, and the first message after the system prompt is the
 * user's. Two of the user's messages in a row, or two answers, become one: the templates of many models
 * refuse them. Tokens are estimated as CONTEXT_BYTES_PER_TOKEN bytes each, which overestimates for European
 * languages. The newest message is always included. A message that is longer than all the room that messages
 * have is cut in its middle, for the model only. If the model has the tool read_file, the cut says what is
 * left out, and room is left for what the model reads. The schemas of the offered tools count against the
 * window.
 *
 * Division of a window: the answer's reserve, the system prompt and the newest message get as much as they
 * need. The tools and the compaction get at most a quarter each. Each further block gets at most a third of
 * the rest at that point. The path gets the rest. If the window is too small, the oldest messages of the path
 * are left out first, then the blocks. A summary by rule stands for those that are left out
 * (compact_left_out()), until a compaction does.
 */
#ifndef ALFRED_APP_CONTEXT_CONTEXT_H
#define ALFRED_APP_CONTEXT_CONTEXT_H

#include "app/config/config.h"
#include "codec/json/json.h"
#include "llm/llm.h"
#include "store/message/message.h"

#define CONTEXT_BYTES_PER_TOKEN  3
#define CONTEXT_TOKENS_PER_ENTRY 4
#define CONTEXT_ANSWER_TOKENS    1024 /* reserved for the answer without a setting */
#define CONTEXT_SHARE_ANSWER     4    /* share of a small window; a setting may take half of it */
#define CONTEXT_SHARE_TOOLS      4    /* tools_offered() */
#define CONTEXT_SHARE_BLOCK      3    /* share of the room that is left for each block of data */
#define CONTEXT_SHARE_CUT        2    /* share of the messages' room for one that exceeds it */
#define CONTEXT_SHARE_FILES      4    /* longer messages of more than this share: context_wants_files() */
#define CONTEXT_MESSAGE_LEAST    ((size_t)512) /* bytes; no message is cut shorter */

/* The pictures of a request. A note stands for each of the others, so that the model knows of it. */
enum context_pictures {
    CONTEXT_PICTURES_RECENT, /* those of the newest messages, up to the limits below */
    CONTEXT_PICTURES_NEWEST, /* those of the newest message of the user that has some */
    CONTEXT_PICTURES_NONE
};
#define CONTEXT_PICTURES_MAX      16
#define CONTEXT_PICTURE_BYTES_MAX (INT64_C(12) * 1024 * 1024) /* in all; a third more as base64 */
/* Tokens of a picture, as Anthropic counts (https://docs.anthropic.com/en/docs/build-with-claude/vision);
 * most other models count less. */
#define CONTEXT_PIXELS_PER_TOKEN   750
#define CONTEXT_PICTURE_TOKENS_MAX 1600

/* The parts of every request besides the messages. */
struct context_frame {
    struct str prompt;            /* system prompt; may be empty */
    struct str aside;             /* blocks of data after the newest message; may be empty */
    const char *provider, *model; /* only this model gets LLM_OPAQUE of its answers back; NULL: none */
    int64_t tools_tokens;         /* context_tools_tokens() */
    enum context_pictures pictures;
    bool reads_files; /* the request offers read_file */
    bool text_only;   /* calls of tools and their results stay out: the request offers no tools, and some
                         servers refuse them then */
    int64_t window;   /* the model's window in tokens */
    int64_t reserve;  /* tokens of it for blocks that are added later */
    int64_t answer;   /* the request's limit of the answer in tokens; 0: as in the settings */
};

/* The estimated size of a context. */
struct context_size {
    int64_t tokens;   /* tokens of all that the policy includes, even what does not fit */
    int64_t messages; /* the user's messages and answers; calls count as part of an answer */
    bool cut;         /* a part does not fit the window */
};

/* The part of a path that a context includes. */
struct context_span {
    size_t wanted; /* the first message that the policy lets in */
    size_t from;   /* the first one of them that fits; those between are left out */
};
struct context_span context_span(
    const struct config *c, const struct context_frame *f, const struct message *path, size_t n);

/* `path` is oldest first and ends with the user's newest message. Texts are not copied: path and prompt
 * must live as long as the result. Pictures have no bytes yet: their `base64` is empty. `size` may be NULL.
 */
enum rc context_build(struct arena *a, const struct config *c, const struct context_frame *f,
    const struct message *path, size_t n, struct llm_message **out, size_t *out_n, struct context_size *size,
    struct err *e);

/* The same size without building: the size of the next context on this path. */
struct context_size context_measure(
    const struct config *c, const struct context_frame *f, const struct message *path, size_t n);

/* True when the user's messages of at least MESSAGE_LONG_BYTES bytes, which have `bytes` together, take so
 * much of the window that one of them is cut or will be left out: the model gets read_file. */
bool context_wants_files(int64_t window, int64_t bytes);

int64_t context_tokens(struct str text); /* tokens of one entry */
int64_t context_tool_tokens(const struct llm_tool *t);
int64_t context_tools_tokens(const struct llm_tool *list, size_t n);
int64_t context_frame_tokens(const struct context_frame *f);
/* Tokens of one message of a path in a context, if it is not the newest message. */
int64_t context_message_tokens(
    const struct config *c, const struct context_frame *f, const struct message *m);
/* Tokens that are left for the messages; negative when frame and answer alone exceed the window. */
int64_t context_room(const struct config *c, const struct context_frame *f);
/* Tokens of messages in a request. */
int64_t context_sent(const struct llm_message *messages, size_t n);
/* Removes exchanges that a provider refused, because it would refuse them again with the next question.
 * Keeps the order; returns the number of messages that are left. */
size_t context_without_refused(struct message *path, size_t n);
/* True for messages that users count: their own, and answers. Not calls of tools, nor messages without
 * content. */
bool context_counts(const struct message *m);

/* The text in place of the pictures of `m` where they are not shown: "[Picture, 640 x 480: not shown here]".
 * Empty without any. */
struct str context_pictures_note(struct arena *a, const struct message *m);
/* The text of `m` with that note before it. In `a`, or m->text itself. */
struct str context_text(struct arena *a, const struct message *m);

/* The limits of stored calls. Arguments are nested two levels deep in them. */
#define CONTEXT_CALLS_LIMITS ((struct json_limits){JSON_DEPTH_MAX + 2, JSON_CONTAINERS_MAX})

/* Parses the stored JSON of an assistant message's calls. RC_INTERNAL: it is invalid. */
enum rc context_calls(
    struct arena *a, const char *json, struct llm_tool_call **out, size_t *n, struct err *e);

/* The opposite: writes [{"id","name","args"}] on one line. args is an object; arguments that are not a
 * JSON object, or contain too many objects and lists, are a string. */
void context_calls_json(const struct llm_tool_call *calls, size_t n, struct strbuf *out);

#endif
