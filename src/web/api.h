/* The program `api`: JSON for all that is no running answer (docs/api.md). The views are those of the pages.
 */
#ifndef ALFRED_WEB_API_H
#define ALFRED_WEB_API_H

#include "web/http/request.h"
#include "web/http/web.h"

extern const struct web_program api_program;

route_handler api_sessions, api_session, api_session_change, api_session_delete, api_session_head,
    api_session_seen, api_session_pin, api_session_unpin;
route_handler api_summaries, api_summary_ask;
route_handler api_compact, api_compactions, api_compaction;
route_handler api_messages, api_message_change, api_message_delete;
route_handler api_memories, api_memory_add, api_memory_change, api_memory_delete;
route_handler api_suggestions, api_suggestion_keep, api_suggestions_keep, api_suggestion_dismiss;
route_handler api_tasks, api_task_add, api_task_change, api_task_delete;
route_handler api_exports, api_imports, api_transfers, api_transfer, api_transfer_file, api_transfer_delete;
route_handler api_me;
route_handler api_search, api_search_progress, api_jobs_progress, api_related;

/* Answers {"session": ...} with the session of the path as it is now. */
enum rc api_answer_session(struct req *r, struct resp *out, struct err *e);

#endif
