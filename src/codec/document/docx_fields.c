#include "codec/document/docx_fields.h"

#include "codec/document/document_private.h"

static struct docx_field *innermost(struct docx_fields *f)
{
    return f->depth && f->depth <= DOCX_FIELDS_MAX ? &f->list[f->depth - 1] : NULL;
}

/* HYPERLINK "https://example.org/" \o "tip" */
static struct str address_of(const struct docx_field *field)
{
    struct str rest = str_trim((struct str){field->instruction, field->n});
    if (!str_starts_nocase(rest, STR("HYPERLINK")))
        return (struct str){0};
    rest = str_trim(str_from(rest, strlen("HYPERLINK")));
    if (!str_starts(rest, STR("\"")))
        return (struct str){0};
    rest = str_from(rest, 1);
    struct str url = str_cut(&rest, '"');
    return rest.s && document_is_address(url) ? url : (struct str){0};
}

static void end(struct docx_field *field, struct strbuf *text)
{
    if (field->link)
        document_link(text, field->start, address_of(field));
    field->link = false;
}

void docx_fields_char(struct docx_fields *f, const char *type, struct strbuf *text)
{
    struct docx_field *field = innermost(f);
    struct str what = str_of(type ? type : "");
    if (str_is(what, "begin")) {
        f->depth++;
        if ((field = innermost(f))) {
            field->result = field->link = false;
            field->n = 0;
        }
    } else if (str_is(what, "separate") && field) {
        field->result = true;
        field->link = address_of(field).len > 0;
        field->start = text->len;
    } else if (str_is(what, "end") && f->depth) {
        if (field)
            end(field, text);
        f->depth--;
    }
}

void docx_fields_instruction(struct docx_fields *f, struct str piece)
{
    struct docx_field *field = innermost(f);
    if (!field || field->result || piece.len > DOCX_INSTRUCTION_MAX - field->n)
        return;
    memcpy(field->instruction + field->n, piece.s, piece.len);
    field->n += piece.len;
}

void docx_fields_cut(struct docx_fields *f, struct strbuf *text)
{
    for (size_t i = f->depth < DOCX_FIELDS_MAX ? f->depth : DOCX_FIELDS_MAX; i-- > 0;)
        end(&f->list[i], text);
}
