#include "app/config/config_table.h"

#include <stdlib.h>
#include <string.h>

#define KIB 1024
#define MIB (1024 * KIB)

#define NEAR_ENOUGH  3  /* "did you mean": at most one edit for so many characters of the name */
#define COMPARED_MAX 48 /* longer names are not compared */

static const char *const log_words[] = {"debug", "info", "warn", "error", NULL};
static const char *const policy_words[] = {"full", "window", "thrifty", NULL};

/* The offset of a member, refused by the compiler when the member has another type. */
#define AT(parent, member, type) \
    (offsetof(parent, member) +  \
        0 * sizeof(char[__builtin_types_compatible_p(__typeof__(((parent *)0)->member), type) ? 1 : -1]))

#define ROW(s, k, t, ctype, ...)                                                                  \
    {                                                                                             \
        .section = #s, .key = #k, .type = t, .offset = AT(struct config, s.k, ctype), __VA_ARGS__ \
    }
#define INT(s, k, d, lo, hi, h)   ROW(s, k, CONFIG_INT, int64_t, .def = d, .min = lo, .max = hi, .help = h)
#define TEXT(s, k, d, h)          ROW(s, k, CONFIG_TEXT, const char *, .text = d, .help = h)
#define PATH(s, k, d, h)          ROW(s, k, CONFIG_PATH, const char *, .text = d, .help = h)
#define TEXTS(s, k, h)            ROW(s, k, CONFIG_TEXTS, struct config_list, .help = h)
#define WORD(s, k, type, w, d, h) ROW(s, k, CONFIG_WORD, type, .words = w, .def = d, .help = h)

#define OF_PROVIDER(k, t, ctype, ...)                               \
    {                                                               \
        .section = CONFIG_PROVIDER_SECTION, .key = #k, .type = t,   \
        .offset = AT(struct config_provider, k, ctype), __VA_ARGS__ \
    }

static const struct config_section sections[] = {
    {"server", "Addresses, files, threads."},
    {"session", "Conversations."},
    {"jobs", "Work in the background: summaries, titles, search."},
    {"login", "Signing in and staying signed in."},
    {"context", "What a model gets to read before it answers."},
    {"turn", "One answer, from the question to its end."},
    {"limits", "Caps. What is over one of them is refused with a clear answer."},
    {"embedding",
        "How messages are found by likeness. Another model is filled in the background; until it has all, "
        "the one before serves."},
    {"net", "Where Alfred itself may connect to: public addresses over https, and what is listed here."},
    {CONFIG_PROVIDER_SECTION,
        "A model provider; one section for each, NAME is yours. Without any, providers are found from the "
        "environment: OPENAI_API_KEY (with OPENAI_BASE_URL, OPENAI_MODEL), ANTHROPIC_API_KEY (with "
        "ANTHROPIC_BASE_URL, ANTHROPIC_MODEL), and a running Ollama. Keys never stand in this file."},
};

