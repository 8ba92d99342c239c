/* Commands about the answers of a session: stop, again, undo, the model. */
#include "app/command/command_private.h"

#include <stdio.h>
#include <string.h>

#include "app/session/session_actions.h"
#include "app/trash/trash.h"
#include "store/message/turn_order.h"

#define MODEL_BUTTONS 12

/* ---- stop ---- */

enum rc command_stop(struct command_call *c, struct err *e)
{
    struct session s;
    int64_t withdrawn;
    enum rc rc = command_session(c, &s, e);
    if (rc == RC_OK)
        rc = command_stop_session(c, s.pub, &withdrawn, e);
    if (rc != RC_OK)
        return rc;
    command_say(c, s.running_turns ? "command.stopped" : "command.nothing_runs", NULL);
    if (withdrawn)
        command_say_count(c, "command.withdrawn", withdrawn);
    return RC_OK;
}

/* ---- again, and undo ---- */

/* The last question, and the last message below it: itself without an answer. */
struct exchange {
    const struct message *asked, *last;
};

static enum rc read_exchange(
    const struct command_call *c, const struct session *s, struct exchange *out, struct err *e)
{
    struct message *path = NULL;
    size_t n = 0;
    enum rc rc = RC_OK;
    *out = (struct exchange){0};
    struct db *db = store_read(c->x->store);
    if (s->head_id)
        rc = store_message_path(db, c->x->a,
            &(struct path_query){.owner = c->x->owner, .session_id = s->id, .head = s->head_id}, &path, &n,
            e);
    store_read_done(c->x->store, db);
    if (rc != RC_OK)
        return rc;
    for (size_t i = n; i-- > 0 && !out->asked;)
        if (path[i].role == ROLE_USER)
            *out = (struct exchange){&path[i], &path[n - 1]};
    if (out->asked)
        return RC_OK;
    err_say(e, RC_CONFLICT, "command.no_messages");
    return RC_CONFLICT;
}

/* The open session, in which no turn runs. */
static enum rc quiet_session(const struct command_call *c, struct session *s, struct err *e)
{
    enum rc rc = command_session(c, s, e);
    return rc == RC_OK && s->running_turns ? err_say(e, RC_CONFLICT, "command.stop_first") : rc;
}

enum rc command_retry(struct command_call *c, struct err *e)
{
    struct session s;
    struct exchange x;
    enum rc rc = quiet_session(c, &s, e);
    if (rc == RC_OK)
        rc = read_exchange(c, &s, &x, e);
    if (rc == RC_OK && x.asked == x.last)
        return err_say(e, RC_CONFLICT, "command.no_answer");
    if (rc != RC_OK)
        return rc;
    char id[ID_SIZE];
    id_new(ID_TURN, id);
    struct turn_order *order = ARENA_NEW(c->x->a, struct turn_order);
    *order = (struct turn_order){.owner = c->x->owner,
        .session = s.pub,
        .kind = ORDER_REGENERATE,
        .message_id = x.last->id,
        .text = STR(""),
        .client_id = arena_printf(c->x->a, "command:%s", id),
        .channel = c->x->channel,
        .purpose = ORDER_COMMAND,
        .created_at = c->x->now};
    c->out->order = order;
    command_say(c, "command.retrying", NULL);
    return RC_OK;
}

enum rc command_undo(struct command_call *c, struct err *e)
{
    struct session s;
    struct exchange x;
    char entry[ID_SIZE];
    const struct auth_client from = command_client(c->x);
    enum rc rc = quiet_session(c, &s, e);
    if (rc == RC_OK)
        rc = read_exchange(c, &s, &x, e);
    if (rc == RC_OK)
        rc = trash_message(c->x->store, c->x->config, c->x->owner, s.pub, x.asked->id, &from, entry, e);
    if (rc != RC_OK)
        return rc;
    command_say(c, "command.undone", LANG_ARGS({"text", command_text(c, x.asked->text)}));
    if (c->x->config->trash.days && !s.ends_at)
        command_button(
            c, lang_text(c->x->lang, "command.bring_back"), arena_printf(c->x->a, "/restore %s", entry));
    return RC_OK;
}

