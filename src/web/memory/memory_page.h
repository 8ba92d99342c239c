/* The handlers of the Memory page. */
#ifndef ALFRED_WEB_MEMORY_MEMORY_PAGE_H
#define ALFRED_WEB_MEMORY_MEMORY_PAGE_H

#include "web/http/route.h"

route_handler page_memory, page_memory_add, page_memory_pause, page_memory_resume, page_memory_clear_ask,
    page_memory_clear, page_memory_change, page_memory_delete, page_memory_restore;

#endif
