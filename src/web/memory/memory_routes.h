/* The routes of the memory: pages and API. */
#ifndef ALFRED_WEB_MEMORY_MEMORY_ROUTES_H
#define ALFRED_WEB_MEMORY_MEMORY_ROUTES_H

#include "web/http/request.h"
#include "web/http/route.h"

extern const struct route_table memory_routes;

route_handler page_memory, page_memory_add, page_memory_pause, page_memory_resume, page_memory_clear_ask,
    page_memory_clear, page_memory_change, page_memory_delete, page_memory_restore;
route_handler api_memories, api_memory, api_memory_change, api_memory_delete;
route_handler api_memories, api_memory_add, api_memory_change, api_memory_delete;

#endif
