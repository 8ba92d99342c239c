/* JSON members that the wires read and write alike. */
#include <string.h>

#include "codec/view.h"
#include "llm/internal.h"

struct str llm_json_str(const json_t *obj, const char *key)
{
    const json_t *v = json_object_get(obj, key);
    return json_is_string(v) ? (struct str){json_string_value(v), json_string_length(v)} : STR("");
}

int64_t llm_json_int(const json_t *obj, const char *key, int64_t fallback)
{
    const json_t *v = json_object_get(obj, key);
    return json_is_integer(v) ? json_integer_value(v) : fallback;
}

int64_t llm_json_tokens(const json_t *obj, const char *key, int64_t fallback)
{
    int64_t n = llm_json_int(obj, key, -1);
    return n < 0 ? fallback : n > LLM_TOKENS_MAX ? LLM_TOKENS_MAX : n;
}

void llm_add_member(struct strbuf *out, const char *key, struct str value)
{
    json_add_string(out, str_of(key));
    strbuf_addc(out, ':');
    json_add_short(out, value);
}

void llm_add_data_url(struct strbuf *out, const struct llm_picture *p)
{
    strbuf_addf(out, "\"data:%s;base64,", p->media_type);
    strbuf_addstr(out, p->base64);
    strbuf_addc(out, '"');
}

void llm_add_temperature(struct strbuf *out, const struct llm_request *r, int most)
{
    int t = r->temperature < most ? r->temperature : most;
    if (r->sets_temperature)
        strbuf_addf(out, ",\"temperature\":%d.%02d", t / 100, t % 100);
}

void llm_add_top_p(struct strbuf *out, const struct llm_request *r)
{
    const struct llm_params *p = &r->params;
    if (p->sets_top_p)
        strbuf_addf(out, ",\"top_p\":%d.%03d", p->top_p / 1000, p->top_p % 1000);
}

void llm_add_stops(struct strbuf *out, const char *key, const struct llm_request *r)
{
    for (size_t i = 0; i < r->params.stops_n; i++) {
        if (i == 0)
            strbuf_addf(out, ",\"%s\":[", key);
        else
            strbuf_addc(out, ',');
        json_add_short(out, str_of(r->params.stops[i]));
    }
    strbuf_adds(out, r->params.stops_n ? "]" : "");
}

void llm_add_schema(struct strbuf *out, const struct llm_params *p)
{
    llm_add_member(out, "name", str_of(p->format_name));
    if (p->format_description) {
        strbuf_addc(out, ',');
        llm_add_member(out, "description", str_of(p->format_description));
    }
    if (p->format_strict)
        strbuf_addf(out, ",\"strict\":%s", p->format_strict);
    strbuf_adds(out, ",\"schema\":");
    strbuf_adds(out, p->format_schema);
}

/* Anthropic has no JSON without a schema; /responses has no stop. */
const char *llm_lacking_param(const char *kind, bool responses, const struct llm_params *p)
{
    bool offline = strcmp(kind, "offline") == 0, anthropic = strcmp(kind, "anthropic") == 0;
    if (offline && p->must_call)
        return "tool_choice";
    if ((offline && p->format != LLM_FORMAT_TEXT) || (anthropic && p->format == LLM_FORMAT_JSON))
        return "response_format";
    return (offline || responses) && p->stops_n ? "stop" : NULL;
}
