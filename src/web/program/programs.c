/* The programs `pages` and `api`: the routes of all nouns, by surface. */
#include "web/program/program.h"

#include "web/account/account_routes.h"
#include "web/account/linked_routes.h"
#include "web/account/second_step_routes.h"
#include "web/account/settings_routes.h"
#include "web/account/sign_routes.h"
#include "web/account/token_routes.h"
#include "web/account/users_routes.h"
#include "web/channel/outbox_routes.h"
#include "web/channel/telegram_routes.h"
#include "web/chat/chat_routes.h"
#include "web/command/command_routes.h"
#include "web/health/health_routes.h"
#include "web/jobs/jobs_routes.h"
#include "web/library/document_routes.h"
#include "web/library/instruction_routes.h"
#include "web/library/library_routes.h"
#include "web/library/workspace_file_routes.h"
#include "web/library/workspace_routes.h"
#include "web/mcp/mcp_routes.h"
#include "web/memory/memory_routes.h"
#include "web/models/models_routes.h"
#include "web/models/v1_routes.h"
#include "web/page/html_cache.h"
#include "web/picture/picture_routes.h"
#include "web/reference/reference_routes.h"
#include "web/reminder/calendar_routes.h"
#include "web/reminder/reminder_page.h"
#include "web/reminder/reminder_routes.h"
#include "web/search/search_routes.h"
#include "web/session/batch_routes.h"
#include "web/session/session_details.h"
#include "web/session/session_routes.h"
#include "web/session/tag_routes.h"
#include "web/share/share_routes.h"
#include "web/share/shared_routes.h"
#include "web/speech/speech_routes.h"
#include "web/suggestion/suggestion_routes.h"
#include "web/summary/compaction_routes.h"
#include "web/summary/summary_routes.h"
#include "web/tasks/tasks_routes.h"
#include "web/transfer/conversation_routes.h"
#include "web/transfer/transfer_routes.h"
#include "web/trash/trash_routes.h"
#include "web/usage/usage_routes.h"

static const struct route_table *const nouns[] = {&chat_routes, &session_routes, &tag_routes,
    &session_details_routes, &batch_routes, &summary_routes, &compaction_routes, &search_routes,
    &memory_routes, &suggestion_routes, &tasks_routes, &reminder_routes, &sign_routes, &account_routes,
    &second_step_routes, &token_routes, &linked_routes, &settings_routes, &library_routes,
    &instruction_routes, &workspace_routes, &workspace_file_routes, &document_routes, &users_routes,
    &transfer_routes, &conversation_routes, &share_routes, &shared_routes, &jobs_routes, &telegram_routes,
    &outbox_routes, &models_routes, &v1_routes, &speech_routes, &reference_routes, &command_routes,
    &usage_routes, &trash_routes, &mcp_routes, &picture_routes, &calendar_routes, &reminder_page_routes,
    &health_routes};

static enum rc start_pages(struct web *w, struct err *e)
{
    return html_cache_new(HTML_CACHE_COPY_BYTES, HTML_CACHE_LIFE_MS, &w->copy_html, e);
}

static void finish_pages(struct web *w)
{
    html_cache_free(w->copy_html);
}

const struct web_program pages_program = {.name = "pages",
    .tables = nouns,
    .tables_n = ARRAY_LEN(nouns),
    .surfaces = 1u << SURFACE_PAGE | 1u << SURFACE_SCRIPT,
    .start = start_pages,
    .finish = finish_pages};

const struct web_program api_program = {.name = "api",
    .tables = nouns,
    .tables_n = ARRAY_LEN(nouns),
    .surfaces = 1u << SURFACE_API | 1u << SURFACE_V1};