static const struct config_row rows[] = {
    TEXT(server, bind, "*", "Address that https listens on; \"*\" is every address of this machine."),
    INT(server, https_port, 8443, 1, 65535, "Port of https."),
    INT(server, http_port, 8080, 0, 65535, "Port of http, on loopback only; 0 switches it off."),
    TEXT(server, public_url, "",
        "Address that people use, without the final slash; empty: https://localhost and the port."),
    PATH(server, data_dir, "data",
        "Folder of everything that must not be lost: database, turn logs, certificate."),
    PATH(server, template_dir, "", "Folder of the page templates; empty: beside the programs."),
    PATH(server, static_dir, "", "Folder of style sheets and scripts; empty: beside the programs."),
    PATH(server, certificate, "", "Certificate chain (PEM) of https; empty: a self-signed one is made."),
    PATH(server, certificate_key, "", "Private key of the certificate (PEM)."),
    TEXTS(server, trusted_proxy,
        "Addresses or networks of reverse proxies in front whose X-Forwarded-For is believed."),
    INT(server, threads, 6, 1, 64, "Threads of each program. 4 to 8 are best; more are slower."),
    WORD(server, log_level, enum log_level, log_words, LOG_INFO, "What is logged."),

    INT(session, idle_minutes, 30, 0, 1440,
        "A session without a new message for so long counts as idle and is summarised; 0: after every "
        "answer."),
    INT(session, archive_hours, 24, 1, 87600,
        "A session that is not pinned goes to the archive after so long without a message. It comes back "
        "when it is "
        "used; nothing is ever deleted by time."),
    INT(session, hint_hours, 8, 0, 8760,
        "A session that has run for so long, or for so long since its last compaction, offers a new chat "
        "above the box; 0: never."),

    INT(jobs, retry_seconds, 2, 0, 3600,
        "How long a job that failed waits before it is tried again; twice as long each further time."),

    INT(login, idle_days, 14, 1, 365, "A login that was not used for so many days ends."),
    INT(login, absolute_days, 90, 1, 3650, "A login ends after so many days in any case."),
    INT(login, failures, 10, 1, 1000,
        "So many failed sign-ins of one account or address make the next ones wait."),
    INT(login, failure_minutes, 15, 1, 1440, "Failed sign-ins count for so many minutes."),

    WORD(context, policy, enum context_policy, policy_words, CONTEXT_FULL,
        "full: all messages that fit the model; window: the new message and window_messages before it; "
        "thrifty: the new message and thrifty_messages before it, these cut to thrifty_chars."),
    INT(context, window_messages, 20, 1, 1000,
        "Earlier messages that the policy \"window\" shows the model."),
    INT(context, thrifty_messages, 2, 1, 100,
        "Earlier messages that the policy \"thrifty\" shows the model."),
    INT(context, thrifty_chars, 500, 50, 100000, "Characters of each of them."),
    PATH(context, system_prompt, "",
        "File with the system prompt, read afresh for every answer; empty: system-prompt.md in data_dir, "
        "which "
        "is made at the first start."),
    INT(context, model_window, 32768, 2048, 10000000,
        "Tokens that a model reads at once, for models whose provider says nothing else."),
    INT(context, compact_percent, 80, 10, 100,
        "A conversation that takes more of its model's window is shortened in the background: a summary "
        "stands in for all but its last 20 messages. Nothing is deleted."),
    INT(context, compact_messages, 200, 20, 10000,
        "The same once it has more messages than this since it was last shortened."),
    INT(context, answer_tokens, 0, 0, 1000000, "Longest answer in tokens; 0 leaves it to the provider."),

    INT(turn, tool_calls_max, 8, 0, 100, "Tool calls in one answer."),
    INT(turn, silence_seconds, 60, 1, 3600, "A provider that says nothing for so long has failed."),
    INT(turn, total_minutes, 20, 1, 1440, "An answer may take so long in all."),

    INT(limits, message_bytes, 128 * KIB, KIB, CONFIG_MESSAGE_BYTES_MAX, "Longest message."),
    INT(limits, body_bytes, 512 * KIB, 16 * KIB, 16 * MIB,
        "Longest request body; more than three times message_bytes, as forms spell a byte with up to three."),
    INT(limits, import_bytes, 256 * MIB, MIB, INT64_C(4096) * MIB,
        "Largest file that is taken for an import; unpacked it may be 32 times as large."),
    INT(limits, streams, 2000, 1, 100000, "Answers that may be watched live at the same time."),
    INT(limits, reader_buffer_bytes, 256 * KIB, 16 * KIB, 16 * MIB,
        "A live reader that lags behind by more is dropped; it comes back by itself."),
    INT(limits, requests_per_second, 50, 0, 1000000,
        "Requests of one address per second, with room for bursts; 0: no limit."),
    INT(limits, connections, 200, 0, 1000000, "Requests of one address at the same time; 0: no limit."),
    INT(limits, signins_per_minute, 60, 0, 1000000,
        "Sign-in attempts of one address per minute; 0: no limit."),

    TEXT(embedding, provider, "offline",
        "\"offline\": built in, by words and their letters; or the NAME of a provider of kind \"openai\"."),
    TEXT(embedding, model, "", "Its embedding model, such as \"text-embedding-3-small\"."),
    INT(embedding, dimension, 0, 0, 8192, "Numbers in a vector, asked of the model; 0: as many as it gives."),
    INT(embedding, weight_percent, 100, 0, 1000,
        "What a provider's likeness counts beside the words' score; the built-in one counts 25."),
    TEXT(embedding, document_prefix, "", "Put before each message, for models that want it."),
    TEXT(embedding, query_prefix, "", "Put before each question, for models that want it."),

    TEXTS(net, allow,
        "Own servers, as \"host\" or \"host:port\", that may be private and without https. The address in a "
        "base_url counts as listed."),

    OF_PROVIDER(kind, CONFIG_TEXT, const char *, .text = "openai",
        .help = "Its protocol: \"openai\" (every compatible server) or \"anthropic\". Required."),
    OF_PROVIDER(base_url, CONFIG_TEXT, const char *, .text = "https://llm.example.org/v1",
        .help = "Where it is, up to and without /chat/completions or /v1/messages; empty: the kind's own "
                "service."),
    OF_PROVIDER(
        label, CONFIG_TEXT, const char *, .text = "Our model", .help = "Its name for people; empty: NAME."),
    OF_PROVIDER(model, CONFIG_TEXT, const char *, .text = "qwen3:8b",
        .help = "The model that is used unless another is chosen."),
    OF_PROVIDER(
        models, CONFIG_TEXTS, struct config_list, .help = "All models to choose from; empty: only that one."),
    OF_PROVIDER(key_env, CONFIG_TEXT, const char *, .text = "",
        .help = "Name of the environment variable or credential that holds its key; empty: OPENAI_API_KEY or "
                "ANTHROPIC_API_KEY for the kind's own service, else none."),
    OF_PROVIDER(window, CONFIG_INT, int64_t, .min = 0, .max = 10000000,
        .help = "Tokens that its models read at once; 0: what the kind's own service has, else [context] "
                "model_window."),
};

