/*
 * A rule-based summary without a model: sentences of the conversation, scored and never reworded.
 *
 * A sentence scores by the frequency of its words in the whole conversation (1 + ln tf of each word's stem
 * without stop words; the mean over the sentence, reduced for short ones). The words of a chosen sentence
 * count little afterwards, so that the next one has other content. Decisions and open points are sentences of
 * the user with words that announce them. The result is a selection and is labelled as such.
 *
 * Left out are the offline model's own answers, code, and messages that only manage the to-do list, the
 * memory or the reminders (EXTRACTIVE_ERRANDS).
 */
#ifndef ALFRED_APP_SUMMARY_EXTRACTIVE_SUMMARY_H
#define ALFRED_APP_SUMMARY_EXTRACTIVE_SUMMARY_H

#include "base/strbuf.h"
#include "store/message/message.h"

#define EXTRACTIVE_ABOUT     5 /* sentences */
#define EXTRACTIVE_DECISIONS 4
#define EXTRACTIVE_OPEN      4
#define EXTRACTIVE_KEYWORDS  5
#define EXTRACTIVE_SENTENCES 4000 /* the newest ones that are read */

/* Tools that manage lists. A question that only these answered says nothing about the subject of the
 * conversation. A test checks that each of them exists. */
#define EXTRACTIVE_ERRANDS                                                                       \
    {                                                                                            \
        "search_memories", "update_memory", "forget", "add_task", "list_tasks", "complete_task", \
            "delete_task", "delete_session", "set_reminder", "set_schedule", "list_reminders",   \
            "cancel_reminder"                                                                    \
    }

struct extractive_summary_part {
    struct str *lines; /* in the order of the conversation */
    bool *alfred;      /* by Alfred, otherwise by the user */
    size_t n;
};

struct extractive_summary {
    struct extractive_summary_part about, decisions, open;
    struct str topic; /* the user's sentence with the best score; empty: none */
    const char *keywords[EXTRACTIVE_KEYWORDS];
    size_t keywords_n;
};

/* `path` is oldest first. All of it lives in the arena or in the messages. */
struct extractive_summary extractive_summary_of(struct arena *a, const struct message *path, size_t n);

#endif
