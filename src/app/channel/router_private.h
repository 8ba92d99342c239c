/* Shared by the files of the router. */
#ifndef ALFRED_APP_CHANNEL_ROUTER_PRIVATE_H
#define ALFRED_APP_CHANNEL_ROUTER_PRIVATE_H

#include "app/channel/router.h"
#include "app/channel/strangers.h"
#include "base/lang.h"
#include "store/channel/chat.h"

struct router {
    struct router_setup set;
    struct strangers strangers;
};

/* One call of router_run(). */
struct route {
    struct router *r;
    struct incoming *const *in;
    size_t n;
    struct arena *a;
    int64_t now;
    struct routed *out;

    /* set by route_person() and route_person_and_chat() */
    int64_t user; /* 0: a stranger */
    const struct lang *lang;
    struct channel_chat chat; /* of a known person; its id is 0 until then */

    bool orders;       /* a turn was ordered: `stream` is to be woken after the commit */
    bool plans;        /* jobs were added: the helper is to be woken after the commit */
    const char *stops; /* public id of the session whose turns are to be stopped after it; NULL: none */
};

static inline const struct channel_update *route_update(const struct route *c)
{
    return &c->in[0]->u;
}

/* The functions below work in the transaction of their caller. */

/* Finds the person and, for a linked one, the chat at this place; its id is 0 when there is none. */
enum rc route_person(struct db *db, struct route *c, struct err *e);
/* The same, and adds the chat of a linked person if there is none. */
enum rc route_person_and_chat(struct db *db, struct route *c, struct err *e);
/* Ends all updates of the call. */
enum rc route_done(struct db *db, const struct route *c, const char *error, struct err *e);
enum route_sound { ROUTE_SOUND, ROUTE_SILENT };

/* Posts Markdown to the chat. */
enum rc route_post(
    struct db *db, const struct route *c, struct str markdown, enum route_sound sound, struct err *e);
/* The same with a text of the catalogue. */
enum rc route_say(struct db *db, const struct route *c, const char *key, const struct lang_arg *args,
    enum route_sound sound, struct err *e);
/* The sentence of an error for people, in the person's language. */
const char *route_words(const struct route *c, const struct err *why);
/* Sets the action that is sent at once, without the outbox. */
void route_act(struct route *c, enum channel_action_kind kind, const char *text);

/* The ids of the messages' pictures, with blanks between them; NULL: none. */
const char *route_pictures(const struct route *c);
/* The text of the messages' documents, as paragraphs; empty: none. */
struct str route_documents(const struct route *c);
/* Why one of the messages' files is not there, as said_words() reads it; NULL: all are. */
const char *route_files_problem(const struct route *c);
/* Adds the text as a quotation in Markdown. */
void route_quote(struct strbuf *b, struct str text);
/* Posts the words of recordings, so that the person sees what was understood. */
enum rc route_say_voices(struct db *db, const struct route *c, struct err *e);
/* Counts the recordings that were written down. */
enum rc route_count_voices(struct db *db, const struct route *c, struct err *e);
/* Posts a sentence when there are more of a kind than a question can have. */
enum rc route_say_files(struct db *db, const struct route *c, struct err *e);

/* A message, or several, of a known person or of a stranger. */
enum rc route_message(struct db *db, void *call, struct err *e);
/* Handles a message of a stranger. */
enum rc route_stranger(struct db *db, struct route *c, struct err *e);
enum rc route_edit(struct db *db, void *call, struct err *e);
/* These make their own transactions. */
enum rc route_command(struct route *c, struct err *e);
enum rc route_press(struct route *c, struct err *e);

#endif
