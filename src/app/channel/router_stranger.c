/* People without an account, and those who do not show who they are. Nothing is stored about them unless the
 * settings allow them to ask for admission. */
#include "app/account/channel_identity.h"
#include "app/channel/router_private.h"

static enum rc forget(struct db *db, const struct route *c, struct err *e)
{
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < c->n; i++)
        rc = store_inbox_forget(db, c->in[i]->row.id, e);
    return rc;
}

/* The code of "/link CODE", or of "/start CODE", which a link of the channel sends. Empty: none. */
static struct str code_of(const struct channel_update *u)
{
    struct str rest = str_trim(u->text);
    for (size_t i = 0; i < rest.len; i++)
        if (rest.s[i] == '\n' || rest.s[i] == '\t')
            return STR("");
    struct str word = str_cut(&rest, ' ');
    if (!u->is_command || !(str_eq_nocase(word, STR("/link")) || str_eq_nocase(word, STR("/start"))))
        return STR("");
    return rest.s ? str_trim(rest) : STR("");
}

static enum rc use_code(struct db *db, struct route *c, struct str code, struct err *e)
{
    const struct channel_update *u = route_update(c);
    const char *channel = c->in[0]->driver->name;
    struct err why = ERR_INIT;
    bool wrong = false;
    int64_t user = 0;
    enum rc rc = channel_link(db, channel, u->sender, u->sender_name, code, c->now, &user, &wrong, &why);
    if (rc == RC_RATE_LIMITED || rc == RC_CONFLICT || rc == RC_BAD_INPUT || (rc == RC_OK && wrong)) {
        route_act(c, ACTION_SEND, wrong ? lang_text(c->lang, "link.wrong_code") : route_words(c, &why));
        return forget(db, c, e);
    }
    if (rc != RC_OK)
        return err_set(e, rc, "linking a person: %s", why.text);
    rc = route_person_and_chat(db, c, e);
    if (rc == RC_OK)
        rc = route_say(db, c, "channel.linked", NULL, ROUTE_SOUND, e);
    return rc == RC_OK ? route_done(db, c, NULL, e) : rc;
}

/* The key of the sentence for a stranger; NULL: the stranger was told before. */
static enum rc words_for(struct db *db, struct route *c, const char **key, struct err *e)
{
    const struct channel_update *u = route_update(c);
    const char *channel = c->in[0]->row.channel;
    bool asks = !u->group && c->r->set.config->channels.strangers == CONFIG_STRANGERS_ASK;
    bool is_new = false;
    enum rc rc = RC_CONFLICT; /* as with a full list: the stranger cannot ask */
    if (asks)
        rc = channel_ask_admission(db, channel, u->sender, u->sender_name, u->place.chat, c->now, &is_new, e);
    if (rc != RC_OK && rc != RC_CONFLICT)
        return rc;
    const char *words = rc == RC_OK ? "channel.asked" : "channel.stranger";
    bool tells = is_new;
    if (rc == RC_CONFLICT)
        tells = u->group ? strangers_tell(&c->r->strangers, channel, STRANGER_GROUP, u->place.chat, c->now)
                         : strangers_tell(&c->r->strangers, channel, STRANGER_PERSON, u->sender, c->now);
    *key = tells ? words : NULL;
    return RC_OK;
}

/* Somebody who may have an account, but writes in the name of the group. */
static enum rc tell_unnamed(struct db *db, struct route *c, struct err *e)
{
    if (strangers_tell(
            &c->r->strangers, c->in[0]->row.channel, STRANGER_UNNAMED, route_update(c)->place.chat, c->now))
        route_act(c, ACTION_SEND, lang_text(c->lang, "channel.unnamed"));
    return forget(db, c, e);
}

enum rc route_stranger(struct db *db, struct route *c, struct err *e)
{
    const struct channel_update *u = route_update(c);
    const char *key = NULL;
    struct str code = code_of(u);
    if (u->unnamed)
        return tell_unnamed(db, c, e);
    if (!u->sender[0])
        return forget(db, c, e);
    if (code.len && !u->group)
        return use_code(db, c, code, e);
    enum rc rc = words_for(db, c, &key, e);
    if (rc == RC_OK && key)
        route_act(c, ACTION_SEND, lang_text(c->lang, key));
    return rc == RC_OK ? forget(db, c, e) : rc;
}
