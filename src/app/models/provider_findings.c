/* The results of a provider's test as sentences: first the failure, then what to do. */
#include <stdio.h>
#include <string.h>

#include "app/models/provider_test_private.h"
#include "base/clock.h"
#include "base/said.h"

#define NAMES_SHOWN 5 /* names of the list, where one must be chosen */

/* The finding that is being written: its subject, and its sentences as said_add() collects them. */
struct writing {
    const struct testing *g;
    struct provider_report *out;
    const char *subject;
    char said[SAID_MAX];
};

const char *finding_state_word(enum finding_state s)
{
    static const char *const words[] = {"ok", "wrong", "note"};
    return words[s];
}

/* One more sentence. */
#define SAY(w, key, ...) said_add((w)->said, (key), SAID_ARGS(__VA_ARGS__))

/* Ends the finding. */
static void add(struct writing *w, enum finding_state state)
{
    w->out->list[w->out->n++] = (struct finding){w->subject, state, arena_strdup(w->g->arena, w->said)};
    w->said[0] = '\0';
}

#define ADD(w, state, key, ...)     \
    do {                            \
        SAY(w, key, ##__VA_ARGS__); \
        add((w), (state));          \
    } while (0)

static bool is_ok(const struct tested *r)
{
    return r->asked && r->rc == RC_OK;
}

static void say_why(struct writing *w, const struct tested *r)
{
    const char *said = err_stored(&r->why);
    if (said)
        snprintf(w->said, sizeof w->said, "%s", said);
    else
        SAY(w, "finding.not_sent");
}

enum list_part { CHAT_MODELS, OTHER_MODELS };

/* The first names of a part of the list: "a, b, c, ..."; "" when it is empty. */
static const char *names(const struct testing *g, enum list_part part)
{
    const char *out = "";
    size_t n = 0;
    for (size_t i = 0; i < g->models_n; i++)
        if (g->models[i].chat == (part == CHAT_MODELS) && n++ < NAMES_SHOWN)
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

/* The advice for a connection that did not come about; NULL: it depends on r->rc. */
static const char *connection_remedy(const struct tested *r)
{
    static const struct {
        const char *why, *remedy;
    } known[] = {
        {"server.unknown_authority", "finding.set_ca_file"},
        {"server.other_certificate", "finding.correct_url"},
        {"server.no_tls", "finding.plain_http"},
        {"server.no_proxy", "finding.correct_proxy"},
        {"server.proxy_login", "finding.correct_proxy"},
        {"server.proxy_refused", "finding.correct_proxy"},
    };
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (err_is(&r->why, known[i].why))
            return known[i].remedy;
    return NULL;
}

/* The advice for a failed request. */
static void say_remedy(struct writing *w, const struct tested *r)
{
    const char *connection = connection_remedy(r);
    if (connection)
        SAY(w, connection);
    else if (r->problem == LLM_PROBLEM_LOADING)
        SAY(w, "finding.when_loaded");
    else if (r->rc == RC_TIMEOUT)
        SAY(w, "finding.busy_or_hangs");
    else if (r->rc == RC_UNAVAILABLE)
        SAY(w, "finding.start_server");
    else if (r->rc == RC_RATE_LIMITED)
        SAY(w, "finding.test_again");
}

static void add_failure(struct writing *w, const struct tested *r)
{
    const struct testing *g = w->g;
    enum finding_state state = r == &g->chat && !g->is_for_chats ? FINDING_NOTE : FINDING_WRONG;
    if (r->rc == RC_CANCELLED && r->problem != LLM_PROBLEM_LOADING) {
        ADD(w, state, "finding.time_up", arg_int("n", g->t->limit_ms / MS_PER_S),
            arg_text("name", g->t->source->name));
        return;
    }
    if (r->rc == RC_CANCELLED)
        SAY(w, "finding.loading");
    else
        say_why(w, r);
    say_remedy(w, r);
    add(w, state);
}

static struct said_arg source_arg(const char *from)
{
    const char *key = model_source_key(from);
    return key ? arg_key("source", key) : arg_text("source", from);
}

/* ---- the findings ---- */

static void find_key(struct writing *w)
{
    const struct testing *g = w->g;
    const struct tested *refused = g->chat.rc == RC_FORBIDDEN   ? &g->chat
                                   : g->list.rc == RC_FORBIDDEN ? &g->list
                                                                : NULL;
    w->subject = "finding.key";
    if (refused && !is_ok(&g->chat)) {
        say_why(w, refused);
        add(w, FINDING_WRONG);
    } else if (!g->t->source->settings.key && is_ok(&g->chat))
        ADD(w, FINDING_OK, "finding.none_needed");
    else if (!g->t->source->settings.key)
        ADD(w, FINDING_NOTE, "finding.none_set");
    else if (is_ok(&g->chat) || is_ok(&g->list))
        ADD(w, FINDING_OK, "finding.accepted");
    else
        ADD(w, FINDING_NOTE, "finding.untested");
}

/* "14 in the list, 3 of them for chats. The server is vLLM." */
static void say_listed(struct writing *w, size_t chats)
{
    const struct testing *g = w->g;
    if (chats < g->models_n)
        SAY(w, "finding.listed_chats", arg_int("n", (int64_t)g->models_n), arg_int("chats", (int64_t)chats));
    else
        SAY(w, "finding.listed", arg_int("n", (int64_t)g->models_n));
    if (g->models_n == LLM_MODELS_MAX)
        SAY(w, "finding.list_cut");
    if (*g->server)
        SAY(w, "finding.server", arg_text("server", g->server));
}

static void find_models(struct writing *w)
{
    const struct testing *g = w->g;
    size_t chats = 0;
    for (size_t i = 0; i < g->models_n; i++)
        chats += g->models[i].chat;
    w->subject = "finding.models";
    if (g->list.rc == RC_FORBIDDEN)
        ADD(w, FINDING_NOTE, "finding.list_refused");
    else if (g->list.rc == RC_NOT_FOUND && (g->choice || !g->is_for_chats))
        ADD(w, FINDING_NOTE, "finding.no_list_needed");
    else if (g->list.rc == RC_NOT_FOUND)
        ADD(w, FINDING_WRONG, "finding.no_list", arg_text("setting", setting(g)));
    else if (g->list.rc != RC_OK)
        add_failure(w, &g->list);
    else if (chats == 0)
        ADD(w, g->is_for_chats ? FINDING_WRONG : FINDING_NOTE, "finding.no_chat_model");
    else {
        say_listed(w, chats);
        add(w, FINDING_OK);
    }
}

static void find_model(struct writing *w)
{
    const struct testing *g = w->g;
    const char *others = names(g, CHAT_MODELS);
    w->subject = "finding.model";
    if (!g->choice && g->t->model) {
        SAY(w, "finding.unlisted", arg_text("model", g->t->model));
        if (*others)
            SAY(w, "finding.choose", arg_text("names", others));
        add(w, FINDING_WRONG);
    } else if (!g->choice)
        ADD(w, FINDING_NOTE, "finding.none_known");
    else if (g->models_n == 0 || is_listed(g, g->choice->model))
        ADD(w, g->models_n ? FINDING_OK : FINDING_NOTE, "finding.value", arg_text("text", g->choice->model));
    else if (is_ok(&g->chat))
        ADD(w, FINDING_NOTE, "finding.unlisted_answers", arg_text("model", g->choice->model));
    else
        ADD(w, FINDING_WRONG, "finding.unlisted_set", arg_text("model", g->choice->model),
            arg_text("setting", setting(g)), arg_text("names", others));
}

static void find_window(struct writing *w)
{
    const struct provider_choice *c = w->g->choice;
    if (!c)
        return;
    w->subject = "finding.window";
    SAY(w, "finding.tokens", arg_int("n", c->window), source_arg(c->window_from));
    if (strcmp(c->window_from, "Ollama's default") == 0)
        ADD(w, FINDING_WRONG, "finding.ollama_cuts");
    else if (strcmp(c->window_from, "[context] model_window") == 0)
        ADD(w, FINDING_NOTE, "finding.not_reported");
    else
        add(w, FINDING_OK);
}

static void find_chat(struct writing *w)
{
    const struct testing *g = w->g;
    w->subject = "finding.answer";
    if (is_ok(&g->chat) && g->chat.first_ms >= 0)
        ADD(w, FINDING_OK, "finding.first_token", arg_int("n", g->chat.first_ms));
    else if (is_ok(&g->chat))
        ADD(w, FINDING_OK, "finding.empty");
    else if (!g->chat.asked || g->chat.rc == RC_FORBIDDEN)
        ADD(w, FINDING_NOTE, "finding.untested");
    else
        add_failure(w, &g->chat);
}

bool provider_test_tries_tools(const struct testing *g)
{
    const struct provider_choice *c = g->choice;
    bool is_said = c->tools == LLM_NO && strcmp(c->tools_from, "a refusal") != 0;
    return !is_said && g->t->config->turn.tool_calls_max > 0;
}

/* Servers that support tools only with certain options. */
static void say_tools_remedy(struct writing *w)
{
    if (strcmp(w->g->server, "vLLM") == 0)
        SAY(w, "finding.start_vllm");
    else if (strcmp(w->g->server, "llama.cpp") == 0)
        SAY(w, "finding.start_llama");
    else
        SAY(w, "finding.other_model");
    add(w, FINDING_WRONG);
}

static void find_tools(struct writing *w)
{
    const struct testing *g = w->g;
    const struct provider_choice *c = g->choice;
    w->subject = "finding.tools";
    if (!g->tools.asked && c && g->t->config->turn.tool_calls_max == 0)
        ADD(w, FINDING_NOTE, "finding.tools_off");
    else if (!g->tools.asked && c && c->tools == LLM_NO && strcmp(c->tools_from, "alfred.toml") == 0)
        ADD(w, FINDING_NOTE, "finding.tools_off_here");
    else if (!g->tools.asked && c && c->tools == LLM_NO && strcmp(c->tools_from, "its list") == 0) {
        SAY(w, "finding.tools_unlisted");
        say_tools_remedy(w);
    } else if (!g->tools.asked)
        ADD(w, FINDING_NOTE, "finding.untested");
    else if (g->tools.rc == RC_OK && g->tools.called)
        ADD(w, FINDING_OK, "finding.tool_called");
    else if (g->tools.rc == RC_OK)
        ADD(w, FINDING_OK, "finding.accepted");
    else if (g->tools.problem == LLM_PROBLEM_NO_TOOLS || g->tools.problem == LLM_PROBLEM_RESPONSES) {
        SAY(w, "finding.tools_unsupported");
        say_tools_remedy(w);
    } else
        add_failure(w, &g->tools);
}

static void find_images(struct writing *w)
{
    const struct provider_choice *c = w->g->choice;
    w->subject = "finding.images";
    if (c && c->images == LLM_YES)
        ADD(w, FINDING_OK, "finding.images_read");
    else if (c && c->images == LLM_NO)
        ADD(w, FINDING_NOTE, "finding.images_unread");
    else if (c)
        ADD(w, FINDING_NOTE, "finding.not_reported");
}

static void find_embedding(struct writing *w)
{
    const struct testing *g = w->g;
    const char *others = names(g, OTHER_MODELS), *model = g->t->config->embedding.model;
    if (!g->embedding.asked)
        return;
    w->subject = "finding.embedding";
    if (g->embedding.rc == RC_OK)
        ADD(w, FINDING_OK, "finding.numbers", arg_int("n", (int64_t)g->dimension), arg_text("model", model));
    else if (g->models_n && !is_listed(g, model) && *others)
        ADD(w, FINDING_WRONG, "finding.unlisted_set", arg_text("model", model),
            arg_text("setting", "model in [embedding]"), arg_text("names", others));
    else if (g->models_n && !is_listed(g, model))
        ADD(w, FINDING_WRONG, "finding.embedding_unlisted", arg_text("model", model));
    else
        add_failure(w, &g->embedding);
}

static void find_speech(struct writing *w)
{
    const struct testing *g = w->g;
    if (!g->speech.asked)
        return;
    w->subject = "finding.speech";
    if (g->speech.rc == RC_OK)
        ADD(w, FINDING_OK, "finding.transcribes", arg_text("model", g->speech_model));
    else
        add_failure(w, &g->speech);
}

/* It is not tried, because a picture costs. */
static void find_drawing(struct writing *w)
{
    const struct testing *g = w->g;
    const struct config *c = g->t->config;
    if (strcmp(c->drawing.provider, g->t->source->name) != 0)
        return;
    w->subject = "finding.drawing";
    ADD(w, FINDING_NOTE,
        g->models_n && !is_listed(g, c->drawing.model) ? "finding.drawing_unlisted" : "finding.draws",
        arg_text("model", c->drawing.model));
}

void provider_findings(const struct testing *g, struct provider_report *out)
{
    struct writing w = {.g = g, .out = out};
    find_key(&w);
    find_models(&w);
    find_model(&w);
    find_window(&w);
    find_chat(&w);
    find_tools(&w);
    find_images(&w);
    find_embedding(&w);
    find_speech(&w);
    find_drawing(&w);
}
