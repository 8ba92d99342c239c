/* Rules of the offline model for reminders and schedules (offline_reminders.c). */
#ifndef ALFRED_LLM_OFFLINE_OFFLINE_REMINDERS_H
#define ALFRED_LLM_OFFLINE_OFFLINE_REMINDERS_H

#include "llm/offline/offline_words.h"

bool offline_reminders(const struct llm_request *r, struct offline_step *out);

/* A request for a reminder that no other rule has understood: says that none is set. */
bool offline_reminder_unclear(const struct llm_request *r, struct offline_step *out);

#endif
