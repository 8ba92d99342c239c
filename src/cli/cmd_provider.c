/* alfred provider test */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

#include "app/models/model_lists.h"
#include "app/models/provider_test.h"
#include "base/log.h"
#include "base/said.h"

struct testing {
    const struct cli *cli;
    const struct providers *providers;
    const char *model; /* NULL: the provider's default */
    size_t tested, broken;
    const char *last; /* that does not work */
};

static void print(struct arena *a, const struct provider_report *r)
{
    const struct lang *l = lang_english();
    for (size_t i = 0; i < r->n; i++)
        printf("  %-12s  %-5s  %s\n", lang_text(l, r->list[i].subject), finding_state_word(r->list[i].state),
            said_words(a, l, r->list[i].said));
}

static enum rc test(struct testing *t, const struct provider_source *s, struct err *e)
{
    struct provider_report report;
    struct provider_test of = {.config = t->cli->config,
        .providers = t->providers,
        .store = t->cli->store,
        .source = s,
        .model = t->model};
    printf("%s at %s\n", s->name, s->settings.base_url);
    fflush(stdout); /* the test may take minutes */
    enum rc rc = provider_test_run(&of, t->cli->arena, &report, e);
    if (rc != RC_OK)
        return rc;
    print(t->cli->arena, &report);
    t->tested++;
    if (!report.works) {
        t->broken++;
        t->last = s->name;
    }
    return RC_OK;
}

static enum rc none(struct err *e)
{
    return err_tell(e, RC_NOT_FOUND, "No provider is set up. docs/models.md says how to connect one.");
}

static enum rc unknown(const struct testing *t, const char *name, struct err *e)
{
    const char *names = "";
    for (size_t i = 0; i < t->providers->sources_n; i++)
        if (model_list_is_asked(&t->providers->sources[i]))
            names = arena_printf(
                t->cli->arena, "%s%s%s", names, *names ? ", " : "", t->providers->sources[i].name);
    return *names ? err_tell(e, RC_NOT_FOUND, "There is no provider %.60s. There are: %s.", name, names)
                  : none(e);
}

static enum rc test_named(struct testing *t, const char *name, struct err *e)
{
    const struct provider_source *s = providers_source(t->providers, name);
    return s && model_list_is_asked(s) ? test(t, s, e) : unknown(t, name, e);
}

static enum rc test_all(struct testing *t, struct err *e)
{
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < t->providers->sources_n; i++) {
        const struct provider_source *s = &t->providers->sources[i];
        if (model_list_is_asked(s) && model_list_is_there(s))
            rc = test(t, s, e);
    }
    if (rc == RC_OK && t->tested == 0)
        return none(e);
    return rc;
}

static enum rc run(struct cli *k, const struct command_line *l, struct err *e)
{
    log_init("alfred", LOG_ERROR); /* the report has what the test would log */
    struct providers *made = NULL;
    enum rc rc = providers_new(k->config, &made, e);
    AUTO(providers) p = made;
    if (rc != RC_OK)
        return rc;
    struct testing t = {.cli = k, .providers = p, .model = command_option(l, "model")};
    rc = l->args[0] ? test_named(&t, l->args[0], e) : test_all(&t, e);
    if (rc == RC_OK && t.broken == 1)
        return err_tell(e, RC_UPSTREAM, "%s does not work; the lines above say why.", t.last);
    if (rc == RC_OK && t.broken)
        return err_tell(
            e, RC_UPSTREAM, "%zu of %zu providers do not work; the lines above say why.", t.broken, t.tested);
    return rc;
}

int cmd_provider_test(const struct command_line *l)
{
    if (command_option(l, "model") && !l->args[0])
        return command_misused(l, "--model needs the name of a provider");
    return cli_run(l, run);
}
