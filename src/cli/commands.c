#include "cli/commands.h"

#include "app/config/config.h"
#include "cli/cli.h"

const struct command commands[] = {
    {.words = "serve",
        .args = "",
        .summary = "start Alfred",
        .details =
            "Starts nginx and the programs behind it and restarts programs that end. Creates the data\n"
            "folder, a certificate and the settings of nginx if they are missing. Runs until Ctrl-C or\n"
            "SIGTERM; running answers are then saved.\n",
        .example = "serve --without-nginx --socket-group www-data",
        .options = {{"without-nginx", NULL, "use the system's nginx (nginx/production.conf)"},
            {"socket-group", "GROUP", "members of GROUP (the system's nginx) may connect to the sockets"}},
        .run = cmd_serve},
    {.words = "link",
        .args = "",
        .summary = "print the address, and the first sign-in link",
        .details =
            "Prints the address of Alfred. While there is no user, also prints a new link for the first\n"
            "admin. It works once and for 24 hours, and the previous link becomes invalid.\n",
        .example = "link",
        .run = cmd_link},
    {.words = "chat",
        .args = "[MESSAGE...]",
        .summary = "chat in the terminal",
        .details =
            "Without a message, opens a prompt: /help lists the commands, Ctrl-C stops an answer, Ctrl-D\n"
            "ends. With a message, or with text on standard input, prints the answer and ends; the text on\n"
            "standard input is appended to the message. Continues the last session of this terminal.\n"
            "Needs an API token with the rights read, write and chat, from $ALFRED_TOKEN or --login.\n"
            "docs/terminal.md has the details.\n",
        .example = "chat \"What is on my list for today?\"",
        .options = {{"session", "ID", "continue this session"}, {"new", NULL, "begin a session"},
            {"temporary", NULL, "begin a temporary chat"}, {"model", "MODEL", "the model that answers"},
            {"json", NULL, "print events, one JSON object per line"},
            {"server", "URL", "address of Alfred; without it $ALFRED_SERVER, or that of this machine"},
            {"ca-file", "FILE", "trust the certificates in FILE (PEM); or $ALFRED_CA_FILE"},
            {"login", NULL, "ask for an API token and store it"}},
        .run = cmd_chat},
    {.words = "user add",
        .args = "NAME",
        .summary = "add a user",
        .details =
            "Adds a user. The password is asked for on a terminal, otherwise read from standard input as\n"
            "one line. A name has letters (a to z), digits, dots, dashes and underscores.\n",
        .example = "user add anna --link",
        .options = {{"admin", NULL, "the user may manage other users"},
            {"link", NULL, "print a one-time link, with which the user chooses a password"}},
        .run = cmd_user_add},
    {.words = "user passwd",
        .args = "NAME",
        .summary = "set a user's password",
        .details = "Sets a new password, read as for `user add`, and signs the user out everywhere.\n"
                   "With --link the password stays until the user has chosen a new one.\n",
        .example = "user passwd anna --link",
        .options = {{"link", NULL, "print a one-time link, with which the user chooses a password"}},
        .run = cmd_user_passwd},
    {.words = "user role",
        .args = "NAME admin|member",
        .summary = "change a user's role",
        .details = "Admins manage users, the Telegram bot and background jobs. The last active admin cannot\n"
                   "become a member.\n",
        .example = "user role anna admin",
        .run = cmd_user_role},
    {.words = "user disable",
        .args = "NAME",
        .summary = "disable a user",
        .details =
            "Signs the user out everywhere within 5 seconds and refuses further sign-ins. All data stays.\n",
        .example = "user disable anna",
        .run = cmd_user_disable},
    {.words = "user enable",
        .args = "NAME",
        .summary = "enable a disabled user",
        .details = "The user can sign in again. Earlier logins stay invalid.\n",
        .example = "user enable anna",
        .run = cmd_user_enable},
    {.words = "user second-step-off",
        .args = "NAME",
        .summary = "turn off a user's two-step sign-in",
        .details =
            "For a user who has lost the phone and the recovery codes. The password is enough then, until\n"
            "the user turns two-step sign-in on again on the Account page.\n",
        .example = "user second-step-off anna",
        .run = cmd_user_second_step_off},
    {.words = "user delete",
        .args = "NAME",
        .summary = "erase a user and all data",
        .details =
            "Erases the account with all sessions, messages, facts, tasks, exports and files, after the\n"
            "name is typed as confirmation. This cannot be undone; use `export` first to keep a copy. The\n"
            "audit trail stays. The last active admin cannot be deleted.\n",
        .example = "user delete anna",
        .options = {{"yes", NULL, "do not ask, for scripts"}},
        .run = cmd_user_delete},
    {.words = "user list",
        .args = "",
        .summary = "list all users",
        .details = "Prints one line for each user: name, role, state, last use (UTC), and whether two-step\n"
                   "sign-in is on.\n",
        .example = "user list",
        .run = cmd_user_list},
    {.words = "token add",
        .args = "NAME TOKEN",
        .summary = "make an API token",
        .details =
            "Makes a token with which a program uses the API as the user NAME, and prints it. It is not\n"
            "shown again. TOKEN is its name in lists. Without --scopes it may chat; without --days it has\n"
            "no end.\n",
        .example = "token add anna editor --days 90",
        .options = {{"scopes", "WORDS", "some of the words read, write and chat, with blanks between"},
            {"days", "DAYS", "the token ends after so many days"},
            {"memory", NULL, "its chats over /v1 use what Alfred remembers"},
            {"tools", NULL, "its chats over /v1 offer Alfred's tools to the model"}},
        .run = cmd_token_add},
    {.words = "token list",
        .args = "NAME",
        .summary = "list the API tokens of a user",
        .details =
            "Prints one line for each token: id, first characters, scopes, last use, end (UTC), name.\n",
        .example = "token list anna",
        .run = cmd_token_list},
    {.words = "token revoke",
        .args = "NAME ID",
        .summary = "revoke an API token",
        .details =
            "Ends the token at once, and its open streams within 5 seconds. ID is as in `token list`.\n",
        .example = "token revoke anna tok_06fdhgzvt4m1tw5n0b2z3y8k9q",
        .run = cmd_token_revoke},
    {.words = "jobs list",
        .args = "",
        .summary = "list the background jobs",
        .details = "Prints dead, running and waiting jobs: number, state, kind, attempts, time (UTC) and\n"
                   "error. `alfred jobs` does the same.\n",
        .example = "jobs list",
        .group_default = true,
        .run = cmd_jobs_list},
    {.words = "jobs retry",
        .args = "ID|KIND",
        .summary = "retry a dead job, or all of a kind",
        .details =
            "Puts a dead job, or all dead jobs of a kind, back into the queue. `alfred jobs list` has the\n"
            "numbers and kinds.\n",
        .example = "jobs retry 17",
        .run = cmd_jobs_retry},
    {.words = "backup",
        .args = "FILE",
        .summary = "copy the live database to a file",
        .details =
            "Copies the database to FILE, which must not exist. Alfred may be running. docs/operations.md\n"
            "lists the other files of a backup.\n",
        .example = "backup /var/backups/alfred-monday.db",
        .run = cmd_backup},
    {.words = "export",
        .args = "NAME [FILE]",
        .summary = "write all data of a user to a file",
        .details =
            "Writes all data of the user as JSON Lines (docs/export.md) to FILE, which must not exist; it\n"
            "is compressed if the name ends in .gz, a zip if it ends in .zip. Without FILE, or with -, to\n"
            "standard output.\n",
        .example = "export anna anna.jsonl.gz",
        .run = cmd_export},
    {.words = "import",
        .args = "NAME FILE",
        .summary = "import conversations from a file",
        .details =
            "Reads an export of Alfred, of ChatGPT or Claude (conversations.json or the zip), of LibreChat\n"
            "or of Open WebUI. The second import of the same file adds nothing.\n",
        .example = "import anna chatgpt.zip",
        .run = cmd_import},
    {.words = "provider test",
        .args = "[NAME]",
        .summary = "test the providers, or one of them",
        .details = "Asks the provider NAME, or every provider, for its models and for a short answer. Prints "
                   "a line\n"
                   "for each property with a figure, or with what to do: key, models, the model and its "
                   "window, time\n"
                   "to the first token, tools, images, and the size of a vector if it is the provider of "
                   "[embedding].\n"
                   "Waits as long as a chat does ([turn] first_byte_seconds). Ends with 0 if chats work.\n",
        .example = "provider test ollama --model qwen3:8b",
        .options = {{"model", "MODEL", "test MODEL instead of the provider's default"}},
        .run = cmd_provider_test},
    {.words = "mcp",
        .args = "[NAME]",
        .summary = "list the tools of the MCP servers, or ask one",
        .details =
            "Prints the servers of [mcp.NAME], when their lists were read, their tools, and which of them\n"
            "models are offered. With NAME it first asks this server for its list, and stores it.\n"
            "Ends with 0 if every printed server has answered the last time. docs/mcp.md.\n",
        .example = "mcp home",
        .run = cmd_mcp},
    {.words = "telegram setup",
        .args = "",
        .summary = "connect the Telegram bot",
        .details =
            "Asks Telegram for the bot of " CONFIG_TELEGRAM_TOKEN ". Sets its webhook (mode \"webhook\") or\n"
            "removes it (mode \"poll\"), then sets its menu of commands. Prints the same as `telegram\n"
            "info`. It can be repeated at any time. docs/telegram.md has the steps before it.\n",
        .example = "telegram setup",
        .options = {{"drop-pending", NULL, "delete the messages that wait at Telegram"}},
        .run = cmd_telegram_setup},
    {.words = "telegram info",
        .args = "",
        .summary = "print what Telegram knows about the bot",
        .details =
            "Prints the bot, how its messages arrive, how many wait at Telegram, and the last error that\n"
            "Telegram reported, with what to do. Ends with 0 if nothing is wrong.\n",
        .example = "telegram info",
        .group_default = true,
        .run = cmd_telegram_info},
    {.words = "telegram remove",
        .args = "",
        .summary = "disconnect the Telegram bot",
        .details =
            "Removes the webhook and the menu of commands from Telegram. Nothing is deleted in Alfred.\n",
        .example = "telegram remove",
        .options = {{"drop-pending", NULL, "delete the messages that wait at Telegram"}},
        .run = cmd_telegram_remove},
    {.words = "config check",
        .args = "",
        .summary = "check the settings",
        .details =
            "Prints the first error with its file and line, or with its setting. Without an error, prints\n"
            "the address, the data folder, the providers and the models.\n",
        .example = "config check --config /etc/alfred/alfred.toml",
        .run = cmd_config_check},
    {.words = "config sample",
        .args = "",
        .summary = "print a sample settings file",
        .details = "Prints a commented alfred.toml with every setting and its default.\n",
        .example = "config sample >alfred.toml",
        .run = cmd_config_sample},
    {.words = "config help",
        .args = "",
        .summary = "print the help of all settings",
        .details = "Prints every setting with its default, its limits and a description.\n",
        .example = "config help",
        .run = cmd_config_help},
};
const size_t commands_n = ARRAY_LEN(commands);
