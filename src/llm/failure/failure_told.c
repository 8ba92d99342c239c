/* Reads the members of refusals. */
#include <ctype.h>
#include <string.h>

#include "base/clock.h"
#include "codec/json/json.h"
#include "llm/failure/failure_private.h"

#define REASON_MAX        ((size_t)64 * 1024)
#define RETRY_DELAY_MAX_S (7 * S_PER_DAY)

/* Milliseconds of the unit that the text begins with, which is removed from it; 0: there is none. */
static int64_t cut_unit(struct str *rest)
{
    static const struct {
        const char *const words[5];
        int64_t ms;
    } units[] = {{{"ms"}, 1}, {{"s", "sec", "second", "seconds"}, MS_PER_S},
        {{"m", "min", "minute", "minutes"}, MS_PER_MIN}, {{"h", "hour", "hours"}, MS_PER_H},
        {{"day", "days"}, MS_PER_DAY}};
    size_t letters = 0;
    while (letters < rest->len && isalpha((unsigned char)rest->s[letters]))
        letters++;
    struct str word = {rest->s, letters};
    *rest = str_from(*rest, letters);
    for (size_t u = 0; u < ARRAY_LEN(units); u++)
        for (size_t i = 0; units[u].words[i]; i++)
            if (str_is(word, units[u].words[i]))
                return units[u].ms;
    return 0;
}

static struct str without_blanks(struct str s)
{
    while (s.len && s.s[0] == ' ')
        s = str_from(s, 1);
    return s;
}

/* "6s", "35.4s", "1m2.5s", "350ms", "2 seconds" at the beginning of a text, rounded up. 0: there is none. */
static int read_delay(struct str rest)
{
    double ms = 0;
    for (;;) {
        size_t digits = 0;
        rest = without_blanks(rest);
        while (digits < rest.len && strchr("0123456789.", rest.s[digits]))
            digits++;
        char number[16] = "";
        if (digits == 0 || digits >= sizeof number)
            break;
        memcpy(number, rest.s, digits);
        rest = without_blanks(str_from(rest, digits));
        int64_t unit = cut_unit(&rest);
        if (!unit)
            break;
        ms += strtod(number, NULL) * (double)unit;
    }
    return ms > RETRY_DELAY_MAX_S * 1000.0 ? RETRY_DELAY_MAX_S : (int)((ms + 999) / 1000);
}

/* Gemini: {"details":[{"@type":".../google.rpc.RetryInfo","retryDelay":"35.4s"}]} */
static int retry_delay(const json_t *error)
{
    size_t i;
    json_t *detail;
    json_array_foreach(json_object_get(error, "details"), i, detail)
    {
        int delay = read_delay(llm_json_str(detail, "retryDelay"));
        if (delay)
            return delay;
    }
    return 0;
}

/* OpenRouter: {"metadata":{"headers":{"X-RateLimit-Reset":"1746057600000"}}}, a wall clock in milliseconds.
 */
static int reset_delay(const json_t *error)
{
    const json_t *headers = json_object_get(json_object_get(error, "metadata"), "headers");
    int64_t at;
    if (!str_to_int(llm_json_str(headers, "X-RateLimit-Reset"), 0, INT64_MAX, &at))
        return 0;
    int64_t s = (at - clock_wall_ms() + MS_PER_S - 1) / MS_PER_S;
    return s > 0 && s <= RETRY_DELAY_MAX_S ? (int)s : 0;
}

/* Gemini: {"details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}]}.
 * Such a refusal has a retryDelay of less than a minute, too. */
static bool is_daily(const json_t *error)
{
    size_t i, k;
    json_t *detail, *violation;
    json_array_foreach(json_object_get(error, "details"), i, detail)
    {
        json_array_foreach(json_object_get(detail, "violations"), k, violation)
        {
            if (contains_nocase(llm_json_str(violation, "quotaId"), "PerDay"))
                return true;
        }
    }
    return false;
}

/* OpenAI and Groq: "Please try again in 6s."; Kimi: "please try again after 1 seconds"; Azure: "Please retry
 * after 7 seconds.", "Try again in 2 seconds."; Gemini: "Please retry in 42.2s."; GitHub: "Please wait 42
 * seconds before retrying." */
static int delay_in_text(struct str message)
{
    static const char *const before[] = {
        "try again in ", "try again after ", "retry after ", "retry in ", "please wait "};
    for (size_t i = 0; i < ARRAY_LEN(before); i++) {
        int delay = read_delay(told_after(message, before[i]));
        if (delay)
            return delay;
    }
    return 0;
}

/* LiteLLM writes its status as a text. */
static int64_t number_of(const json_t *error)
{
    int64_t number = 0;
    if (str_to_int(llm_json_str(error, "code"), 0, INT32_MAX, &number))
        return number;
    return llm_json_int(error, "code", 0);
}

/* The object that has the words: `error`; `detail` of KoboldCpp, one of Cloudflare's `errors`, MiniMax's
 * `base_resp`; or the answer itself. */
static const json_t *object_with_words(const json_t *answer)
{
    const json_t *const inner[] = {json_object_get(answer, "error"), json_object_get(answer, "detail"),
        json_array_get(json_object_get(answer, "errors"), 0), json_object_get(answer, "base_resp")};
    for (size_t i = 0; i < ARRAY_LEN(inner); i++)
        if (json_is_object(inner[i]))
            return inner[i];
    return answer;
}

