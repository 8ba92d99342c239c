#include "codec/form.h"

#include "codec/url.h"

enum rc form_parse(struct arena *a, struct str text, struct form *out, struct err *e)
{
    struct form_field *fields = NULL;
    size_t n = 0;
    *out = (struct form){0};
    while (text.len) {
        struct str value = str_cut(&text, '&');
        if (!value.len)
            continue;
        if (n == FORM_FIELDS_MAX)
            return err_say(e, RC_TOO_BIG, "form.too_many_fields", arg_int("max", FORM_FIELDS_MAX));
        if (!fields)
            fields = ARENA_ARRAY(a, struct form_field, FORM_FIELDS_MAX);
        struct str name = str_cut(&value, '=');
        struct form_field f;
        enum rc rc = url_decode(a, name, URL_PLUS_IS_SPACE, &f.name, e);
        if (rc == RC_OK)
            rc = url_decode(a, value, URL_PLUS_IS_SPACE, &f.value, e);
        if (rc != RC_OK)
            return rc;
        fields[n++] = f;
    }
    *out = (struct form){fields, n};
    return RC_OK;
}