const struct config_section *config_sections(size_t *n)
{
    *n = ARRAY_LEN(sections);
    return sections;
}

const struct config_row *config_rows(size_t *n)
{
    *n = ARRAY_LEN(rows);
    return rows;
}

const struct config_row *config_row_find(const char *section, const char *key)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (strcmp(rows[i].section, section) == 0 && strcmp(rows[i].key, key) == 0)
            return &rows[i];
    return NULL;
}

/* Did you mean */

/* Levenshtein distance, one row of the matrix at a time. */
static size_t distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), row[COMPARED_MAX + 1];
    if (n > COMPARED_MAX || m > COMPARED_MAX)
        return SIZE_MAX;
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t above = row[j], best = diagonal + (a[i - 1] != b[j - 1]);
            best = above + 1 < best ? above + 1 : best;
            row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            diagonal = above;
        }
    }
    return row[m];
}

struct nearest {
    const char *name;
    size_t distance;
};

static void consider(struct nearest *best, const char *name, const char *typed)
{
    size_t d = distance(name, typed);
    if (d != SIZE_MAX && d * NEAR_ENOUGH <= strlen(name) && (!best->name || d < best->distance))
        *best = (struct nearest){name, d};
}

const char *config_nearest_key(const char *section, const char *key)
{
    struct nearest best = {0};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (strcmp(rows[i].section, section) == 0)
            consider(&best, rows[i].key, key);
    return best.name;
}

const char *config_nearest_section(const char *section)
{
    struct nearest best = {0};
    for (size_t i = 0; i < ARRAY_LEN(sections); i++)
        consider(&best, sections[i].name, section);
    return best.name;
}

/* Values */

static const char *absolute(struct arena *a, const char *folder, const char *path)
{
    return *path == '\0' || *path == '/' ? arena_strdup(a, path) : arena_printf(a, "%s/%s", folder, path);
}

