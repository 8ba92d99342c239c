/* Commands about tasks. */
#include "app/command/command_private.h"

#include <string.h>

#include "app/jobs/helper_notify.h"
#include "app/tasks/tasks.h"
#include "base/humanize.h"

#define FOUND_MAX 100

struct todo {
    const struct command_call *c;
    enum tasks_show show;
    struct str words;
    struct tasks_page page;
};

static enum rc find_tasks(struct db *db, void *arg, struct err *e)
{
    struct todo *t = arg;
    const struct command_context *x = t->c->x;
    bool more;
    return t->words.len ? tasks_find(db, x->a, x->owner, t->show, t->words, FOUND_MAX, &t->page, &more, e)
                        : tasks_list(db, x->a, x->owner, t->show, NULL, FOUND_MAX, &t->page, e);
}

static void show_task(struct command_call *c, const struct task *t)
{
    const char *text = command_text(c, t->text);
    char today[TASK_DAY_SIZE];
    tasks_day(c->x->zone, c->x->now, 0, today);
    command_item(c, "%s%s%s%s%s", t->done_at ? "~~" : "", text, t->done_at ? "~~" : "", t->due ? " · " : "",
        t->due ? humanize_iso_day(c->x->a, c->x->lang, t->due, today) : "");
    command_button(c,
        command_label(c, str_of(arena_printf(c->x->a, "%s %.*s", t->done_at ? "↺" : "✓", STR_FMT(t->text)))),
        arena_printf(c->x->a, "/task %lld %s", (long long)t->id, t->done_at ? "open" : "done"));
}

enum rc command_tasks(struct command_call *c, struct err *e)
{
    struct todo t = {.c = c, .show = TASKS_OPEN, .words = c->args};
    int64_t page = command_page_number(&t.words);
    struct str rest = t.words;
    struct str first = command_next(&rest);
    if (first.len && tasks_show_of(first, &t.show))
        t.words = rest;
    enum rc rc = store_with_reader(c->x->store, find_tasks, &t, e);
    if (rc != RC_OK)
        return rc;
    if (t.page.n == 0)
        command_say(c, c->args.len ? "command.no_tasks" : "command.no_open_tasks", NULL);
    size_t i = (size_t)(page - 1) * COMMAND_PAGE, end = i + COMMAND_PAGE;
    for (; i < t.page.n && i < end; i++)
        show_task(c, &t.page.rows[i]);
    if (i < t.page.n)
        command_button_more(
            c, arena_printf(c->x->a, "/tasks%s%.*s", c->args.len ? " " : "", STR_FMT(c->args)), page + 1);
    return RC_OK;
}

/* Hidden: "/task 17 done", "/task 17 open". */
enum rc command_task(struct command_call *c, struct err *e)
{
    struct str rest = c->args;
    int64_t id;
    struct task t;
    enum rc rc = command_id(command_next(&rest), &id, e);
    bool done = str_is(rest, "done");
    if (rc == RC_OK && !done && !str_is(rest, "open"))
        return err_say(e, RC_BAD_INPUT, "command.bad_id");
    if (rc == RC_OK)
        rc = tasks_set_done(c->x->store, c->x->owner, id, done, c->x->now, c->x->a, &t, e);
    if (rc == RC_NOT_FOUND)
        return err_say(e, rc, "command.no_such_task");
    if (rc != RC_OK)
        return rc;
    helper_notify(c->x->config->server.data_dir); /* it waits for the task's time */
    command_say(
        c, done ? "command.task_done" : "command.task_open", LANG_ARGS({"text", command_text(c, t.text)}));
    command_button(c, lang_text(c->x->lang, "command.undo"),
        arena_printf(c->x->a, "/task %lld %s", (long long)id, done ? "open" : "done"));
    return RC_OK;
}
