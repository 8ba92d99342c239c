/* The results of a provider's test as sentences: first the failure, then what to do. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "app/models/provider_test_private.h"
#include "base/clock.h"

#define NAMES_SHOWN 5 /* names of the list, where one must be chosen */

struct writing {
    const struct testing *g;
    struct provider_report *out;
};

const char *finding_state_word(enum finding_state s)
{
    static const char *const words[] = {"ok", "wrong", "note"};
    return words[s];
}

static void add(struct writing *w, const char *subject, enum finding_state state, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static void add(struct writing *w, const char *subject, enum finding_state state, const char *fmt, ...)
{
    char text[2 * ERR_TEXT_MAX];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    w->out->list[w->out->n++] = (struct finding){subject, state, arena_strdup(w->g->arena, text)};
}

static bool is_ok(const struct tested *r)
{
    return r->asked && r->rc == RC_OK;
}

static const char *why(const struct tested *r)
{
    return r->why.for_user ? r->why.text : "The request could not be sent.";
}

/* The first names of the list: "a, b, c, ..."; "" when it is empty. */
static const char *names(const struct testing *g, bool chat)
{
    const char *out = "";
    size_t n = 0;
    for (size_t i = 0; i < g->models_n; i++)
        if (g->models[i].chat == chat && n++ < NAMES_SHOWN)
            out = arena_printf(g->arena, "%s%s%s", out, *out ? ", " : "", g->models[i].name);
    return n > NAMES_SHOWN ? arena_printf(g->arena, "%s, ...", out) : out;
}

static bool is_listed(const struct testing *g, const char *model)
{
    for (size_t i = 0; i < g->models_n; i++)
        if (strcmp(g->models[i].name, model) == 0)
            return true;
    return false;
}

/* The setting for a model. */
static const char *setting(const struct testing *g)
{
    const struct provider_source *s = g->t->source;
    if (s->set)
        return arena_printf(g->arena, "model in [provider.%s]", s->name);
    return strcmp(s->kind, "anthropic") == 0 ? "ANTHROPIC_MODEL" : "OPENAI_MODEL";
}

/* The advice for a failed request. */
static const char *remedy(const struct tested *r)
{
    if (r->problem == LLM_PROBLEM_LOADING)
        return " Try again when it has loaded its model.";
    switch (r->rc) {
    case RC_TIMEOUT: return " Check whether the server is busy or hangs.";
    case RC_UNAVAILABLE: return " Start the server, or correct its base_url.";
    case RC_RATE_LIMITED: return " Then test again.";
    default: return "";
    }
}

static const char *time_up(const struct testing *g)
{
    return arena_printf(g->arena,
        "There was no answer within %lld s. On the server, \"alfred provider test %s\" waits longer.",
        (long long)(g->t->limit_ms / MS_PER_S), g->t->source->name);
}

static void add_failure(struct writing *w, const char *subject, const struct tested *r)
{
    if (r->rc == RC_CANCELLED && r->problem != LLM_PROBLEM_LOADING)
        add(w, subject, FINDING_WRONG, "%s", time_up(w->g));
    else if (r->rc == RC_CANCELLED)
        add(w, subject, FINDING_WRONG, "The server is loading the model.%s", remedy(r));
    else
        add(w, subject, FINDING_WRONG, "%s%s", why(r), remedy(r));
}

/* ---- the findings ---- */

static void find_key(struct writing *w)
{
    const struct testing *g = w->g;
    const struct tested *refused = g->chat.rc == RC_FORBIDDEN   ? &g->chat
                                   : g->list.rc == RC_FORBIDDEN ? &g->list
                                                                : NULL;
    if (refused && !is_ok(&g->chat))
        add(w, "Key", FINDING_WRONG, "%s", why(refused));
    else if (!g->t->source->settings.key)
        add(w, "Key", is_ok(&g->chat) ? FINDING_OK : FINDING_NOTE,
            is_ok(&g->chat) ? "none is needed" : "None is set.");
    else if (is_ok(&g->chat) || is_ok(&g->list))
        add(w, "Key", FINDING_OK, "accepted");
    else
        add(w, "Key", FINDING_NOTE, "It could not be tested.");
}

static void find_models(struct writing *w)
{
    const struct testing *g = w->g;
    size_t chats = 0;
    for (size_t i = 0; i < g->models_n; i++)
        chats += g->models[i].chat;
    if (g->list.rc == RC_FORBIDDEN)
        add(w, "Models", FINDING_NOTE, "The list was refused.");
    else if (g->list.rc == RC_NOT_FOUND && g->choice)
        add(w, "Models", FINDING_NOTE, "The server has no list, so the models that are set here count.");
    else if (g->list.rc == RC_NOT_FOUND)
        add(w, "Models", FINDING_WRONG, "The server has no list. Set %s.", setting(g));
    else if (g->list.rc != RC_OK)
        add_failure(w, "Models", &g->list);
    else if (chats == 0)
        add(w, "Models", FINDING_WRONG, "The list has no chat model. Install or load one on the server.");
    else
        add(w, "Models", FINDING_OK, "%zu in the list%s%s%s%s", g->models_n,
            g->models_n == LLM_MODELS_MAX ? ", which has more" : "",
            chats < g->models_n ? arena_printf(g->arena, ", %zu of them for chats", chats) : "",
            *g->server ? ", " : "", g->server);
}

static void find_model(struct writing *w)
{
    const struct testing *g = w->g;
    const char *others = names(g, true);
    if (!g->choice && g->t->model)
        add(w, "Model", FINDING_WRONG, "%.100s is not in the list%s%s.", g->t->model,
            *others ? ". Choose one of these: " : "", others);
    else if (!g->choice)
        add(w, "Model", FINDING_NOTE, "None is known.");
    else if (g->models_n == 0 || is_listed(g, g->choice->model))
        add(w, "Model", g->models_n ? FINDING_OK : FINDING_NOTE, "%.100s", g->choice->model);
    else if (is_ok(&g->chat))
        add(w, "Model", FINDING_NOTE, "%.100s is not in the list, but answers.", g->choice->model);
    else
        add(w, "Model", FINDING_WRONG, "%.100s is not in the list. Set %s to one of these: %s.",
            g->choice->model, setting(g), others);
}

static void find_window(struct writing *w)
{
    const struct provider_choice *c = w->g->choice;
    if (!c)
        return;
    if (strcmp(c->window_from, "Ollama's default") == 0)
        add(w, "Window", FINDING_WRONG,
            "%lld tokens (Ollama's default), and Ollama silently cuts longer prompts. Start it with "
            "OLLAMA_CONTEXT_LENGTH=32768.",
            (long long)c->window);
    else if (strcmp(c->window_from, "[context] model_window") == 0)
        add(w, "Window", FINDING_NOTE,
            "%lld tokens ([context] model_window), because the server does not report it.",
            (long long)c->window);
    else
        add(w, "Window", FINDING_OK, "%lld tokens (%s)", (long long)c->window, c->window_from);
}

static void find_chat(struct writing *w)
{
    const struct testing *g = w->g;
    if (is_ok(&g->chat) && g->chat.first_ms >= 0)
        add(w, "Answer", FINDING_OK, "first token after %.2f s", (double)g->chat.first_ms / (double)MS_PER_S);
    else if (is_ok(&g->chat))
        add(w, "Answer", FINDING_OK, "it came, and was empty");
    else if (!g->chat.asked || g->chat.rc == RC_FORBIDDEN)
        add(w, "Answer", FINDING_NOTE, "It could not be tested.");
    else
        add_failure(w, "Answer", &g->chat);
}

bool provider_test_tries_tools(const struct testing *g)
{
    const struct provider_choice *c = g->choice;
    bool is_said = c->tools == LLM_NO && strcmp(c->tools_from, "a refusal") != 0;
    return !is_said && g->t->config->turn.tool_calls_max > 0;
}

/* Servers that support tools only with certain options. */
static const char *tools_remedy(const struct testing *g)
{
    if (strcmp(g->server, "vLLM") == 0)
        return "Start vLLM with --enable-auto-tool-choice and --tool-call-parser.";
    if (strcmp(g->server, "llama.cpp") == 0)
        return "Start llama-server with --jinja.";
    return "Choose another model; until then Alfred chats without tools.";
}

static void find_tools(struct writing *w)
{
    const struct testing *g = w->g;
    const struct provider_choice *c = g->choice;
    if (!g->tools.asked && c && g->t->config->turn.tool_calls_max == 0)
        add(w, "Tools", FINDING_NOTE, "They are off: [turn] tool_calls_max is 0.");
    else if (!g->tools.asked && c && c->tools == LLM_NO && strcmp(c->tools_from, "alfred.toml") == 0)
        add(w, "Tools", FINDING_NOTE, "They are off in alfred.toml.");
    else if (!g->tools.asked && c && c->tools == LLM_NO && strcmp(c->tools_from, "its list") == 0)
        add(w, "Tools", FINDING_WRONG, "The list says that the model has none. %s", tools_remedy(g));
    else if (!g->tools.asked)
        add(w, "Tools", FINDING_NOTE, "They could not be tested.");
    else if (g->tools.rc == RC_OK)
        add(w, "Tools", FINDING_OK, g->tools.called ? "accepted, and one was called" : "accepted");
    else if (g->tools.problem == LLM_PROBLEM_NO_TOOLS || g->tools.problem == LLM_PROBLEM_RESPONSES)
        add(w, "Tools", FINDING_WRONG, "The model does not support them here. %s", tools_remedy(g));
    else
        add_failure(w, "Tools", &g->tools);
}

static void find_images(struct writing *w)
{
    const struct provider_choice *c = w->g->choice;
    if (c && c->images == LLM_YES)
        add(w, "Images", FINDING_OK, "The list says that the model reads them.");
    else if (c && c->images == LLM_NO)
        add(w, "Images", FINDING_NOTE, "The list says that the model reads none.");
    else if (c)
        add(w, "Images", FINDING_NOTE, "The server does not report it.");
}

static void find_embedding(struct writing *w)
{
    const struct testing *g = w->g;
    const char *others = names(g, false);
    if (!g->embedding.asked)
        return;
    if (g->embedding.rc == RC_OK)
        add(w, "Embedding", FINDING_OK, "%zu numbers per text (%.100s)", g->dimension,
            g->t->config->embedding.model);
    else if (g->models_n && !is_listed(g, g->t->config->embedding.model))
        add(w, "Embedding", FINDING_WRONG, "%.100s is not in the list. Set model in [embedding]%s%s.",
            g->t->config->embedding.model, *others ? " to one of these: " : "", others);
    else
        add_failure(w, "Embedding", &g->embedding);
}

void provider_findings(const struct testing *g, struct provider_report *out)
{
    struct writing w = {g, out};
    find_key(&w);
    find_models(&w);
    find_model(&w);
    find_window(&w);
    find_chat(&w);
    find_tools(&w);
    find_images(&w);
    find_embedding(&w);
}
