#include "config_rig.h"

#include "app/config/config_table.h"

TEST(config_defaults_without_a_line)
{
    AUTO(config) c = parsed("");
    assert_int_equal(c->server.https_port, 8443);
    assert_int_equal(c->server.http_port, 8480);
    assert_string_equal(c->server.bind, "*");
    assert_string_equal(c->server.public_url, "https://localhost:8443");
    assert_string_equal(c->server.data_dir, FOLDER "/data");
    assert_string_equal(c->context.system_prompt, FOLDER "/data/system-prompt.md");
    assert_int_equal(c->server.log_level, LOG_INFO);
    assert_int_equal(c->session.idle_minutes, 30);
    assert_int_equal(c->login.idle_days, 14);
    assert_int_equal(c->context.policy, CONTEXT_FULL);
    assert_int_equal(c->context.window_messages, 20);
    assert_int_equal(c->context.thrifty_messages, 2);
    assert_int_equal(c->context.thrifty_chars, 500);
    assert_int_equal(c->limits.message_bytes, 1048576);
    assert_int_equal(c->limits.streams, 2000);
    assert_int_equal(c->limits.v1_body_bytes, 8388608);
    assert_int_equal(c->limits.picture_bytes, 5242880);
    assert_int_equal(c->net.allow.n, 0);
    assert_int_equal(c->providers_n, 0);
}

TEST(config_with_shorter_bodies_has_shorter_messages)
{
    AUTO(config) c = parsed("[limits]\nbody_bytes = 524288\n");
    assert_int_equal(c->limits.message_bytes, 174762);
}

TEST(config_takes_every_type)
{
    AUTO(config)
    c = parsed("[server]\n"
               "https_port = 443\n"
               "data_dir = \"/var/lib/alfred//\"\n"
               "log_level = \"warn\"\n"
               "trusted_proxy = [\"10.0.0.0/8\", \"::1\"]\n"
               "public_url = \"https://alfred.example.org/\"\n"
               "[context]\n"
               "policy = \"thrifty\"\n"
               "system_prompt = \"prompts/mine.md\"\n"
               "[net]\n"
               "allow = [\"nas.lan\", \"nas.lan:11434\"]\n");
    assert_int_equal(c->server.https_port, 443);
    assert_string_equal(c->server.data_dir, "/var/lib/alfred");
    assert_string_equal(c->server.public_url, "https://alfred.example.org");
    assert_int_equal(c->server.log_level, LOG_WARN);
    assert_int_equal(c->server.trusted_proxy.n, 2);
    assert_int_equal(c->context.policy, CONTEXT_THRIFTY);
    assert_string_equal(c->context.system_prompt, FOLDER "/prompts/mine.md");
    assert_string_equal(c->net.allow.v[1], "nas.lan:11434");
}

TEST(config_keeps_the_prompt_in_the_data_folder)
{
    AUTO(config) c = parsed("[server]\ndata_dir = \"/var/lib/alfred\"\n");
    assert_string_equal(c->context.system_prompt, "/var/lib/alfred/system-prompt.md");
}

TEST(config_accepts_the_ends_of_every_range_and_nothing_beyond)
{
    size_t n;
    const struct config_row *rows = config_rows(&n);
    for (size_t i = 0; i < n; i++) {
        AUTO(arena) a = arena_new();
        struct config c = {.arena = a};
        struct config_provider p;
        struct config_mcp m;
        void *base = strcmp(rows[i].section, CONFIG_PROVIDER_SECTION) == 0 ? (void *)&p
                     : strcmp(rows[i].section, CONFIG_MCP_SECTION) == 0    ? (void *)&m
                                                                           : (void *)&c;
        if (rows[i].type != CONFIG_INT)
            continue;
        assert_true(rows[i].min <= rows[i].def && rows[i].def <= rows[i].max);
        struct toml_entry v = {.type = TOML_INTEGER, .i = rows[i].min};
        assert_int_equal(config_apply(a, &rows[i], FOLDER, &v, base, NULL), RC_OK);
        assert_int_equal(*(int64_t *)((char *)base + rows[i].offset), rows[i].min);
        v.i = rows[i].max;
        assert_int_equal(config_apply(a, &rows[i], FOLDER, &v, base, NULL), RC_OK);
        v.i = rows[i].max + 1;
        assert_int_equal(config_apply(a, &rows[i], FOLDER, &v, base, NULL), RC_BAD_INPUT);
        v.i = rows[i].min - 1;
        assert_int_equal(config_apply(a, &rows[i], FOLDER, &v, base, NULL), RC_BAD_INPUT);
    }
}

