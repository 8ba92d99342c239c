#include "web/http/resource.h"

#include <string.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "codec/url.h"
#include "web/http/fields.h"

#define ID_DIGITS_MAX 20

const char *id_text(struct arena *a, int64_t id)
{
    char space[ID_DIGITS_MAX + 1]; /* printf would take longer than the rest of a short object */
    struct strbuf digits;
    if (!id)
        return NULL;
    strbuf_init_at(&digits, ID_DIGITS_MAX, space, sizeof space);
    strbuf_addint(&digits, id);
    return arena_strndup(a, digits.s, digits.len);
}

const char *session_url(struct arena *a, const char *session)
{
    static const char begin[] = "/s/";
    size_t n = strlen(session);
    char *url = arena_alloc(a, sizeof begin + n);
    memcpy(url, begin, sizeof begin - 1);
    memcpy(url + sizeof begin - 1, session, n + 1);
    return url;
}

const char *message_url(struct arena *a, const char *session, int64_t id)
{
    return arena_printf(a, "/s/%s?at=%lld#m-%lld", session, (long long)id, (long long)id);
}

const char *memory_url(struct arena *a, int64_t id)
{
    return arena_printf(a, "/memory?after=%lld#memory-%lld", (long long)id + 1, (long long)id);
}

const char *workspace_page_url(struct arena *a, struct str workspace)
{
    return URL_WITH(a, "/workspace/instructions", {field_name(F_WORKSPACE), workspace});
}

const char *workspace_file_url(struct arena *a, int64_t id)
{
    return arena_printf(a, "/workspace/files/%lld", (long long)id);
}

void view_id(struct arena *a, struct view *v, const char *key, int64_t id)
{
    view_text(v, key, id_text(a, id));
}

void view_at(struct view *v, const char *key, int64_t at)
{
    char iso[CLOCK_RFC3339_SIZE];
    if (at)
        clock_rfc3339(at, iso);
    view_text(v, key, at ? iso : NULL);
}

void view_source(struct arena *a, struct view *v, const char *session, int64_t message)
{
    bool known = session && message;
    view_id(a, v, "source_message", known ? message : 0);
    view_text(v, "source_url", known ? message_url(a, session, message) : NULL);
}