/* Hidden: reverses /undo. */
enum rc command_restore(struct command_call *c, struct err *e)
{
    struct trash_restored back;
    const struct auth_client from = command_client(c->x);
    enum rc rc =
        trash_restore(c->x->store, c->x->config, c->x->owner, command_str(c, c->args), &from, &back, e);
    if (rc == RC_OK)
        command_say(c, "command.restored", NULL);
    return rc;
}

/* ---- the model ---- */

static const char *label_of(const struct command_call *c, const struct provider_choice *p)
{
    return command_text(c, str_of(provider_choice_label(p, c->x->lang)));
}

static void list_models(struct command_call *c, const struct provider_list *all,
    const struct provider_choice *now, struct str words)
{
    size_t shown = 0;
    for (size_t i = 0; i < all->n && shown < MODEL_BUTTONS; i++) {
        const struct provider_choice *p = all->choices[i];
        if (words.len && !strcasestr(p->value, command_str(c, words)) &&
            !strcasestr(p->label, command_str(c, words)))
            continue;
        shown++;
        command_button(c, command_label(c, str_of(provider_choice_label(p, c->x->lang))),
            arena_printf(c->x->a, "/model %s", p->value));
        command_item(c, "%s%s: `%s`", p == now ? "▸ " : "", label_of(c, p), p->value);
    }
    if (!words.len && all->n > MODEL_BUTTONS)
        command_say(c, "command.more_models", NULL);
}

/* The model that is meant: by its name, or as the only one that contains the words. */
static const struct provider_choice *find_model(
    const struct command_call *c, const struct provider_list *all, size_t *matches)
{
    const char *words = command_str(c, c->args);
    const struct provider_choice *found = NULL;
    *matches = 0;
    for (size_t i = 0; i < all->n; i++) {
        const struct provider_choice *p = all->choices[i];
        if (strcasecmp(p->value, words) == 0 || strcasecmp(p->label, words) == 0) {
            *matches = 1;
            return p;
        }
        if (strcasestr(p->value, words) || strcasestr(p->label, words)) {
            found = p;
            ++*matches;
        }
    }
    return *matches == 1 ? found : NULL;
}

static enum rc show_model(struct command_call *c, const struct provider_list *all, struct err *e)
{
    struct session s = {0};
    enum rc rc = c->x->session ? command_session(c, &s, e) : RC_OK;
    if (rc != RC_OK)
        return rc;
    const struct provider_choice *now =
        s.provider ? providers_by_name(c->x->providers, s.provider, s.model) : NULL;
    now = now ? now : all->standard;
    command_say(c, "command.model_now", LANG_ARGS({"model", label_of(c, now)}));
    list_models(c, all, now, STR(""));
    return RC_OK;
}

enum rc command_model(struct command_call *c, struct err *e)
{
    struct session s;
    size_t matches;
    providers_refresh_lately(c->x->providers, c->x->store);
    const struct provider_list *all = providers_list(c->x->providers);
    if (c->args.len == 0)
        return show_model(c, all, e);
    const struct provider_choice *p = find_model(c, all, &matches);
    if (!p && !matches)
        return err_say(e, RC_NOT_FOUND, "command.no_model", arg_text("words", command_str(c, c->args)));
    if (!p) {
        command_say(c, "command.which_model", NULL);
        list_models(c, all, NULL, c->args);
        return RC_OK;
    }
    enum rc rc = command_session_or_new(c, &s, e);
    if (rc == RC_OK)
        rc = session_change(c->x->store, c->x->owner, s.pub, &(struct session_change){.choice = p}, e);
    if (rc == RC_OK)
        command_say(c, "command.model_set", LANG_ARGS({"model", label_of(c, p)}));
    return rc;
}
