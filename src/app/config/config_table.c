#include "app/config/config_table.h"

#include <string.h>

#define KIB 1024
#define MIB (1024 * KIB)

#define WORD_OF_(x) #x
#define WORD_OF(x)  WORD_OF_(x)

#define NEAR_ENOUGH 3 /* "did you mean": at most one edit for so many characters of the name */

static const char *const log_words[] = {"debug", "info", "warn", "error", NULL};
static const char *const offer_words[] = {"auto", "yes", "no", NULL};
static const char *const api_words[] = {"auto", "chat", "responses", NULL};
static const char *const switch_words[] = {"no", "yes", NULL};
static const char *const telegram_words[] = {"off", "webhook", "poll", NULL};
static const char *const strangers_words[] = {"refuse", "ask", NULL};
static const char *const ask_words[] = {"after_text", "changes", NULL};
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

#define HEADERS_HELP                                                                             \
    "Further headers of every request, as \"Name: value\". A value that begins with $ names an " \
    "environment variable or credential."

#define OF_MCP(k, t, ctype, ...)                                                                        \
    {                                                                                                   \
        .section = CONFIG_MCP_SECTION, .key = #k, .type = t, .offset = AT(struct config_mcp, k, ctype), \
        __VA_ARGS__                                                                                     \
    }

static const struct config_section sections[] = {
    {"server", "Addresses, files, threads."},
    {"session", "Conversations."},
    {"trash", "Deleted sessions and messages."},
    {"temporary", "Temporary chats."},
    {"jobs", "Background jobs: summaries, titles, search."},
    {"login", "Signing in and staying signed in."},
    {"share", "Links with which people without an account read a copy of a conversation."},
    {"context", "The context that a model gets for an answer."},
    {"turn", "One answer, from the message to its end."},
    {"limits", "Limits. A request above one of them is refused with an explanation."},
    {"models",
        "The models that are offered. Alfred requests the providers' lists at start and in the background."},
    {"embedding",
        "The model for similarity search. After a change all texts are embedded again in the background; "
        "until then search uses the old vectors."},
    {"drawing",
        "Pictures that models draw for users, with the tool draw_picture. A picture costs what the provider "
        "takes for it."},
    {"python", "Python code that models write and run, with the tool run_python: without a network, in a "
               "folder of its own. It needs a kernel with Landlock. docs/security.md says what the code can "
               "reach."},
    {"speech",
        "The model that writes down what is spoken: into the message box, and in voice messages of Telegram. "
        "Without it the message box uses the browser's own speech recognition, if there is one. "
        "docs/models.md has blocks for well-known services."},
    {"usage", "The usage page. Prices are settings of the providers."},
    {"net", "Outgoing connections. Public addresses over https are allowed; others must be listed here."},
    {"web",
        "What models may read on the web, for users who have switched it on. This is independent of the web "
        "search of a provider."},
    {"channels", "Ways to talk to Alfred outside of its pages. [telegram] is one."},
    {"telegram",
        "A bot of Telegram; docs/telegram.md. Its token is no setting: TELEGRAM_BOT_TOKEN is a variable of "
        "the environment or a line of data/credentials."},
    {CONFIG_PROVIDER_SECTION,
        "A model provider; one section for each, with any NAME. Without a section, providers are detected "
        "from the environment or the lines of data/credentials: OPENAI_API_KEY (with OPENAI_BASE_URL, "
        "OPENAI_MODEL), ANTHROPIC_API_KEY (with ANTHROPIC_BASE_URL, ANTHROPIC_MODEL), and on this machine "
        "([models] discover). This file never contains keys. docs/models.md has blocks for well-known "
        "providers."},
    {CONFIG_MCP_SECTION,
        "A server of the Model Context Protocol whose tools models may call; one section for each, with any "
        "NAME. docs/mcp.md. The server is named here, so it may have a private address and no https."},
};

