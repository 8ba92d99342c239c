/* Properties of models derived from their names, for lists that have no other data. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "llm/models.h"

/* Parts of the names of models that are not chat models. */
static const char *const other_uses[] = {"embed", "bge-", "rerank", "whisper", "tts", "transcribe",
    "realtime", "dall-e", "-image", "imagen", "imagine", "nano-banana", "sora", "veo-", "flux",
    "stable-diffusion", "moderation", "-audio", "guard", "davinci", "babbage", "-instruct-0914",
    "computer-use", "-ocr", "voxtral", "lyria", "aqa", "all-minilm", "orpheus"};

bool llm_model_chats(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(other_uses); i++)
        if (strcasestr(name, other_uses[i]))
            return false;
    return *name && strcasecmp(name, "gpt-3.5-turbo-instruct") != 0;
}

#define GENERATION_MAX 99 /* a larger number is a date */

/* The number after `start`, as in gpt-5.4 or claude-opus-5-5; 0: the name begins otherwise. */
static int64_t generation_after(const char *name, const char *start)
{
    size_t n = strlen(start), digits = 0;
    int64_t generation = 0;
    if (strncmp(name, start, n) != 0)
        return 0;
    while (isdigit((unsigned char)name[n + digits]))
        digits++;
    (void)str_to_int((struct str){name + n, digits}, 1, GENERATION_MAX, &generation);
    return generation;
}

#define GPT_REASONS 5 /* this generation and the later ones */

static bool is_new_gpt(const char *own)
{
    return generation_after(own, "gpt-") >= GPT_REASONS;
}

/*
 * Windows in tokens from the pages of the makers about their models, as of 2026-11; their lists do not report
 * all of them. The first matching row counts. So far a newer model of a family had no smaller window. For
 * gpt-5 and later it is the limit of the input.
 */
static const struct {
    const char *start;
    int64_t window;
} families[] = {{"gpt-5-chat", 128000}, {"gpt-5", 272000}, {"gpt-4.1", 1047576}, {"gpt-4o", 128000},
    {"gpt-4-turbo", 128000}, {"gpt-4-1106", 128000}, {"gpt-4-0125", 128000}, {"gpt-4-32k", 32768},
    {"gpt-4", 8192}, {"gpt-3.5-turbo", 16385}, {"chatgpt-4o", 128000}, {"o1-mini", 128000}, {"o1", 200000},
    {"o3", 200000}, {"o4", 200000}, {"claude-", 200000}, {"gemini-", 1048576}, {"deepseek-", 131072}};
#define WINDOW_OF_LATER_GPT 922000 /* gpt-6 */

int64_t llm_model_family_window(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(families); i++)
        if (strncmp(name, families[i].start, strlen(families[i].start)) == 0)
            return families[i].window;
    return is_new_gpt(name) ? WINDOW_OF_LATER_GPT : 0;
}

/* From the pages of OpenAI and Anthropic about reasoning effort, as of 2026-11. */
static const char *const with_effort[] = {"gpt-oss", "o1", "o3", "o4", "claude-opus-4-5"};
/* They think only when they are asked to (thinking "adaptive"); the models before them cannot be asked so. */
static const char *const thinking_claudes[] = {
    "claude-opus-4-6", "claude-opus-4-7", "claude-opus-4-8", "claude-sonnet-4-6"};
#define CLAUDE_THINKS 5 /* this generation and the later ones think by themselves, claude-FAMILY-5 */

static bool is_new_claude(const char *name)
{
    bool claude = strncmp(name, "claude-", 7) == 0 && !isdigit((unsigned char)name[7]); /* claude-3-5-... */
    const char *family = claude ? strchr(name + 7, '-') : NULL;
    return family && generation_after(family, "-") >= CLAUDE_THINKS;
}

/* Reasoning models of OpenAI besides the generations of gpt. */
static const char *const openai_reasoners[] = {"o1", "o3", "o4"};

