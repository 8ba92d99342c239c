#include "app/config/config_headers.h"

enum rc config_needed_secret(const struct config *c, struct arena *a, const char *section, const char *name,
    const char **out, struct err *e)
{
    enum rc rc = config_secret(c, a, name, out, e);
    if (rc == RC_NOT_FOUND)
        return err_tell(e, RC_BAD_INPUT,
            "[%s] needs the key %.60s: set that environment variable, or add a line %.60s=... to the file "
            "credentials in the data folder (chmod 600).",
            section, name, name);
    return rc;
}

enum rc config_headers(const struct config *c, struct arena *a, const char *section,
    const struct config_list *list, size_t more, struct http_header **out, struct err *e)
{
    struct http_header *headers = ARENA_ARRAY(a, struct http_header, list->n + more + 1);
    for (size_t i = 0; i < list->n; i++) {
        struct str value = str_of(list->v[i]), name = str_cut(&value, ':');
        value = str_trim(value);
        const char *text = arena_strndup(a, value.s, value.len);
        enum rc rc = *text == '$' ? config_needed_secret(c, a, section, text + 1, &text, e) : RC_OK;
        if (rc != RC_OK)
            return rc;
        headers[i] = (struct http_header){arena_strndup(a, name.s, name.len), text};
    }
    *out = headers;
    return RC_OK;
}
