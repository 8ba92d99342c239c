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

void llm_add_temperature(struct strbuf *out, const struct llm_request *r, int most)
{
    int t = r->temperature < most ? r->temperature : most;
    if (r->sets_temperature)
        strbuf_addf(out, ",\"temperature\":%d.%02d", t / 100, t % 100);
}
