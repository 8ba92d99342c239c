#include "app/config/config_rig.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app/models/model_lists.h"
#include "app/models/providers.h"

static struct providers *providers_of(const char *text)
{
    static struct config *c; /* outlives the providers */
    AUTO_STRBUF all;
    struct providers *p = NULL;
    struct err e = ERR_INIT;
    strbuf_init(&all, 128 * 1024);
    strbuf_addf(&all, "[models]\ndiscover = \"no\"\n%s", text);
    config_free(c);
    c = with_data_dir("/nowhere", all.s);
    if (providers_new(c, &p, &e) != RC_OK)
        fail_msg("%s", e.text);
    return p;
}

TEST(providers_without_anything_are_offline)
{
    clean_environment();
    AUTO(providers) p = providers_of("");
    assert_int_equal(providers_list(p)->n, 1);
    assert_string_equal(providers_default(p)->kind, "offline");
    assert_null(providers_default(p)->source->settings.key);
    assert_int_equal(p->allowed_n, 0);
}

TEST(providers_from_keys_in_the_environment)
{
    clean_environment();
    setenv("OPENAI_API_KEY", "sk-1", 1);
    setenv("OPENAI_MODEL", "gpt-x", 1);
    setenv("ANTHROPIC_API_KEY", "sk-2", 1);
    setenv("ANTHROPIC_MODEL", "claude-x", 1);
    AUTO(providers) p = providers_of("");
    assert_int_equal(providers_list(p)->n, 3);
    assert_string_equal(providers_default(p)->value, "openai/gpt-x");
    assert_string_equal(providers_default(p)->source->settings.base_url, "https://api.openai.com/v1");
    assert_string_equal(providers_default(p)->source->settings.key, "sk-1");
    const struct provider_choice *claude = providers_find(p, "anthropic/claude-x");
    assert_non_null(claude);
    assert_string_equal(claude->source->settings.key, "sk-2");
    assert_string_equal(claude->label, "claude-x");
    assert_ptr_equal(providers_by_name(p, "anthropic", "claude-x"), claude);
    assert_ptr_equal(providers_by_name(p, "anthropic", NULL), claude);
    assert_null(providers_by_name(p, "anthropic", "gpt-x"));
    assert_null(providers_find(p, "openai"));
    assert_string_equal(providers_list(p)->choices[2]->kind, "offline");
    assert_int_equal(p->allowed_n, 0); /* their own addresses need no exception */
    clean_environment();
}

TEST(providers_name_the_provider_of_a_model_that_two_have)
{
    clean_environment();
    setenv("OPENAI_API_KEY", "sk-1", 1);
    setenv("OPENAI_MODEL", "same", 1);
    AUTO(providers)
    p = providers_of("[provider.proxy]\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:9/v1\"\n"
                     "models = [\"own\", \"same\"]\n");
    assert_string_equal(providers_find(p, "openai/same")->label, "OpenAI · same");
    assert_string_equal(providers_find(p, "proxy/same")->label, "proxy · same");
    assert_string_equal(providers_find(p, "proxy/own")->label, "own");
    clean_environment();
}

