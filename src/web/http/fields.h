/*
 * Typed input. A route declares its fields. The gate reads them from the path, the query and the body and
 * checks them. The handler reads them by enum. Names that a route does not declare are refused in bodies (a
 * client cannot set an owner, for example) and ignored in queries.
 *
 * All text is valid UTF-8 without NUL. Failures: RC_BAD_INPUT with a sentence that names the field; a
 * malformed id in the path is RC_NOT_FOUND, the same as an absent one.
 */
#ifndef ALFRED_WEB_HTTP_FIELDS_H
#define ALFRED_WEB_HTTP_FIELDS_H

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

enum field {
    F_NONE, /* ends a route's list */
    F_SESSION,
    F_MESSAGE,
    F_TURN,
    F_LOGIN,
    F_USER,
    F_TEXT,
    F_TITLE,
    F_CLIENT_ID,
    F_PARENT,
    F_END,
    F_CHOICE,
    F_EFFORT,
    F_CSRF,
    F_NAME,
    F_PASSWORD,
    F_CURRENT,
    F_NEXT,
    F_CODE,
    F_ROLE,
    F_BACK,
    F_AFTER,
    F_BEFORE,
    F_Q,
    F_LIMIT,
    F_AT,
    F_AROUND,
    F_ONCE,
    F_FROM,
    F_DONE,
    F_SHOW,
    F_LAST,
    F_TO,
    F_JOB,
    F_OUTGOING,
    F_MEMORY,
    F_TAG,
    F_TAGS,
    F_PERMANENT,
    F_UNDO,
    F_SUGGESTION,
    F_WHOLE,
    F_WORKSPACE,
    F_TASK,
    F_DUE,
    F_TIME,
    F_REPEAT,
    F_RULE,
    F_ZONE,
    F_REMINDER,
    F_PAUSED,
    F_FOR,
    F_KEEP,
    F_COMPACTION,
    F_TRANSFER,
    F_EDIT,
    F_KIND,
    F_PASTED_FROM,
    F_ARCHIVED,
    F_TEMPORARY,
    F_TIME_ZONE,
    F_DISPLAY_NAME,
    F_THEME,
    F_LANGUAGE,
    F_SEND_KEY,
    F_TEXT_SIZE,
    F_NOTIFICATIONS,
    F_WEB_SEARCH,
    F_CONNECTED_TOOLS,
    F_ABOUT_ME,
    F_ANSWER_STYLE,
    F_PERSONA,
    F_ENTRY,
    F_SHARED,
    F_TEMPERATURE,
    F_TOOLS,
    F_TOOLS_MEMORY,
    F_TOOLS_TASKS,
    F_TOOLS_SESSIONS,
    F_TOOLS_CONNECTED,
    F_ANSWER_TOKENS,
    F_FORMAT,
    F_ALL,
    F_REASONING,
    F_TOKEN,
    F_SCOPES,
    F_SCOPE_READ,
    F_SCOPE_WRITE,
    F_SCOPE_CHAT,
    F_USE_MEMORY,
    F_USE_TOOLS,
    F_DAYS,
    F_SHARE,
    F_LINK,
    F_UNTIL,
    F_COMPARE_WITH,
    F_MODEL,
    F_CHANNEL,
    F_IS,
    F_SORT,
    F_NEWER,
    F_COLOUR,
    F_WITHOUT_TAG,
    F_WITHIN,
    F_START,
    F_ANSWER,
    F_IDS,
    F_BATCH,
    F_ACTION,
    F_LINE,
    F_IDENTITY,
    F_PICTURE,
    F_PICTURES,
    F_FILE,
    F_COUNT
};

enum field_type {
    FIELD_LINE,       /* one line: no control characters; trimmed, without directional formatting (utf8.h) */
    FIELD_LINES,      /* text with line breaks, CRLF made LF; otherwise unchanged */
    FIELD_SECRET,     /* unchanged */
    FIELD_BOOL,       /* JSON's true and false; "yes" or "no" in forms */
    FIELD_INT,        /* number, or its decimal digits in forms */
    FIELD_ID_SESSION, /* ses_... */
    FIELD_ID_SESSION_NEW, /* ses_... or "new" */
    FIELD_ID_TURN,
    FIELD_ID_LOGIN,
    FIELD_ID_TRANSFER,  /* xfr_... */
    FIELD_ID_API_TOKEN, /* tok_... */
    FIELD_ID_BATCH,
    FIELD_ID_PICTURE,
    FIELD_IDS_SESSION, /* ids of sessions, separated by blanks; a list in JSON, several fields in forms */
    FIELD_IDS_PICTURE, /* ids of pictures, separated in these ways, too */
    FIELD_ID_ROW,      /* decimal digits in a string: ids of messages, users and others */
    FIELD_ID_OR_NONE   /* the same, "0": none; from older programs also a number */
};

struct field_rule {
    enum field field;
    enum field_type type;
    bool required;
    int64_t min, max; /* range of an INT; for text: max in code points (0: FIELD_LINE_MAX) */
};

#define FIELD_LINE_MAX      200
#define FIELD_SECRET_MAX    1024
#define FIELD_IDS_BYTES_MAX 32000 /* a thousand ids */

struct field_value {
    bool present;
    struct str s; /* NUL-terminated, in the request's arena */
    int64_t i;    /* INT, ID_ROW and ID_OR_NONE; BOOL: 0 or 1 */
};

bool field_is_list(enum field_type type);
const char *field_name(enum field f);
enum field field_by_name(struct str name); /* F_NONE: unknown */
/* The rule of a field; NULL: not declared. */
const struct field_rule *field_rule_find(const struct field_rule *rules, enum field f);

/* Checks `raw` against the rule and stores it in values[rule->field]. */
enum rc field_set(const struct field_rule *rule, struct arena *a, struct str raw, struct field_value *values,
    struct err *e);

/* The text of a FIELD_LINES: CRLF and lone CR become LF. NUL-terminated, in the arena. */
struct str field_lines(struct arena *a, struct str raw);

/* Call it after all sources. Reports the first required field that is missing. */
enum rc fields_complete(const struct field_rule *rules, const struct field_value *values, struct err *e);

/* The name of that field. NULL: none is missing. */
const char *fields_missing(const struct field_rule *rules, const struct field_value *values);

/* Field lists of many routes. */
extern const struct field_rule no_fields[];
extern const struct field_rule notice_fields[];          /* F_DONE: the notice after a redirect */
extern const struct field_rule session_fields[];         /* F_SESSION of the path */
extern const struct field_rule session_message_fields[]; /* F_SESSION and F_MESSAGE of the path */

#endif
