/*
 * Reads the lists of models. Field names and their meaning are those of the servers' own documentation:
 * llama.cpp tools/server/README.md, Ollama docs/api.md, LM Studio REST API v0, vLLM ModelCard, OpenRouter
 * /api/v1/models, Groq, xAI and Mistral /v1/models, Anthropic ModelInfo, Kimi, Fireworks, Together, Azure,
 * DeepInfra, Novita and the router of Hugging Face.
 */
#include <string.h>

#include "llm/internal.h"
#include "llm/models_private.h"

#define WINDOW_LEAST 256 /* a smaller number is not a window */
#define WINDOW_MOST  INT64_C(100000000)

static bool is_window(int64_t n)
{
    return n >= WINDOW_LEAST && n <= WINDOW_MOST;
}

static void set_window(struct llm_model *m, int64_t n, const char *from)
{
    if (!is_window(n))
        return;
    m->window = n;
    m->window_from = from;
}

/* Another window of a model that several servers have. */
static void lower_window(struct llm_model *m, int64_t n)
{
    if (!m->window || n < m->window)
        set_window(m, n, "context_length");
}

static enum llm_fact fact_of(const json_t *v)
{
    if (json_is_object(v)) /* Anthropic: {"supported": true} */
        v = json_object_get(v, "supported");
    return json_is_true(v) ? LLM_YES : json_is_false(v) ? LLM_NO : LLM_UNKNOWN;
}

static bool list_has(const json_t *list, const char *word)
{
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item)
    {
        if (json_is_string(item) && strcmp(json_string_value(item), word) == 0)
            return true;
    }
    return false;
}

/* Some servers list a model's capabilities: those that are missing are absent. */
static enum llm_fact fact_in(const json_t *list, const char *word)
{
    return !json_is_array(list) ? LLM_UNKNOWN : list_has(list, word) ? LLM_YES : LLM_NO;
}

static void read_windows(const json_t *item, struct llm_model *m)
{
    static const char *const names[] = {"max_model_len", "context_length", "context_window",
        "max_context_length", "max_input_tokens", "inputTokenLimit", "context_size"};
    const json_t *meta = json_object_get(item, "meta");
    const json_t *top = json_object_get(item, "top_provider"); /* OpenRouter: of the server that answers */
    for (size_t i = 0; i < ARRAY_LEN(names) && !m->window; i++)
        set_window(m, llm_json_int(item, names[i], 0), names[i]);
    if (!m->window)
        set_window(m, llm_json_int(json_object_get(item, "metadata"), "context_length", 0), "context_length");
    lower_window(m, llm_json_int(top, "context_length", 0));
    set_window(m, llm_json_int(meta, "n_ctx", 0), "n_ctx");
}

static void read_abilities(const json_t *item, struct llm_model *m)
{
    const json_t *can = json_object_get(item, "capabilities");
    const json_t *parameters = json_object_get(item, "supported_parameters"); /* OpenRouter */
    const json_t *features = json_object_get(item, "supported_features");     /* Groq */
    if (json_is_object(can)) {                                                /* Mistral, Anthropic */
        const json_t *azure = json_object_get(can, "chat_completion");
        if (json_is_false(json_object_get(can, "completion_chat")) || json_is_false(azure))
            m->chat = false;
        m->tools = fact_of(json_object_get(can, "function_calling"));
        m->images = fact_of(json_object_get(can, "vision"));
        if (m->images == LLM_UNKNOWN)
            m->images = fact_of(json_object_get(can, "image_input"));
        m->reasoning = fact_of(json_object_get(can, "thinking"));
    } else if (json_is_array(can) && list_has(can, "tool_use")) { /* LM Studio */
        m->tools = LLM_YES;
    } else if (json_is_array(can) && list_has(can, "multimodal")) { /* llama.cpp */
        m->images = LLM_YES;
    }
    if (json_is_array(parameters)) {
        m->tools = fact_in(parameters, "tools");
        m->reasoning = fact_in(parameters, "reasoning");
    }
    if (json_is_array(features))
        m->tools = fact_in(features, "tools");
}

static void state(enum llm_fact *fact, const json_t *item, const char *name)
{
    enum llm_fact stated = fact_of(json_object_get(item, name));
    if (stated != LLM_UNKNOWN)
        *fact = stated;
}