static const struct config_row rows[] = {
    TEXT(server, bind, "*", "Address that https listens on; \"*\" is every address of this machine."),
    INT(server, https_port, 8443, 1, 65535, "Port of https."),
    INT(server, http_port, 8480, 0, 65535, "Port of http, on loopback only; 0 switches it off."),
    TEXT(server, public_url, "",
        "Address for users, without the final slash and without a path; empty: https, localhost or the "
        "address of bind, and the port."),
    TEXTS(server, hosts,
        "Further host names of Alfred. Accepted are these, the names of public_url here and in [telegram], "
        "localhost, and this machine's name and addresses. Requests for other names are refused (421)."),
    PATH(server, data_dir, "data", "Folder of all data: database, turn logs, certificate."),
    PATH(server, template_dir, "",
        "Folder of the page templates; empty: the one that was built with the program."),
    PATH(server, static_dir, "",
        "Folder of style sheets and scripts; empty: the one that was built with the program."),
    PATH(server, certificate, "",
        "Certificate chain (PEM) for https; empty: a self-signed certificate is created."),
    PATH(server, certificate_key, "", "Private key of the certificate (PEM)."),
    TEXTS(
        server, trusted_proxy, "Addresses or networks of reverse proxies whose X-Forwarded-For is trusted."),
    INT(server, threads, 6, 1, 64,
        "Threads of each program for reading requests, and the same number for changes. 4 to 8 are "
        "fastest."),
    WORD(server, log_level, enum log_level, log_words, LOG_INFO, "Lowest level that is logged."),

    INT(session, idle_minutes, 30, 0, 1440,
        "A session is idle and gets a summary after this time without a new message; 0: after every "
        "answer."),
    INT(session, archive_hours, 24, 1, 87600,
        "A session that is not pinned is archived after this time without a message, and stays listed. It is "
        "active again when it is used. No session is deleted by age."),
    INT(session, hint_hours, 8, 0, 8760,
        "The page suggests a new chat when a session has run for this time, or for this time since its "
        "last compaction; 0: never."),

    INT(trash, days, 30, 0, 3650,
        "Deleted sessions and messages can be restored for this time, then they are erased; 0: they are "
        "erased at once."),
    INT(temporary, messages, 20, 2, 1000,
        "A temporary chat keeps this many messages of the user and of models. Older ones are erased."),
    INT(temporary, minutes, 30, 1, 10080,
        "A temporary chat ends this long after its last message or the end of its last answer."),

    INT(jobs, retry_seconds, 2, 0, 3600,
        "Wait before a failed job is retried; doubled for each further attempt."),

    INT(login, idle_days, 14, 1, 365, "A login ends after this many days without use."),
    INT(login, absolute_days, 90, 1, 3650, "A login ends after this many days in any case."),
    INT(login, failures, 10, 1, 1000,
        "Failed sign-ins to one account from one address, or from one known device, before further attempts "
        "are refused. Addresses of one IPv6 network (/64) count as one."),
    INT(login, account_failures, 100, 1, 100000,
        "Failed sign-ins to one account from all addresses before unknown devices are refused."),
    INT(login, address_failures, 50, 1, 100000,
        "Failed sign-ins from one address to all accounts before unknown devices are refused."),
    INT(login, failure_minutes, 15, 1, 1440, "Failed sign-ins count for this many minutes."),

    WORD(share, members, enum config_switch, switch_words, CONFIG_NO,
        "Members may share conversations. Admins always may. With no, links of members are not found."),

    WORD(context, policy, enum context_policy, policy_words, CONTEXT_FULL,
        "full: all messages that fit the window; window: the new message and window_messages before it; "
        "thrifty: the new message and thrifty_messages before it, these cut to thrifty_chars."),
    INT(context, window_messages, 20, 1, 1000, "Earlier messages with the policy \"window\"."),
    INT(context, thrifty_messages, 2, 1, 100, "Earlier messages with the policy \"thrifty\"."),
    INT(context, thrifty_chars, 500, 50, 100000,
        "Characters of each earlier message with the policy \"thrifty\"."),
    PATH(context, system_prompt, "",
        "File with the system prompt, read again for every answer; empty: system-prompt.md in data_dir, "
        "created at the first start."),
    INT(context, model_window, 32768, 2048, 10000000,
        "Window in tokens, for models whose provider does not report it."),
    INT(context, compact_percent, 80, 10, 100,
        "A conversation that takes more than this of its model's window is compacted in the background: a "
        "summary replaces all but its last messages in the context. No message is deleted."),
    INT(context, compact_keep, 20, 2, 200,
        "Last messages that a compaction keeps word for word; fewer, when the context would still take more "
        "than 60 % of the window."),
    INT(context, compact_messages, 200, 20, 10000,
        "A conversation with more messages than this since its last compaction is compacted."),
    INT(context, answer_tokens, 0, 0, 1000000, "Longest answer in tokens; 0 leaves it to the provider."),

    INT(turn, tool_calls_max, 8, 0, 100, "Tool calls in one answer."),
    INT(turn, first_byte_seconds, 300, 1, 86400,
        "A provider that sends nothing for this time after a request has failed. A server on this machine "
        "may first have to load its model or to read a long conversation."),
    INT(turn, silence_seconds, 120, 1, 86400,
        "A provider that sends nothing for this time in the middle of an answer has failed."),
    INT(turn, total_minutes, 20, 1, 1440, "Longest total time of an answer."),

    INT(limits, message_bytes, MIB, KIB, CONFIG_MESSAGE_BYTES_MAX, "Longest message."),
    INT(limits, body_bytes, 4 * MIB, 16 * KIB, 16 * MIB,
        "Longest request body; more than three times message_bytes, because forms encode a byte with up to "
        "three."),
    INT(limits, v1_body_bytes, 8 * MIB, 16 * KIB, 32 * MIB,
        "Longest body of a request to /v1, whose programs send the whole conversation; body_bytes, if that "
        "is more."),
    INT(limits, picture_bytes, 5 * MIB, 16 * KIB, 10 * MIB,
        "Largest picture in a message. Pages make a larger one smaller before they send it."),
    INT(limits, document_bytes, 20 * MIB, 16 * KIB, 64 * MIB,
        "Largest office document, such as .docx, whose text is read. Forms without script are limited by "
        "body_bytes."),
    INT(limits, user_pictures_bytes, INT64_C(10240) * MIB, MIB, INT64_C(10485760) * MIB,
        "All pictures of one user together. Those in the trash count; imports add theirs all the same."),
    /* clang-format off */
    INT(limits, import_bytes, 1024 * MIB, MIB, INT64_C(4096) * MIB,
        "Largest file for an import. A compressed file may expand to "
        WORD_OF(CONFIG_UNPACKED_TIMES) " times its size (a small one to " WORD_OF(CONFIG_UNPACKED_MB) " MB)."),
    /* clang-format on */
    INT(limits, turns_per_user, 20, 1, 100000,
        "Answers of one user that are written at the same time; a comparison counts as two."),
    INT(limits, turn_pictures_bytes, 64 * MIB, 16 * MIB, INT64_C(65536) * MIB,
        "Pictures of all answers that are being written, together. A question beyond it is refused for a "
        "moment."),
    INT(limits, streams, 2000, 1, 100000, "Open streams of answers at the same time."),
    INT(limits, reader_buffer_bytes, 256 * KIB, 16 * KIB, 16 * MIB,
        "A stream whose reader lags behind by more is closed; the page reconnects."),
    INT(limits, requests_per_second, 50, 0, 1000000,
        "Requests of one address per second, with an allowance for bursts; 0: no limit."),
    INT(limits, connections, 200, 0, 1000000, "Requests of one address at the same time; 0: no limit."),
    INT(limits, signins_per_minute, 60, 0, 1000000,
        "Sign-in attempts of one address per minute; 0: no limit."),
    INT(limits, audit_days, 365, 1, 36500, "Rows of the audit trail are removed after this many days."),

    TEXT(models, default_model, "",
        "\"provider/model\", like \"openai/gpt-4.1\": the model of new sessions, and of those whose model is "
        "gone. Empty: the first provider's."),
    INT(models, refresh_minutes, 10, 1, 10080, "How often providers are asked for their models."),
    WORD(models, discover, enum config_switch, switch_words, CONFIG_YES,
        "Whether Ollama, llama.cpp, LM Studio and vLLM are looked for on their usual ports of this machine."),

    TEXT(embedding, provider, "offline",
        "\"offline\": the built-in lexical embedder; or the NAME of a provider of kind \"openai\"."),
    TEXT(embedding, model, "", "Its embedding model, such as \"text-embedding-3-small\"."),
    INT(embedding, dimension, 0, 0, 8192,
        "Dimension of the vectors, requested from the model; 0: the model's default."),
    INT(embedding, weight_percent, 100, 0, 1000,
        "Weight of a provider's similarity relative to the word score; the built-in embedder has 25."),
    TEXT(embedding, document_prefix, "",
        "Prefix of each text that is embedded (messages, summaries, facts), for models that need one."),
    TEXT(embedding, query_prefix, "", "Prefix of each query, for models that need one."),

    TEXT(drawing, provider, "",
        "The NAME of a provider of kind \"openai\" that draws pictures; empty: none does."),
    TEXT(drawing, model, "", "Its model, such as \"gpt-image-1\"."),
    INT(drawing, cents, 0, 0, 100000,
        "What a picture costs, in hundredths of [usage] currency, for the usage page and "
        "[usage] member_month_cost; 0: it has no price."),

    PATH(python, program, "",
        "The interpreter, such as \"/usr/bin/python3\" or that of a venv; empty: models run no code."),
    INT(python, seconds, 30, 1, 600, "The longest time of a run. Code that takes longer is ended."),
    INT(python, memory_bytes, INT64_C(1024) * MIB, 64 * MIB, INT64_C(65536) * MIB,
        "The largest address space of a run. At the same time at most 2 runs of a user, and 4 in all, "
        "have it."),
    TEXTS(python, reads,
        "Further folders and files that code may read, such as data sets. The interpreter's own ones "
        "are found by themselves."),

    TEXT(speech, provider, "",
        "The NAME of a provider of kind \"openai\" that has /audio/transcriptions; empty: none."),
    TEXT(speech, model, "",
        "Its transcription model, such as \"whisper-large-v3\"; empty: \"whisper-1\" of OpenAI, else "
        "required."),
    TEXT(speech, language, "",
        "The language that is spoken, as two letters (ISO 639-1) like \"de\"; empty: the model recognises "
        "it."),
    TEXT(speech, minute_price, "",
        "The price of a minute of sound, in units of [usage] currency, such as \"0.006\", for the usage "
        "page and [usage] member_month_cost; empty: it has no price, unless the model has prices for "
        "tokens."),
    INT(speech, max_bytes, 20 * MIB, 64 * KIB, 100 * MIB,
        "Size of one recording. OpenAI takes at most 25 MB. Telegram's own server gives bots at most 20 MB."),
    INT(speech, max_seconds, 300, 5, 3600,
        "Length of one recording: the message box stops by itself, and longer ones are refused."),
    INT(speech, timeout_seconds, 120, 5, CONFIG_SPEECH_SECONDS_MAX,
        "How long the provider may take for one recording."),

    TEXT(usage, currency, "USD", "Currency of the prices, as it is shown beside costs."),
    INT(usage, member_month_cost, 0, 0, 1000000,
        "Costs of each member in a calendar month, in whole units of the currency, after which models with a "
        "price answer no more until the next month. Admins have no limit. 0: no limit."),
    TEXTS(net, allow,
        "Servers, as \"host\" or \"host:port\", that may have a private address and no https. The addresses "
        "in base_url are allowed too."),

    WORD(web, pages, enum config_switch, switch_words, CONFIG_YES,
        "Whether models may read pages whose address a user has written. With no, no user's models may."),
    TEXT(web, search_url, "",
        "Address of a SearXNG server with which models may search the web, such as "
        "https://search.example.org; empty: none. It may have a private address and no https."),
    TEXTS(web, hosts,
        "Servers, as \"host\" or \"host:port\", whose pages may be read although they have a private address "
        "or no https, such as a wiki of your own."),
    PATH(web, ca_file, "",
        "Trusted certificates (PEM) of servers on the web, besides those of the system; empty: none."),

    WORD(channels, strangers, enum config_strangers, strangers_words, CONFIG_STRANGERS_REFUSE,
        "What people without a linked account get. refuse: one sentence, and nothing is stored of them. ask: "
        "they are listed on the Users page, where an admin can link them to an account."),

    WORD(telegram, mode, enum config_telegram, telegram_words, CONFIG_TELEGRAM_OFF,
        "webhook: Telegram sends messages to public_url, after `alfred telegram setup`. poll: Alfred fetches "
        "them, for machines that cannot be reached from the internet."),
    TEXT(telegram, public_url, "",
        "Address under which Telegram reaches Alfred, https with port 443, 80, 88 or 8443; empty: that of "
        "[server]."),
    TEXT(telegram, api_url, "https://api.telegram.org",
        "The Bot API: Telegram's, or a server of your own. A server named here may have a private address "
        "and no https."),
    PATH(telegram, certificate, "",
        "Self-signed certificate (PEM) of public_url that setup uploads to Telegram; empty: the certificate "
        "is signed by a known authority."),
    WORD(telegram, group_context, enum config_switch, switch_words, CONFIG_NO,
        "Whether messages of a group that are not meant for Alfred are context for the next one that is."),

    OF_PROVIDER(kind, CONFIG_TEXT, const char *, .text = "openai",
        .help = "The protocol: \"openai\" (every compatible server) or \"anthropic\". Required."),
    OF_PROVIDER(base_url, CONFIG_TEXT, const char *, .text = "https://llm.example.org/v1",
        .help = "The address, without /chat/completions or /v1/messages. /v1 is added to an address of kind "
                "\"openai\" without a path, and may be left out for \"anthropic\". A query such as "
                "?api-version=2024-10-21 is added to the end of every address. Empty: the service of the "
                "kind."),
    OF_PROVIDER(
        label, CONFIG_TEXT, const char *, .text = "Our model", .help = "Displayed name; empty: NAME."),
    OF_PROVIDER(model, CONFIG_TEXT, const char *, .text = "qwen3:8b",
        .help = "The default model; empty: the first of models, else one that Alfred chooses from the "
                "provider's list."),
    OF_PROVIDER(models, CONFIG_TEXTS, struct config_list,
        .help = "All selectable models; empty: those that the provider lists."),
    OF_PROVIDER(key_env, CONFIG_TEXT, const char *, .text = "",
        .help =
            "Environment variable or credential with the key; empty: OPENAI_API_KEY or ANTHROPIC_API_KEY for "
            "the service of the kind, else none."),
    OF_PROVIDER(window, CONFIG_INT, int64_t, .min = 0, .max = 10000000,
        .help =
            "Window of the models in tokens; 0: the figure of the provider, else [context] model_window."),
    OF_PROVIDER(tools, CONFIG_WORD, enum config_offer, .words = offer_words, .def = CONFIG_OFFER_AUTO,
        .help =
            "Whether the models are offered tools. auto: yes, unless the provider reports a model without "
            "tools or refuses a request because of them."),
    OF_PROVIDER(web_search, CONFIG_WORD, enum config_offer, .words = offer_words, .def = CONFIG_OFFER_AUTO,
        .help =
            "Whether models may use the provider's own web search for users who have switched it on. "
            "auto: at Anthropic, OpenAI and OpenRouter. yes: also at another server with the interface of "
            "Anthropic (web_search_20250305) or OpenAI (web_search at /responses)."),
    OF_PROVIDER(api, CONFIG_WORD, enum config_api, .words = api_words, .def = CONFIG_API_AUTO,
        .help =
            "How models of kind \"openai\" are asked: at /chat/completions (chat) or at /responses. auto: at "
            "/chat/completions, unless the server refers a model to /responses."),
    OF_PROVIDER(with_tools, CONFIG_TEXTS, struct config_list,
        .help = "Models that are offered tools, whatever `tools` says."),
    OF_PROVIDER(without_tools, CONFIG_TEXTS, struct config_list,
        .help = "Models that are not offered tools, whatever `tools` says."),
    OF_PROVIDER(prices, CONFIG_TEXTS, struct config_list,
        .help = "Prices of a million tokens, as \"MODEL INPUT OUTPUT [CACHED]\": \"gpt-4.1 2.00 8.00 0.50\". "
                "A MODEL may end in *. The usage page shows costs of these models only."),
    OF_PROVIDER(headers, CONFIG_TEXTS, struct config_list, .help = HEADERS_HELP),
    OF_PROVIDER(key_header, CONFIG_TEXT, const char *, .text = "",
        .help = "Header for the key; empty: Authorization (openai) or x-api-key (anthropic)."),
    OF_PROVIDER(body, CONFIG_TEXT, const char *, .text = "",
        .help = "Further members of every request body, as a JSON object: '{\"temperature\": 0.5}'."),
    OF_PROVIDER(ca_file, CONFIG_PATH, const char *, .text = "",
        .help = "Trusted certificates (PEM) for this provider; empty: those of the system."),
    OF_PROVIDER(proxy, CONFIG_TEXT, const char *, .text = "",
        .help =
            "Address of a proxy that requires no password, like http://proxy.example.org:3128; empty: none."),

    OF_MCP(url, CONFIG_TEXT, const char *, .text = "https://home.example.org/mcp",
        .help = "The address of the server (Streamable HTTP). Required."),
    OF_MCP(enabled, CONFIG_WORD, enum config_switch, .words = switch_words, .def = CONFIG_YES,
        .help = "With no, the server is not asked, and none of its tools is offered."),
    OF_MCP(label, CONFIG_TEXT, const char *, .text = "Home", .help = "Displayed name; empty: NAME."),
    OF_MCP(tools, CONFIG_TEXTS, struct config_list,
        .help =
            "The tools that models may call: \"read\" stands for those that only read, as the server says, "
            "\"all\" for all of them; others are names of tools. Empty: \"read\"."),
    OF_MCP(ask, CONFIG_WORD, enum config_mcp_ask, .words = ask_words, .def = CONFIG_MCP_ASK_AFTER_TEXT,
        .help =
            "Which calls wait for the user's permission: with changes, those of all tools that may change "
            "something; with after_text, these only in an answer that has read text from elsewhere, such as "
            "a page."),
    OF_MCP(users, CONFIG_TEXTS, struct config_list,
        .help = "Names of the users whose models may call them; empty: all users."),
    OF_MCP(key_env, CONFIG_TEXT, const char *, .text = "",
        .help =
            "Environment variable or credential with the token that is sent as \"Authorization: Bearer\"; "
            "empty: none."),
    OF_MCP(headers, CONFIG_TEXTS, struct config_list, .help = HEADERS_HELP),
    OF_MCP(timeout_seconds, CONFIG_INT, int64_t, .def = 60, .min = 1, .max = 600,
        .help = "A call that takes longer has failed."),
    OF_MCP(ca_file, CONFIG_PATH, const char *, .text = "",
        .help = "Trusted certificates (PEM) for this server, besides those of the system; empty: none."),
};

bool config_section_is_named(const char *section)
{
    return strcmp(section, CONFIG_PROVIDER_SECTION) == 0 || strcmp(section, CONFIG_MCP_SECTION) == 0;
}

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

/* ---- did you mean ---- */

struct nearest {
    const char *name;
    size_t distance;
};

static void consider(struct nearest *best, const char *name, const char *typed)
{
    size_t d = str_distance(str_of(name), str_of(typed));
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
