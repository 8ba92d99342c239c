/* Converts an answer of the Bot API to the outcome of an action. The descriptions are those of the server's
 * source. */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "channel/telegram/telegram_private.h"

#define RETRY_DEFAULT_S 5 /* for a 429 without a time */

struct meaning {
    const char *words; /* in the description of a 400 */
    enum channel_outcome outcome;
};

static const struct meaning MEANINGS[] = {
    {"message is not modified", OUTCOME_DONE},
    {"can't parse entities", OUTCOME_BAD_MARKUP},
    {"ENTITY_", OUTCOME_BAD_MARKUP},
    {"ENTITIES_TOO_LONG", OUTCOME_BAD_MARKUP},
    {"message to edit not found", OUTCOME_TARGET_GONE},
    {"message can't be edited", OUTCOME_TARGET_GONE},
    {"MESSAGE_ID_INVALID", OUTCOME_TARGET_GONE},
    {"message thread not found", OUTCOME_THREAD_GONE},
    {"TOPIC_CLOSED", OUTCOME_THREAD_GONE},
    {"TOPIC_DELETED", OUTCOME_THREAD_GONE},
    {"chat not found", OUTCOME_BLOCKED},
    {"PEER_ID_INVALID", OUTCOME_BLOCKED},
    {"not enough rights", OUTCOME_BLOCKED},
    {"have no rights to send", OUTCOME_BLOCKED},
    {"CHAT_WRITE_FORBIDDEN", OUTCOME_BLOCKED},
    {"CHAT_RESTRICTED", OUTCOME_BLOCKED},
    {"TEXTDRAFT_PEER_INVALID", OUTCOME_UNKNOWN},
};

/* A group can take texts of its members and no files. */
static bool is_file_refused(enum channel_action_kind kind, const struct telegram_answer *a)
{
    return kind == ACTION_FILE &&
           (strstr(a->description, "not enough rights") || strstr(a->description, "CHAT_SEND_"));
}

static enum channel_outcome of_bad_request(enum channel_action_kind kind, const struct telegram_answer *a)
{
    if (a->migrate_to)
        return OUTCOME_MOVED;
    if (is_file_refused(kind, a))
        return OUTCOME_REFUSED;
    for (size_t i = 0; i < ARRAY_LEN(MEANINGS); i++)
        if (strstr(a->description, MEANINGS[i].words))
            return MEANINGS[i].outcome;
    return OUTCOME_REFUSED;
}

/* Only a message appears twice when it is sent twice. */
static enum channel_outcome in_doubt(enum channel_action_kind kind)
{
    return kind == ACTION_SEND || kind == ACTION_FILE ? OUTCOME_DOUBTFUL : OUTCOME_FAILED;
}

static enum channel_outcome of_code(enum channel_action_kind kind, const struct telegram_answer *a)
{
    switch (a->code) {
    case TELEGRAM_DONE: return OUTCOME_DONE;
    case 400: return of_bad_request(kind, a);
    case 401: return OUTCOME_BAD_TOKEN;
    case 403: return is_file_refused(kind, a) ? OUTCOME_REFUSED : OUTCOME_BLOCKED;
    case 404: return kind == ACTION_DRAFT ? OUTCOME_UNKNOWN : OUTCOME_BAD_TOKEN;
    case 408:
    case 504: return in_doubt(kind);
    case 429: return OUTCOME_LATER;
    default: return a->code >= 500 ? OUTCOME_FAILED : OUTCOME_REFUSED;
    }
}

/* The reason why markup is refused quotes it, so the rest is left out. */
static void add_detail(const struct telegram_answer *a, struct channel_result *out)
{
    static const char quoting[] = "can't parse entities";
    const char *at = strstr(a->description, quoting);
    int n = at ? (int)(at - a->description + (ptrdiff_t)sizeof quoting - 1) : (int)strlen(a->description);
    snprintf(out->detail, sizeof out->detail, "%d %.*s", a->code, n, a->description);
}

void telegram_outcome(enum channel_action_kind kind, enum rc rc, const struct telegram_answer *a,
    const struct err *e, struct channel_result *out)
{
    *out = (struct channel_result){0};
    if (rc != RC_OK) {
        bool lasting = rc == RC_BAD_INPUT || rc == RC_FORBIDDEN;
        out->outcome = a && a->sent ? in_doubt(kind) : lasting ? OUTCOME_REFUSED : OUTCOME_FAILED;
        struct str why = str_of(e ? e->text : "");
        snprintf(
            out->detail, sizeof out->detail, "%s %.*s", rc_name(rc), (int)utf8_cut_bytes(why, 160), why.s);
        return;
    }
    out->outcome = of_code(kind, a);
    if (out->outcome == OUTCOME_LATER)
        out->wait_ms = (a->retry_after_s ? a->retry_after_s : RETRY_DEFAULT_S) * 1000;
    if (out->outcome == OUTCOME_MOVED)
        snprintf(out->moved_to, sizeof out->moved_to, "%lld", (long long)a->migrate_to);
    int64_t id;
    if (a->code == TELEGRAM_DONE) {
        if ((kind == ACTION_SEND || kind == ACTION_FILE) && json_get_int(a->result, "message_id", &id))
            snprintf(out->message, sizeof out->message, "%lld", (long long)id);
        return;
    }
    add_detail(a, out);
}