/* Fireworks, Kimi and others state each ability in a member. */
static void read_supports(const json_t *item, struct llm_model *m)
{
    if (json_is_false(json_object_get(item, "supports_chat")))
        m->chat = false;
    state(&m->tools, item, "supports_tools");
    state(&m->images, item, "supports_image_input");
    state(&m->images, item, "supports_image_in");
    state(&m->reasoning, item, "supports_reasoning");
}

/* Hugging Face: each of these servers may answer. */
static void read_servers(const json_t *item, struct llm_model *m)
{
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(item, "providers"), i, one)
    {
        if (!str_is(llm_json_str(one, "status"), "live"))
            continue;
        lower_window(m, llm_json_int(one, "context_length", 0));
        if (m->tools != LLM_YES)
            state(&m->tools, one, "supports_tools");
    }
}

/* Together, Vercel: the use of a model. Other lists have other words here. */
static void read_type(const json_t *item, struct llm_model *m)
{
    static const char *const others[] = {
        "embed", "image", "audio", "video", "rerank", "moderation", "transcri", "speech"};
    struct str type = llm_json_str(item, "type");
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (str_starts(type, str_of(others[i])))
            m->chat = false;
}

/* The forms of a model's input and output: OpenRouter, Groq, xAI. */
static void read_modalities(const json_t *item, struct llm_model *m)
{
    static const char *const others[] = {"image", "audio", "video"};
    const json_t *shape = json_object_get(item, "architecture");
    if (!json_is_object(shape))
        shape = item;
    const json_t *out = json_object_get(shape, "output_modalities");
    enum llm_fact images = fact_in(json_object_get(shape, "input_modalities"), "image");
    if (images != LLM_UNKNOWN)
        m->images = images;
    if (fact_in(out, "text") == LLM_NO)
        m->chat = false;
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (list_has(out, others[i]))
            m->chat = false;
}

/* Gemini's openai-compatible list has "models/gemini-...". Requests accept the name with and without the
 * prefix. */
static struct str name_of(const json_t *item)
{
    static const char *const names[] = {"id", "name", "model"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct str name = llm_json_str(item, names[i]);
        if (name.len && str_starts(name, STR("models/")))
            name = str_from(name, strlen("models/"));
        if (name.len)
            return name;
    }
    return STR("");
}

/* A name is used in URLs of pages, log lines and command lines. */
static bool is_name(struct str s)
{
    if (s.len == 0 || s.len > LLM_MODEL_NAME_MAX)
        return false;
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.s[i] <= ' ' || s.s[i] == 0x7F)
            return false;
    return true;
}

static void guess_server(const json_t *item, struct llm_models *out)
{
    struct str owner = llm_json_str(item, "owned_by");
    if (str_is(owner, "llamacpp"))
        out->server = "llama.cpp";
    else if (str_is(owner, "library"))
        out->server = "Ollama";
    else if (str_is(owner, "vllm"))
        out->server = "vLLM";
    else if (str_is(owner, "organization_owner"))
        out->server = "LM Studio";
    else if (str_is(owner, "koboldcpp"))
        out->server = "KoboldCpp";
}

enum rc models_read_list(const json_t *answer, struct arena *a, struct llm_models *out, struct err *e)
{
    const json_t *list = json_is_array(answer) ? answer : json_object_get(answer, "data");
    if (!json_is_array(list))
        list = json_object_get(answer, "models");
    bool none = json_is_null(json_object_get(answer, "data")); /* Ollama without a model */
    if (!json_is_array(list) && !none)
        return err_say(e, RC_UPSTREAM, "provider.not_a_list");
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item)
    {
        struct str name = name_of(item);
        if (!is_name(name))
            continue;
        if (out->n == LLM_MODELS_MAX) {
            out->cut = true;
            break;
        }
        struct llm_model *m = &out->list[out->n++];
        *m = (struct llm_model){.name = arena_strndup(a, name.s, name.len)};
        m->chat = llm_model_chats(m->name);
        m->created = llm_json_int(item, "created", 0);
        read_windows(item, m);
        read_abilities(item, m);
        read_modalities(item, m);
        read_supports(item, m);
        read_servers(item, m);
        read_type(item, m);
        guess_server(item, out);
    }
    return RC_OK;
}