static struct str message_in(const json_t *from)
{
    static const char *const names[] = {"message", "detail", "msg", "Message", "status_msg", "error"};
    struct str message = STR("");
    for (size_t i = 0; i < ARRAY_LEN(names) && message.len == 0; i++)
        message = llm_json_str(from, names[i]);
    return message;
}

struct told told_by(const json_t *answer)
{
    if (json_is_array(answer))
        answer = json_array_get(answer, 0);
    const json_t *from = object_with_words(answer);
    struct str type = llm_json_str(from, "type"), message = message_in(from);
    int delay = retry_delay(from);
    if (!delay)
        delay = reset_delay(from);
    return (struct told){.message = message,
        .type = type.len ? type : llm_json_str(from, "status"),
        .code = llm_json_str(from, "code"),
        .number = number_of(from),
        .window = llm_json_int(from, "n_ctx", 0),
        .prompt_tokens = llm_json_int(from, "n_prompt_tokens", 0),
        .daily = is_daily(from) || contains_nocase(message, "per-day"),
        .retry_after_s = delay ? delay : delay_in_text(message)};
}

/* Appends "body.top_p: Field required". */
static void add_wrong_member(struct strbuf *out, const json_t *wrong)
{
    struct str message = llm_json_str(wrong, "msg");
    size_t i;
    json_t *part;
    if (message.len == 0)
        return;
    strbuf_adds(out, out->len ? "; " : "");
    json_array_foreach(json_object_get(wrong, "loc"), i, part)
    {
        strbuf_adds(out, i ? "." : "");
        if (json_is_integer(part))
            strbuf_addint(out, json_integer_value(part));
        else if (json_is_string(part))
            strbuf_adds(out, json_string_value(part));
    }
    strbuf_adds(out, ": ");
    strbuf_addstr(out, message);
}

static json_t *told_wrong_members(const json_t *answer)
{
    const json_t *message = json_object_get(answer, "message");
    const json_t *const lists[] = {
        message, json_object_get(message, "detail"), json_object_get(answer, "detail")};
    AUTO_STRBUF all;
    strbuf_init(&all, REASON_MAX);
    for (size_t i = 0; i < ARRAY_LEN(lists) && all.len == 0; i++) {
        size_t k;
        json_t *wrong;
        json_array_foreach(lists[i], k, wrong)
        {
            add_wrong_member(&all, wrong);
        }
    }
    return all.len ? json_pack("{s:s%}", "message", all.s, all.len) : NULL;
}

/* MiMo: `param` has the reason as a sentence. Elsewhere it is one word, the name of a parameter. */
static json_t *told_wrong_param(const json_t *answer)
{
    const json_t *error = json_object_get(answer, "error");
    struct str message = llm_json_str(error, "message"), param = llm_json_str(error, "param");
    if (message.len == 0 || !param.len || !memchr(param.s, ' ', param.len))
        return NULL;
    AUTO_STRBUF all;
    strbuf_init(&all, REASON_MAX);
    strbuf_addstr(&all, message);
    strbuf_adds(&all, ": ");
    strbuf_addstr(&all, param);
    return json_pack("{s:s%}", "message", all.s, all.len);
}

/* Gateways: the message is the JSON answer of the server behind them. */
static json_t *told_within(const json_t *answer)
{
    struct str message = told_by(answer).message;
    json_t *v = NULL;
    if (!str_starts(message, STR("{")) || json_parse(message, REASON_MAX, &v, NULL) != RC_OK)
        return NULL;
    if (told_by(v).message.len)
        return v;
    json_decref(v);
    return NULL;
}

static json_t *told_apart(const json_t *answer)
{
    json_t *apart = told_wrong_members(answer);
    if (!apart)
        apart = told_wrong_param(answer);
    return apart ? apart : told_within(answer);
}

json_t *told_reason(const json_t *answer)
{
    json_t *parsed = NULL;
    json_t *raw = json_object_get(json_object_get(json_object_get(answer, "error"), "metadata"), "raw");
    struct str text = {json_string_value(raw), json_string_length(raw)};
    if (!raw)
        return told_apart(answer);
    if (!json_is_string(raw))
        parsed = json_incref(raw);
    else if (json_parse(text, REASON_MAX, &parsed, NULL) != RC_OK)
        parsed = NULL;
    json_t *apart = told_apart(parsed);
    if (!apart && (told_by(parsed).message.len || text.len == 0))
        return parsed;
    json_decref(parsed);
    return apart ? apart : json_pack("{s:O}", "message", raw);
}

struct told told_by_both(const json_t *answer, const json_t *reason)
{
    struct told outer = told_by(answer);
    struct told t = told_by(reason);
    if (t.message.len == 0)
        return outer;
    t.number = outer.number;
    if (!t.retry_after_s)
        t.retry_after_s = outer.retry_after_s;
    return t;
}

bool contains_nocase(struct str s, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= s.len; i++)
        if (str_eq_nocase((struct str){s.s + i, n}, (struct str){word, n}))
            return true;
    return false;
}

bool told_mentions(const struct told *t, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (contains_nocase(t->type, words[i]) || contains_nocase(t->code, words[i]) ||
            contains_nocase(t->message, words[i]))
            return true;
    return false;
}
