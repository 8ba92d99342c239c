/* alfred telegram setup, info, remove */
#include "cli/cli.h"

#include <stdio.h>

#include "app/telegram/telegram_setup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/said.h"

static const char *state_word(enum telegram_line_state s)
{
    return s == TELEGRAM_FINE ? "ok" : s == TELEGRAM_NOTE ? "note" : "wrong";
}

/* Prints the report. False: a line says that something is wrong. */
static bool print(struct arena *a, const struct telegram_report *r)
{
    const struct lang *l = lang_english();
    bool fine = true;
    for (size_t i = 0; i < r->n; i++) {
        const struct telegram_line *line = &r->list[i];
        char at[CLOCK_RFC3339_SIZE] = "";
        if (line->at)
            clock_rfc3339(line->at, at);
        printf("%-12s  %-5s  %s%s%s\n", lang_text(l, line->subject), state_word(line->state), at,
            line->at ? "  " : "", said_words(a, l, line->said));
        fine = fine && line->state != TELEGRAM_WRONG;
    }
    return fine;
}

static enum rc look(struct cli *k, struct err *e)
{
    struct telegram_report report;
    enum rc rc = telegram_look(k->config, k->store, k->arena, &report, e);
    if (rc == RC_OK && !print(k->arena, &report))
        return err_tell(e, RC_UPSTREAM, "Telegram does not work yet; the lines with \"wrong\" say why.");
    return rc;
}

static struct telegram_change change_of(const struct command_line *l)
{
    return (struct telegram_change){.from = {.address = "", .agent = "", .now = clock_wall_ms()},
        .drop_pending = command_option(l, "drop-pending")};
}

static enum rc setup(struct cli *k, const struct command_line *l, struct err *e)
{
    log_init("alfred", LOG_ERROR); /* the report has what would be logged */
    const struct telegram_change change = change_of(l);
    enum rc rc = telegram_set_up(k->config, k->store, k->arena, &change, e);
    return rc == RC_OK ? look(k, e) : rc;
}

static enum rc info(struct cli *k, const struct command_line *l, struct err *e)
{
    (void)l;
    log_init("alfred", LOG_ERROR);
    return look(k, e);
}

static enum rc take_away(struct cli *k, const struct command_line *l, struct err *e)
{
    log_init("alfred", LOG_ERROR);
    const struct telegram_change change = change_of(l);
    enum rc rc = telegram_remove(k->config, k->store, k->arena, &change, e);
    if (rc == RC_OK)
        puts("The webhook and the menu of commands are removed. To end the bot for good, set mode = \"off\" "
             "in the section [telegram] and restart Alfred.");
    return rc;
}

int cmd_telegram_setup(const struct command_line *l)
{
    return cli_run(l, setup);
}

int cmd_telegram_info(const struct command_line *l)
{
    return cli_run(l, info);
}

int cmd_telegram_remove(const struct command_line *l)
{
    return cli_run(l, take_away);
}