void models_read_props(const json_t *props, struct llm_models *m)
{
    const json_t *settings = json_object_get(props, "default_generation_settings");
    const json_t *template = json_object_get(props, "chat_template_caps");
    const json_t *modalities = json_object_get(props, "modalities");
    for (size_t i = 0; i < m->n; i++) {
        set_window(&m->list[i], llm_json_int(settings, "n_ctx", 0), "/props");
        enum llm_fact tools = fact_of(json_object_get(template, "supports_tools"));
        if (tools == LLM_YES) /* without it the server describes the tools in the prompt */
            m->list[i].tools = tools;
        enum llm_fact images = fact_of(json_object_get(modalities, "vision"));
        if (images != LLM_UNKNOWN)
            m->list[i].images = images;
    }
}

/* The first model of the list is loaded. */
void models_read_kobold(const json_t *length, struct llm_models *m)
{
    if (m->n)
        set_window(&m->list[0], llm_json_int(length, "value", 0), "true_max_context_length");
}

static struct llm_model *find(struct llm_models *m, struct str name)
{
    for (size_t i = 0; i < m->n; i++)
        if (str_is(name, m->list[i].name))
            return &m->list[i];
    return NULL;
}

void models_read_lmstudio(const json_t *answer, struct llm_models *models)
{
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(answer, "data"), i, item)
    {
        struct llm_model *m = find(models, llm_json_str(item, "id"));
        if (!m)
            continue;
        struct str type = llm_json_str(item, "type");
        m->loaded = str_is(llm_json_str(item, "state"), "loaded");
        m->chat = !str_is(type, "embeddings");
        if (type.len)
            m->images = str_is(type, "vlm") ? LLM_YES : LLM_NO;
        read_abilities(item, m);
        set_window(m, llm_json_int(item, "max_context_length", 0), "max_context_length");
        set_window(m, llm_json_int(item, "loaded_context_length", 0), "loaded_context_length");
    }
}

void models_read_ps(const json_t *running, struct llm_models *models)
{
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(running, "models"), i, item)
    {
        struct llm_model *m = find(models, llm_json_str(item, "name"));
        if (!m)
            continue;
        m->loaded = true;
        set_window(m, llm_json_int(item, "context_length", 0), "/api/ps");
    }
}

/* Reads "num_ctx   8192" in the lines of a model file's parameters. */
static int64_t parameter(struct str lines, const char *name)
{
    while (lines.s) {
        struct str line = str_trim(str_cut(&lines, '\n')), key = str_cut(&line, ' ');
        int64_t n;
        if (line.s && str_is(key, name) && str_to_int(str_trim(line), 0, WINDOW_MOST, &n))
            return n;
    }
    return 0;
}

static bool ends_in(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n > m && strcmp(s + n - m, end) == 0;
}

/* The window that the model was trained for: "qwen3.context_length". */
static int64_t trained_window(const json_t *info)
{
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)info, key, v)
    {
        if (ends_in(key, ".context_length") && json_is_integer(v))
            return json_integer_value(v);
    }
    return 0;
}

/* A model of ollama.com, which the own server only passes on. */
static bool is_remote(const json_t *show, const char *name)
{
    return llm_json_str(show, "remote_host").len || ends_in(name, ":cloud") || ends_in(name, "-cloud");
}

void models_read_show(const json_t *show, struct llm_model *m)
{
    const json_t *can = json_object_get(show, "capabilities");
    int64_t trained = trained_window(json_object_get(show, "model_info"));
    int64_t set = parameter(llm_json_str(show, "parameters"), "num_ctx");
    if (json_is_array(can)) {
        m->chat = m->chat && list_has(can, "completion");
        m->tools = fact_in(can, "tools");
        m->images = fact_in(can, "vision");
        m->reasoning = fact_in(can, "thinking");
    }
    m->window = 0;
    if (set)
        set_window(m, set, "num_ctx");
    else if (is_window(trained) && (trained < LLM_OLLAMA_WINDOW || is_remote(show, m->name)))
        set_window(m, trained, "/api/show");
    else
        set_window(m, LLM_OLLAMA_WINDOW, "Ollama's default");
}

void models_apply_families(struct llm_models *models)
{
    for (size_t i = 0; i < models->n; i++)
        if (!models->list[i].window)
            set_window(&models->list[i], llm_model_family_window(models->list[i].name), "its family");
}
