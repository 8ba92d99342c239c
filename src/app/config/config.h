/*
 * The settings of alfred.toml, read once at start. Every setting is one row of the table in config_table.c.
 * Parsing, defaults, range checks, messages with file and line, the commented sample file and the help are
 * derived from that table. An unknown key is refused with the most similar known key.
 *
 * A struct config is plain and read-only after config_load(), so all threads may read it. Everything it
 * points to is in its arena. Paths are absolute. A relative path in the file is relative to the file's folder
 * (without a file: to the working directory).
 *
 * Secrets are not settings. A key is read from the environment or from a credentials file (config_secret()),
 * never from alfred.toml.
 */
#ifndef ALFRED_APP_CONFIG_CONFIG_H
#define ALFRED_APP_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"

#define CONFIG_FILE_NAME "alfred.toml"
#define CONFIG_FILE_ENV  "ALFRED_CONFIG" /* path of the file, when it is not ./alfred.toml */
/* Set by `alfred serve` when it starts the programs during an upgrade of the database. At any other start
 * they refuse no request, however slow the machine is. */
#define CONFIG_UPGRADE_ENV    "ALFRED_UPGRADE"
#define CONFIG_SECRET_CHARS   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
#define CONFIG_DATABASE       "alfred.db" /* in data_dir */
#define CONFIG_LOCK           "lock"      /* in data_dir; held by alfred serve */
#define CONFIG_PROVIDERS_MAX  32
#define CONFIG_MCP_MAX        16
#define CONFIG_TELEGRAM_TOKEN "TELEGRAM_BOT_TOKEN" /* config_secret() */
#define CONFIG_LIST_MAX       64                   /* entries of a list */
#define CONFIG_HEADERS_MAX    16                   /* headers of a provider */

/* The model of [speech] without `model`; of OpenAI only. gpt-4o-transcribe is reported to refuse some
 * recordings. */
#define CONFIG_SPEECH_MODEL "whisper-1"

/* The largest value of [speech] timeout_seconds. nginx waits a little longer. */
#define CONFIG_SPEECH_SECONDS_MAX 600

/* The largest value of [limits] message_bytes. Routes accept texts of this length; app/ checks the
 * setting. */
#define CONFIG_MESSAGE_BYTES_MAX (4 * 1024 * 1024)

/* An imported compressed file may expand to this many times its size, or to this many MB, whichever is
 * more. */
#define CONFIG_UNPACKED_TIMES 32
#define CONFIG_UNPACKED_MB    64
/* A form encodes a byte with up to three ("%C3"), so the largest body is this many times the longest
 * message. */
#define CONFIG_BODY_TIMES 3

enum config_offer { CONFIG_OFFER_AUTO, CONFIG_OFFER_YES, CONFIG_OFFER_NO };
enum config_api { CONFIG_API_AUTO, CONFIG_API_CHAT, CONFIG_API_RESPONSES };
enum config_switch { CONFIG_NO, CONFIG_YES };

enum config_telegram { CONFIG_TELEGRAM_OFF, CONFIG_TELEGRAM_WEBHOOK, CONFIG_TELEGRAM_POLL };
enum config_strangers { CONFIG_STRANGERS_REFUSE, CONFIG_STRANGERS_ASK };

enum context_policy { CONTEXT_FULL, CONTEXT_WINDOW, CONTEXT_THRIFTY };

struct config_list {
    const char *const *v;
    size_t n;
};
bool config_list_has(const struct config_list *l, const char *s);

/* One [provider.NAME]. models/providers.h derives the choices of the page from it. */
struct config_provider {
    const char *name, *kind; /* "openai", "anthropic" */
    const char *base_url;    /* "": the kind's own */
    const char *label;       /* "": the name */
    const char *model; /* the default one; "": the first of models, else chosen from the provider's list */
    struct config_list models; /* none: those that the provider lists */
    const char *key_env;       /* name of the variable or credential; "": no key */
    int64_t window;            /* tokens; 0: as reported by the provider, else context.model_window */
    enum config_api api;       /* of the kind "openai" */
    enum config_offer tools, web_search;
    struct config_list with_tools, without_tools; /* models; they go before `tools` */
    struct config_list headers;  /* "Name: value"; a value like "$NAME" is a secret by name */
    const char *key_header;      /* "": the kind's own */
    struct config_list prices;   /* config_price.h */
    const char *body;            /* a JSON object; "": none */
    const char *ca_file, *proxy; /* "": none */
};

/* Which calls of tools that may change something wait for the user's permission. */
enum config_mcp_ask {
    CONFIG_MCP_ASK_AFTER_TEXT, /* those of an answer that has read text from elsewhere */
    CONFIG_MCP_ASK_CHANGES     /* all */
};

/* One [mcp.NAME]: a server whose tools models may call (app/mcp). */
struct config_mcp {
    const char *name;
    enum config_switch enabled;
    const char *url;
    const char *label;          /* "": the name */
    const char *key_env;        /* name of the variable or credential; "": no key */
    struct config_list headers; /* as those of a provider */
    struct config_list tools;   /* CONFIG_MCP_READ, CONFIG_MCP_ALL and names; none: CONFIG_MCP_READ */
    struct config_list users;   /* names; none: all */
    enum config_mcp_ask ask;
    int64_t timeout_seconds;
    const char *ca_file; /* "": none */
};
#define CONFIG_MCP_READ "read"
#define CONFIG_MCP_ALL  "all"