/* The name without the maker that gateways put before it. */
static const char *own_name(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

bool llm_model_takes_effort(const char *kind, const char *name, enum llm_fact reasoning)
{
    const char *own = own_name(name);
    if (reasoning == LLM_NO || strcmp(kind, "offline") == 0 || strncmp(own, "gpt-5-chat", 10) == 0)
        return false;
    return is_new_gpt(own) || STR_STARTS_IN(str_of(own), with_effort) || llm_model_can_think(name) ||
           (reasoning == LLM_YES && strcmp(kind, "openai") == 0);
}

bool llm_model_can_think(const char *name)
{
    const char *own = own_name(name);
    return is_new_claude(own) || STR_STARTS_IN(str_of(own), thinking_claudes);
}

bool llm_model_thinks_unasked(const char *name)
{
    return is_new_claude(own_name(name));
}

/* From Anthropic's pages about these models. The later ones, such as claude-opus-5-5, and the other families
 * refuse to stop. */
bool llm_model_can_stop_thinking(const char *name)
{
    static const char *const able[] = {"claude-opus-5", "claude-sonnet-5", "claude-haiku-5"};
    const char *own = own_name(name);
    for (size_t i = 0; i < ARRAY_LEN(able); i++) {
        size_t n = strlen(able[i]);
        if (strncmp(own, able[i], n) == 0 && !isdigit((unsigned char)own[n]))
            return own[n] != '-' || generation_after(own + n, "-") == 0;
    }
    return false;
}

/* ---- efforts ---- */

enum { NONE, MINIMAL, LOW, MEDIUM, HIGH, XHIGH, MAX };
static const char *const efforts[] = {"none", "minimal", "low", "medium", "high", "xhigh", "max"};
#define USUAL (1U << LOW | 1U << MEDIUM | 1U << HIGH)

const char *llm_effort(struct str word)
{
    for (size_t i = 0; i < ARRAY_LEN(efforts); i++)
        if (str_is(word, efforts[i]))
            return efforts[i];
    return NULL;
}

/* The efforts besides low, medium and high, as bits. */
static unsigned more_of_claude(const char *own)
{
    static const char *const without_xhigh[] = {"claude-opus-4-6", "claude-sonnet-4-6"};
    if (!llm_model_can_think(own))
        return 0;
    return STR_STARTS_IN(str_of(own), without_xhigh) ? 1U << MAX : 1U << XHIGH | 1U << MAX;
}

/* From OpenAI's page about reasoning: gpt-5 has minimal, gpt-5.1 none, gpt-5.2 and gpt-5.1-codex-max xhigh.
 * Models for code always reason. */
static unsigned more_of_gpt(const char *own)
{
    bool codex = strstr(own, "codex") != NULL;
    int64_t minor = generation_after(own, "gpt-5.");
    if (generation_after(own, "gpt-") > GPT_REASONS)
        minor = GENERATION_MAX;
    if (minor == 0)
        return codex ? 0 : 1U << MINIMAL;
    return (codex ? 0 : 1U << NONE) | (minor > 1 || strstr(own, "codex-max") ? 1U << XHIGH : 0);
}

static const char *nearest(const char *effort, unsigned has)
{
    int i = NONE;
    while (i < MAX && strcmp(effort, efforts[i]) != 0)
        i++;
    while (!(has & 1U << i))
        i += i < LOW ? 1 : -1;
    return efforts[i];
}

const char *llm_model_effort(const char *kind, const char *name, const char *effort)
{
    const char *own = own_name(name);
    if (strcmp(kind, "anthropic") == 0)
        return nearest(effort, USUAL | more_of_claude(own));
    return nearest(effort, USUAL | (is_new_gpt(own) ? more_of_gpt(own) : 0));
}

const char *llm_usual_effort(const char *effort)
{
    return nearest(effort, USUAL);
}

int64_t llm_model_answer_limit(const char *name)
{
    return llm_model_can_think(name) ? LLM_ANTHROPIC_THINKING_MAX_TOKENS : LLM_ANTHROPIC_MAX_TOKENS;
}

bool llm_model_takes_completion_limit(const char *name)
{
    const char *own = own_name(name);
    return is_new_gpt(own) || STR_STARTS_IN(str_of(own), openai_reasoners);
}

/* OpenAI's reasoning models take the default only, and so do the newest models of Anthropic. */
bool llm_model_takes_temperature(const char *kind, const char *name)
{
    static const char *const without[] = {"claude-opus-4-7", "claude-opus-4-8"};
    const char *own = own_name(name);
    if (strcmp(kind, "offline") == 0)
        return false;
    if (strncmp(own, "gpt-5-chat", 10) == 0)
        return true;
    return !is_new_gpt(own) && !STR_STARTS_IN(str_of(own), openai_reasoners) &&
           !STR_STARTS_IN(str_of(own), without) && !is_new_claude(own);
}

/* Scores for choosing the default. Middle sizes are good, fast and cheap enough. */
static const struct {
    const char *part;
    int points;
} signs[] = {{"openrouter/auto", 20}, {"sonnet", 6}, {"-mini", 6}, {"flash", 6}, {"mistral-medium", 6},
    {"deepseek-chat", 6}, {"latest", 1}, {"preview", -4}, {"-lite", -4}, {"-nano", -4}, {"codex", -8},
    {"search", -8}, {"deep-research", -12}, {"-exp", -4}, {"thinking", -2}, {":free", -2}, {"vision", -1},
    {"math", -6}, {"-base", -8}, {"robotics", -12}, {"live", -8}};

static int points_of(const struct llm_model *m)
{
    int points = m->loaded ? 10 : 0;
    for (size_t i = 0; i < ARRAY_LEN(signs); i++)
        if (strcasestr(m->name, signs[i].part))
            points += signs[i].points;
    return m->tools == LLM_NO ? points - 12 : points;
}

/* An alias without a date keeps working when a dated version is retired. */
static bool is_better(const struct llm_model *m, const struct llm_model *best)
{
    int a = points_of(m), b = points_of(best);
    if (a != b)
        return a > b;
    if (strncmp(m->name, best->name, strlen(m->name)) == 0)
        return true;
    if (strncmp(m->name, best->name, strlen(best->name)) == 0)
        return false;
    return m->created > best->created;
}

const struct llm_model *llm_model_pick(const struct llm_models *m)
{
    const struct llm_model *best = NULL;
    for (size_t i = 0; i < m->n; i++)
        if (m->list[i].chat && (!best || is_better(&m->list[i], best)))
            best = &m->list[i];
    return best;
}

/* ---- base URLs ---- */

const char *llm_base_url(struct arena *a, const char *kind, const char *url)
{
    size_t n = strlen(url);
    while (n && url[n - 1] == '/')
        n--;
    const char *host = strstr(url, "://");
    bool path = host && memchr(host + 3, '/', n - (size_t)(host + 3 - url));
    if (strcmp(kind, "openai") == 0)
        return arena_printf(a, "%.*s%s", (int)n, url, path ? "" : "/v1");
    if (n > 3 && strncmp(url + n - 3, "/v1", 3) == 0)
        n -= 3;
    return arena_strndup(a, url, n);
}

const char *llm_url_method(const char *url)
{
    static const char *const methods[] = {"/chat/completions", "/completions", "/responses", "/embeddings",
        "/models", "/messages", "/api/chat", "/api/generate", "/api/tags"};
    size_t n = strlen(url);
    while (n && url[n - 1] == '/')
        n--;
    for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
        size_t m = strlen(methods[i]);
        if (n > m && strncmp(url + n - m, methods[i], m) == 0)
            return methods[i];
    }
    return NULL;
}