TEST(config_says_line_and_key_of_a_bad_value)
{
    refused("# first\n[session]\n\nidle_minutes = -1\n",
        "alfred.toml line 4: [session] idle_minutes must be between 0 and 1440");
    refused("[session]\nidle_minutes = \"30\"\n",
        "alfred.toml line 2: [session] idle_minutes must be a whole number");
    refused("[session]\nidle_minutes = 30.0\n",
        "alfred.toml line 2: [session] idle_minutes must be a whole number");
    refused("[server]\ndata_dir = 3\n", "alfred.toml line 2: [server] data_dir must be a text in quotes");
    refused(
        "[server]\nbind = \"a\\nb\"\n", "alfred.toml line 2: [server] bind must have no control characters");
    refused("[context]\npolicy = \"all\"\n",
        "alfred.toml line 2: [context] policy must be one of \"full\", \"window\", \"thrifty\"");
    refused("[net]\nallow = \"nas\"\n",
        "alfred.toml line 2: [net] allow must be a list of texts, like [\"one\", \"two\"]");
}

TEST(config_refuses_unknown_keys_and_suggests_similar_ones)
{
    refused("[session]\nidle_minute = 3\n",
        "alfred.toml line 2: [session] has no setting idle_minute; did you mean idle_minutes?");
    refused("[sesion]\nidle_minutes = 3\n",
        "alfred.toml line 2: there is no section [sesion]; did you mean [session]?");
    refused("[session]\ncolour = 3\n", "alfred.toml line 2: [session] has no setting colour");
    refused("[database]\nurl = \"x\"\n", "alfred.toml line 2: there is no section [database]");
    refused("idle_minutes = 3\n", "alfred.toml line 1: idle_minutes must stand below a [section]");
    refused("[session.deep]\nidle_minutes = 3\n", "alfred.toml line 2: there is no section [session.deep]");
}

TEST(config_checks_related_settings)
{
    refused("[server]\nthreads = 5\nhttp_port = 8443\n",
        "alfred.toml line 3: [server] http_port must differ from https_port");
    refused("[login]\nfailures = 5\n[server]\nthreads = 5\nhttps_port = 8480\n",
        "alfred.toml line 5: [server] https_port must differ from http_port");
    refused("[server]\nbind = \"localhost\"\n",
        "alfred.toml line 2: [server] bind must be \"*\" or an IP address");
    refused("[server]\ncertificate = \"a.pem\"\n",
        "alfred.toml line 2: [server] certificate needs certificate_key");
    refused("[server]\ncertificate_key = \"a.pem\"\n",
        "alfred.toml line 2: [server] certificate_key needs certificate");
    static const char trusted[] =
        "alfred.toml line 2: [server] trusted_proxy must list addresses like 192.0.2.1 or networks like "
        "10.0.0.0/8";
    refused("[server]\ntrusted_proxy = [\"10.0.0.0/33\"]\n", trusted);
    refused("[server]\ntrusted_proxy = [\"1.2.3.4; }\"]\n", trusted);
    refused("[login]\nabsolute_days = 3\n",
        "alfred.toml line 2: [login] absolute_days must not be less than idle_days");
    refused("[limits]\nstreams = 9\nmessage_bytes = 2097152\n",
        "alfred.toml line 3: [limits] message_bytes must be less than a third of body_bytes");
    refused("[limits]\nmessage_bytes = 1048576\nbody_bytes = 3145728\n",
        "alfred.toml line 2: [limits] message_bytes must be less than a third of body_bytes");
    refused("[net]\nallow = [\"http://nas\"]\n",
        "alfred.toml line 2: [net] allow must list \"host\" or \"host:port\"");
    refused("[web]\nhosts = [\"wiki/start\"]\n",
        "alfred.toml line 2: [web] hosts must list \"host\" or \"host:port\"");
    refused("[web]\nsearch_url = \"search.example.org\"\n",
        "alfred.toml line 2: [web] search_url must be an address like https://search.example.org");
    refused("[models]\ndefault_model = \"gpt-4.1\"\n",
        "alfred.toml line 2: [models] default_model must be \"provider/model\", like \"openai/gpt-4.1\"");
    refused("[telegram]\npublic_url = \"http://alfred.example.org\"\n",
        "alfred.toml line 2: [telegram] public_url must be an address like https://alfred.example.org");
    refused("[telegram]\napi_url = \"\"\n",
        "alfred.toml line 2: [telegram] api_url must be an address like https://api.telegram.org");
}