struct config {
    struct {
        const char *bind; /* the address for https; "*": every address */
        int64_t https_port, http_port;
        const char *public_url; /* without the final slash; own_url() has the default */
        const char *data_dir, *template_dir, *static_dir;
        const char *certificate, *certificate_key; /* "": self-signed, in data_dir/tls */
        struct config_list trusted_proxy;
        struct config_list hosts; /* further names; see hosts.h */
        struct config_list names; /* all names; not a setting: hosts_collect() fills it */
        int64_t threads;
        enum log_level log_level;
    } server;
    struct {
        int64_t idle_minutes, archive_hours, hint_hours;
    } session;
    struct {
        int64_t days;
    } trash;
    struct {
        int64_t messages, minutes;
    } temporary;
    struct {
        int64_t retry_seconds;
    } jobs;
    struct {
        int64_t idle_days, absolute_days;
        int64_t failures, account_failures, address_failures, failure_minutes;
    } login;
    struct {
        enum config_switch members;
    } share;
    struct {
        enum context_policy policy;
        int64_t window_messages, thrifty_messages, thrifty_chars;
        const char *system_prompt; /* a file */
        int64_t model_window, answer_tokens;
        int64_t compact_percent, compact_keep, compact_messages;
    } context;
    struct {
        int64_t tool_calls_max, first_byte_seconds, silence_seconds, total_minutes;
    } turn;
    struct {
        int64_t message_bytes, body_bytes, v1_body_bytes, picture_bytes, document_bytes, user_pictures_bytes,
            import_bytes;
        int64_t streams, reader_buffer_bytes;
        int64_t turns_per_user, turn_pictures_bytes;
        int64_t requests_per_second, connections, signins_per_minute; /* per address, in nginx; 0: no limit */
        int64_t audit_days;
    } limits;
    struct {
        const char *default_model; /* "provider/model"; "": chosen by rule */
        int64_t refresh_minutes;
        enum config_switch discover;
    } models;
    struct {
        const char *provider, *model; /* "offline": the built-in one, whose model is its own */
        int64_t dimension, weight_percent;
        const char *document_prefix, *query_prefix;
    } embedding;
    struct {
        const char *provider, *model; /* "": no model draws pictures */
        int64_t cents;                /* hundredths of the currency; 0: no price */
    } drawing;
    struct {
        const char *program; /* "": no code runs */
        int64_t seconds, memory_bytes;
        struct config_list reads;
    } python;
    struct {
        const char *provider, *model, *language; /* app/models/speech.h has the defaults */
        const char *minute_price;                /* config_price_of_speech(); "": none */
        int64_t max_bytes, max_seconds, timeout_seconds;
    } speech;
    struct {
        const char *currency;
        int64_t member_month_cost; /* whole units of the currency; 0: no limit */
    } usage;
    struct {
        struct config_list allow; /* "host" or "host:port" */
    } net;
    struct {
        enum config_switch pages;
        const char *search_url;   /* without the final slash; "": none */
        struct config_list hosts; /* "host" or "host:port" */
        const char *ca_file;      /* "": none */
    } web;
    struct {
        enum config_strangers strangers;
    } channels;
    struct { /* app/telegram/telegram_settings.h adds the secrets */
        enum config_telegram mode;
        const char *public_url;  /* without the final slash; "": that of the server */
        const char *api_url;     /* without the final slash */
        const char *certificate; /* "": none to upload */
        enum config_switch group_context;
    } telegram;
    const struct config_provider *providers; /* in the order of the file */
    size_t providers_n;
    const struct config_mcp *mcp; /* in the order of the file */
    size_t mcp_n;

    const char *path; /* the file that was read; NULL: no file, all defaults */
    struct arena *arena;
};

/*
 * Reads `path`. NULL: $ALFRED_CONFIG, else alfred.toml of the working directory, else defaults. A path that
 * was given must exist. RC_NOT_FOUND, RC_BAD_INPUT with a sentence such as "alfred.toml line 12: [session]
 * idle_minutes must be between 0 and 1440", RC_TOO_BIG, RC_IO.
 */
enum rc config_load(const char *path, struct config **out, struct err *e);

/* The same from text. `name` is used in messages. Relative paths are relative to `folder`. */
enum rc config_parse(
    const char *name, const char *folder, struct str text, struct config **out, struct err *e);
void config_free(struct config *c); /* NULL is fine */
DEFINE_AUTO(config);

/* The path of a file or folder that comes with the programs: "templates", "static", "nginx". */
const char *config_beside_program(struct arena *a, const char *what);

/*
 * A secret by name: from the environment, else from systemd's credential ($CREDENTIALS_DIRECTORY/NAME), else
 * from the line NAME=value of data_dir/credentials. RC_NOT_FOUND: missing or empty. RC_FORBIDDEN (shown to
 * the user): other users can read the file. RC_BAD_INPUT: a malformed line. The value is in the arena. The
 * caller logs neither the value nor its length.
 */
enum rc config_secret(
    const struct config *c, struct arena *a, const char *name, const char **out, struct err *e);

#endif