TEST(providers_own_server_needs_no_key_and_is_allowed)
{
    static const char *const cases[][2] = {
        {"http://localhost:8000/v1/", "localhost:8000"},
        {"http://nas.lan/v1", "nas.lan:80"},
        {"https://nas.lan/v1", "nas.lan:443"},
        {"http://[::1]/v1", "[::1]:80"},
        {"http://[::1]:99", "[::1]:99"},
        {"http://nas.lan/v1?api-version=1", "nas.lan:80"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        clean_environment();
        setenv("OPENAI_BASE_URL", cases[i][0], 1);
        setenv("OPENAI_MODEL", "llama", 1);
        AUTO(providers) p = providers_of("");
        assert_int_equal(providers_list(p)->n, 2);
        assert_null(providers_default(p)->source->settings.key);
        assert_string_equal(providers_default(p)->value, "openai/llama");
        assert_int_equal(p->allowed_n, 1);
        assert_string_equal(p->allowed[0], cases[i][1]);
    }
    clean_environment();
    setenv("OPENAI_BASE_URL", "localhost:8000", 1);
    AUTO(config) c = parsed("");
    struct providers *p = NULL;
    assert_int_equal(providers_new(c, &p, NULL), RC_BAD_INPUT);
    clean_environment();
}

TEST(providers_from_the_file_come_first_and_hide_their_namesake)
{
    clean_environment();
    setenv("OPENAI_API_KEY", "sk-1", 1);
    setenv("WORK_KEY", "sk-w", 1);
    AUTO(providers)
    p = providers_of("[provider.work]\nkind = \"openai\"\nbase_url = \"http://llm.lan:1/v1\"\n"
                     "models = [\"a\", \"b\"]\nmodel = \"b\"\nkey_env = \"WORK_KEY\"\nwindow = 5000\n"
                     "[provider.openai]\nkind = \"openai\"\nmodel = \"gpt\"\nlabel = \"GPT\"\n"
                     "[net]\nallow = [\"x.lan\"]\n");
    assert_int_equal(providers_list(p)->n, 4);
    assert_string_equal(providers_list(p)->choices[0]->value, "work/b");
    assert_string_equal(providers_list(p)->choices[0]->source->settings.key, "sk-w");
    assert_int_equal(providers_list(p)->choices[0]->window, 5000);
    assert_string_equal(providers_list(p)->choices[1]->value, "work/a");
    assert_string_equal(providers_list(p)->choices[2]->value, "openai/gpt");
    assert_string_equal(providers_list(p)->choices[2]->label, "GPT");
    assert_string_equal(providers_list(p)->choices[2]->source->settings.key, "sk-1");
    assert_string_equal(providers_list(p)->choices[3]->name, "offline");
    assert_int_equal(p->allowed_n, 2);
    assert_string_equal(p->allowed[1], "llm.lan:1");
    clean_environment();
}

TEST(providers_say_which_key_is_missing)
{
    clean_environment();
    AUTO(config) c = parsed("[provider.work]\nkind = \"openai\"\nmodel = \"m\"\nkey_env = \"WORK_KEY\"\n");
    struct providers *p = NULL;
    struct err e = ERR_INIT;
    assert_int_equal(providers_new(c, &p, &e), RC_BAD_INPUT);
    assert_non_null(strstr(e.text, "[provider.work] needs the key WORK_KEY"));
}

TEST(providers_without_a_model_or_a_list_offer_none)
{
    clean_environment();
    setenv("OPENAI_API_KEY", "sk-1", 1);
    AUTO(providers) p = providers_of("");
    assert_true(providers_offline(p));
    assert_string_equal(providers_source(p, "openai")->settings.base_url, "https://api.openai.com/v1");
    clean_environment();
}

TEST(providers_on_this_machine_are_looked_for)
{
    clean_environment();
    setenv("OLLAMA_HOST", "0.0.0.0:4000", 1);
    AUTO(providers) p = providers_of("");
    const struct provider_source *ollama = providers_source(p, "ollama");
    assert_non_null(ollama);
    assert_true(ollama->found_only);
    assert_string_equal(ollama->settings.base_url, "http://127.0.0.1:4000/v1");
    assert_string_equal(p->allowed[0], "127.0.0.1:4000");
    assert_null(providers_source(p, "vllm")); /* discover = "no", and not configured */
    assert_true(providers_offline(p));        /* until it has answered */
    clean_environment();
}

TEST(a_server_that_is_looked_for_is_there_while_its_port_listens)
{
    clean_environment();
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, size), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &size), 0);
    char host[32];
    snprintf(host, sizeof host, "127.0.0.1:%d", ntohs(at.sin_port));
    setenv("OLLAMA_HOST", host, 1);
    AUTO(providers) p = providers_of("");
    assert_false(model_list_is_there(providers_source(p, "ollama")));
    assert_int_equal(listen(fd, 1), 0);
    assert_true(model_list_is_there(providers_source(p, "ollama")));
    close(fd);
    assert_false(model_list_is_there(providers_source(p, "ollama")));
    clean_environment();
}

TEST(providers_never_exceed_their_room)
{
    clean_environment();
    AUTO_STRBUF text;
    strbuf_init(&text, 64 * 1024);
    for (int i = 0; i < CONFIG_PROVIDERS_MAX; i++) {
        strbuf_addf(&text, "[provider.p%d]\nkind = \"openai\"\nbase_url = \"http://h\"\nmodels = [", i);
        for (int k = 0; k < CONFIG_LIST_MAX; k++)
            strbuf_addf(&text, "\"m%d\",", k);
        strbuf_adds(&text, "]\n");
    }
    AUTO(providers) p = providers_of(text.s);
    assert_int_equal(providers_list(p)->n, CONFIG_PROVIDERS_MAX * CONFIG_LIST_MAX + 1);
    assert_true(providers_list(p)->n <= PROVIDERS_CHOICES_MAX);
    assert_string_equal(providers_list(p)->choices[providers_list(p)->n - 1]->kind, "offline");
}