TEST(config_refuses_an_address_below_a_path)
{
    refused("[server]\npublic_url = \"https://example.org/alfred\"\n",
        "alfred.toml line 2: [server] public_url must be an address like https://alfred.example.org, without "
        "a path");
    AUTO(config) c = parsed("[server]\npublic_url = \"https://example.org//\"\n");
    assert_string_equal(c->server.public_url, "https://example.org");
}

TEST(without_public_url_the_address_is_one_that_listens)
{
    static const struct {
        const char *bind, *url;
    } table[] = {{"*", "https://localhost:8443"}, {"0.0.0.0", "https://localhost:8443"},
        {"::", "https://localhost:8443"}, {"127.0.0.1", "https://localhost:8443"},
        {"::1", "https://localhost:8443"}, {"192.0.2.10", "https://192.0.2.10:8443"},
        {"2001:db8::1", "https://[2001:db8::1]:8443"}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        char text[128];
        snprintf(text, sizeof text, "[server]\nbind = \"%s\"\n", table[i].bind);
        AUTO(config) c = parsed(text);
        assert_string_equal(c->server.public_url, table[i].url);
    }
}

TEST(config_says_where_toml_is_broken)
{
    refused("[session]\nidle_minutes 3\n",
        "alfred.toml: Line 2, column 14: Error while parsing key-value pair: expected '=', saw '3'.");
    refused("[share]\nmembers = yes\n", "alfred.toml: Line 2, column 11: Error while parsing value: could "
                                        "not determine value type; a text must be in quotes.");
    refused("[session]\nidle_minutes = 3\nidle_minutes = 4\n",
        "alfred.toml: Line 3, column 16: Error while parsing key-value pair: cannot redefine existing "
        "integer 'idle_minutes'.");
}

TEST(config_reads_providers_in_their_order)
{
    AUTO(config)
    c = parsed("[provider.work]\n"
               "kind = \"openai\"\n"
               "base_url = \"https://llm.example.org/v1/\"\n"
               "models = [\"a\", \"b\"]\n"
               "[provider.claude]\n"
               "kind = \"anthropic\"\n"
               "model = \"m\"\n"
               "window = 1000\n");
    assert_int_equal(c->providers_n, 2);
    assert_string_equal(c->providers[0].name, "work");
    assert_string_equal(c->providers[0].base_url, "https://llm.example.org/v1");
    assert_int_equal(c->providers[0].models.n, 2);
    assert_string_equal(c->providers[1].name, "claude");
    assert_int_equal(c->providers[1].window, 1000);
}