static void put_word(void *at, size_t place)
{
    unsigned value = (unsigned)place; /* an enum without negative values is one, in gcc and clang */
    memcpy(at, &value, sizeof value);
}

void config_defaults(struct arena *a, const char *section, const char *folder, void *base)
{
    bool provider = strcmp(section, CONFIG_PROVIDER_SECTION) == 0; /* their texts are examples */
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct config_row *r = &rows[i];
        void *at = (char *)base + r->offset;
        if (strcmp(r->section, section) != 0)
            continue;
        switch (r->type) {
        case CONFIG_INT: *(int64_t *)at = r->def; break;
        case CONFIG_TEXT: *(const char **)at = provider ? "" : r->text; break;
        case CONFIG_PATH: *(const char **)at = absolute(a, folder, r->text); break;
        case CONFIG_TEXTS: *(struct config_list *)at = (struct config_list){0}; break;
        case CONFIG_WORD: put_word(at, (size_t)r->def); break;
        }
    }
}

static enum rc check_text(const char *s, struct err *e)
{
    if (strlen(s) > CONFIG_TEXT_MAX)
        return err_say(e, RC_BAD_INPUT, "must have at most %d bytes", CONFIG_TEXT_MAX);
    for (const char *p = s; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7F)
            return err_say(e, RC_BAD_INPUT, "must have no control characters");
    return RC_OK;
}

static enum rc apply_word(const struct config_row *row, const struct toml_entry *v, void *at, struct err *e)
{
    AUTO_STRBUF all;
    strbuf_init(&all, ERR_TEXT_MAX);
    for (size_t i = 0; row->words[i]; i++) {
        if (v->type == TOML_STRING && strcmp(v->s, row->words[i]) == 0) {
            put_word(at, i);
            return RC_OK;
        }
        strbuf_addf(&all, "%s\"%s\"", i ? ", " : "", row->words[i]);
    }
    return err_say(e, RC_BAD_INPUT, "must be one of %s", all.s);
}

static enum rc apply_texts(struct arena *a, const struct toml_entry *v, struct config_list *at, struct err *e)
{
    if (v->type != TOML_STRINGS)
        return err_say(e, RC_BAD_INPUT, "must be a list of texts, like [\"one\", \"two\"]");
    if (v->list_n > CONFIG_LIST_MAX)
        return err_say(e, RC_BAD_INPUT, "must have at most %d entries", CONFIG_LIST_MAX);
    const char **copy = ARENA_ARRAY(a, const char *, v->list_n);
    for (size_t i = 0; i < v->list_n; i++) {
        if (check_text(v->list[i], e) != RC_OK)
            return RC_BAD_INPUT;
        copy[i] = arena_strdup(a, v->list[i]);
    }
    *at = (struct config_list){copy, v->list_n};
    return RC_OK;
}

enum rc config_apply(struct arena *a, const struct config_row *row, const char *folder,
    const struct toml_entry *v, void *base, struct err *e)
{
    void *at = (char *)base + row->offset;
    switch (row->type) {
    case CONFIG_INT:
        if (v->type != TOML_INTEGER)
            return err_say(e, RC_BAD_INPUT, "must be a whole number");
        if (v->i < row->min || v->i > row->max)
            return err_say(
                e, RC_BAD_INPUT, "must be between %lld and %lld", (long long)row->min, (long long)row->max);
        *(int64_t *)at = v->i;
        return RC_OK;
    case CONFIG_TEXT:
    case CONFIG_PATH:
        if (v->type != TOML_STRING)
            return err_say(e, RC_BAD_INPUT, "must be a text in quotes");
        if (check_text(v->s, e) != RC_OK)
            return RC_BAD_INPUT;
        *(const char **)at = row->type == CONFIG_PATH ? absolute(a, folder, v->s) : arena_strdup(a, v->s);
        return RC_OK;
    case CONFIG_TEXTS: return apply_texts(a, v, at, e);
    case CONFIG_WORD: return apply_word(row, v, at, e);
    }
    return err_set(e, RC_INTERNAL, "a row of type %d", (int)row->type);
}