TEST(config_refuses_incomplete_providers)
{
    refused("[provider.x]\nmodel = \"m\"\n",
        "alfred.toml line 2: [provider.x] kind must be \"openai\" or \"anthropic\"");
    refused("[provider.x]\nkind = \"openai\"\nbase_url = \"https://h/v1/chat/completions/\"\n",
        "alfred.toml line 3: [provider.x] base_url must end before \"/chat/completions\"");
    refused("[provider.x]\nkind = \"openai\"\nheaders = [\"no colon\"]\n",
        "alfred.toml line 3: [provider.x] headers must list \"Name: value\"");
    refused("[provider.x]\nkind = \"openai\"\nprices = [\"gpt 1,5\"]\n",
        "alfred.toml line 3: [provider.x] prices must list \"MODEL INPUT OUTPUT [CACHED]\", like \"gpt-4.1 "
        "2.00 8.00 0.50\"");
    refused("[provider.x]\nkind = \"openai\"\nproxy = \"proxy:3128\"\n",
        "alfred.toml line 3: [provider.x] proxy must be an address like http://proxy.example.org:3128");
    refused("[provider.x]\nkind = \"openai\"\nmodel = \"m\"\nbase_url = \"ftp://h\"\n",
        "alfred.toml line 4: [provider.x] base_url must be an address like https://host/v1");
    refused("[provider.offline]\nkind = \"openai\"\n",
        "alfred.toml line 2: \"offline\" is the built-in provider; choose another name");
    refused("[provider.\"a b\"]\nkind = \"openai\"\n",
        "alfred.toml line 2: a provider's name has 1 to 40 characters of a-z, 0-9, _ and -");
}

TEST(config_refuses_keys_in_the_file)
{
    refused("[provider.x]\nkind = \"openai\"\napi_key = \"sk-1\"\n",
        "alfred.toml line 3: this file must not contain keys; put the key into the environment and name the "
        "variable in key_env");
    refused("[provider.x]\nkind = \"openai\"\nmodel = \"m\"\nkey_env = \"sk-abc\"\n",
        "alfred.toml line 4: [provider.x] key_env must be the name of a variable, not the key itself");
}

TEST(config_reads_and_checks_mcp_servers)
{
    AUTO(config)
    c = parsed("[mcp.home]\nurl = \"http://192.168.1.2:8123/mcp\"\ntools = [\"all\"]\n"
               "[mcp.wiki]\nurl = \"https://w.example.org/mcp?x=1\"\nusers = [\"anna\"]\n");
    assert_int_equal(c->mcp_n, 2);
    assert_string_equal(c->mcp[1].name, "wiki");
    assert_string_equal(c->mcp[0].url, "http://192.168.1.2:8123/mcp");
    assert_int_equal(c->mcp[0].enabled, CONFIG_YES);
    refused("[mcp.home]\nlabel = \"x\"\n",
        "alfred.toml line 2: [mcp.home] url must be an address like https://home.example.org/mcp");
    refused("[mcp.home]\nurl = \"stdio:x\"\n",
        "alfred.toml line 2: [mcp.home] url must be an address like https://home.example.org/mcp");
    refused("[mcp.Home]\nurl = \"https://h/mcp\"\n",
        "alfred.toml line 2: the name of an MCP server has 1 to 40 characters of a-z, 0-9, _ and -");
    refused("[mcp.home]\nurl = \"https://h/mcp\"\ntoken = \"s3cret\"\n",
        "alfred.toml line 3: this file must not contain keys; put the key into the environment and name the "
        "variable in key_env");
    refused("[mcp.home]\nurl = \"https://h/mcp\"\nkey_env = \"sk-abc\"\n",
        "alfred.toml line 3: [mcp.home] key_env must be the name of a variable, not the key itself");
    refused("[mcp.home]\nurl = \"https://h/mcp\"\nheaders = [\"nothing\"]\n",
        "alfred.toml line 3: [mcp.home] headers must list \"Name: value\"");
    refused("[mcp.home]\nurl = \"https://h/mcp\"\ntols = [\"all\"]\n",
        "alfred.toml line 3: [mcp.home] has no setting tols; did you mean tools?");
}

/* The sample with every setting's # taken away. */
static void uncommented(struct strbuf *out, bool named)
{
    AUTO_STRBUF sample;
    strbuf_init(&sample, CONFIG_SAMPLE_MAX);
    config_sample(&sample);
    assert_false(sample.failed);
    struct str rest = strbuf_str(&sample);
    while (rest.s) {
        struct str line = str_cut(&rest, '\n');
        if (str_starts(line, STR("#[provider")) && !named)
            break;
        bool setting = line.len > 1 && line.s[0] == '#' && line.s[1] != ' ';
        strbuf_add(out, line.s + setting, line.len - setting);
        strbuf_addc(out, '\n');
    }
}

TEST(config_sample_parses_and_says_the_defaults)
{
    AUTO_STRBUF text, sample;
    strbuf_init(&text, CONFIG_SAMPLE_MAX);
    strbuf_init(&sample, CONFIG_SAMPLE_MAX);
    config_sample(&sample);
    AUTO(config) plain = parsed(sample.s);
    uncommented(&text, false);
    AUTO(config) said = parsed(text.s);
    AUTO(config) none = parsed("");
    size_t n, set = 0;
    const struct config_row *rows = config_rows(&n);
    for (size_t i = 0; i < n; i++) {
        const struct config_row *r = &rows[i];
        const char *a = (const char *)said + r->offset, *b = (const char *)none + r->offset;
        if (config_section_is_named(r->section))
            continue;
        char line[96];
        snprintf(line, sizeof line, "\n%s = ", r->key);
        if (!strstr(text.s, line)) /* the comparison would prove nothing */
            fail_msg("the sample has no %s: does [%s] have a row in `sections`?", r->key, r->section);
        set++;
        switch (r->type) {
        case CONFIG_INT: assert_int_equal(*(const int64_t *)a, *(const int64_t *)b); break;
        case CONFIG_TEXT:
        case CONFIG_PATH: assert_string_equal(*(const char *const *)a, *(const char *const *)b); break;
        case CONFIG_TEXTS: assert_int_equal(((const struct config_list *)a)->n, 0); break;
        case CONFIG_WORD: assert_memory_equal(a, b, sizeof(unsigned)); break;
        }
    }
    assert_true(set > 30);
}

static void rename_section(struct strbuf *text, const char *section, const char *name)
{
    char *at = strstr(text->s, section);
    assert_non_null(at);
    memcpy(at, name, strlen(name)); /* the names have the same length */
}

TEST(config_sample_shows_a_provider_and_an_mcp_server_that_work)
{
    AUTO_STRBUF text;
    strbuf_init(&text, CONFIG_SAMPLE_MAX);
    uncommented(&text, true);
    rename_section(&text, CONFIG_PROVIDER_SECTION "]", "provider.mine]");
    rename_section(&text, CONFIG_MCP_SECTION "]", "mcp.mine]");
    AUTO(config) c = parsed(text.s);
    assert_int_equal(c->providers_n, 1);
    assert_int_equal(c->mcp_n, 1);
    assert_string_equal(c->mcp[0].label, "Home");
    assert_int_equal(c->mcp[0].timeout_seconds, 60);
}

TEST(config_help_names_every_setting)
{
    AUTO_STRBUF help;
    strbuf_init(&help, CONFIG_SAMPLE_MAX);
    config_help(&help);
    size_t n;
    const struct config_row *rows = config_rows(&n);
    for (size_t i = 0; i < n; i++) {
        char line[96];
        snprintf(line, sizeof line, "\n  %s = ", rows[i].key);
        assert_non_null(strstr(help.s, line));
        assert_true(strlen(rows[i].help) > 10);
    }
}

TEST(config_load_names_a_file_that_is_not_there)
{
    AUTO(config) c = NULL;
    struct err e = ERR_INIT;
    assert_int_equal(config_load("/nowhere/alfred.toml", &c, &e), RC_NOT_FOUND);
    assert_non_null(strstr(e.text, "/nowhere/alfred.toml"));
}

TEST(config_load_takes_paths_from_the_files_folder)
{
    char path[FS_PATH_MAX], expected[FS_PATH_MAX];
    AUTO(config) c = NULL;
    struct err e = ERR_INIT;
    assert_int_equal(fs_join(path, unit_tmp(), "some.toml", NULL), RC_OK);
    assert_int_equal(fs_write_atomic(path, STR("[session]\nidle_minutes = 7\n"), NULL), RC_OK);
    assert_int_equal(config_load(path, &c, &e), RC_OK);
    assert_int_equal(c->session.idle_minutes, 7);
    AUTO_FREE char *real = realpath(unit_tmp(), NULL);
    assert_int_equal(fs_join(expected, real, "data", NULL), RC_OK);
    assert_string_equal(c->server.data_dir, expected);
}
