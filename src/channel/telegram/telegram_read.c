/*
 * Updates of the Bot API as updates of a channel.
 *
 * An update that cannot be read is no failure: the server would send it again for ever. Offsets of entities
 * are UTF-16 code units.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "channel/telegram/telegram_private.h"

#define NAME_CHARS_MAX 64
#define DATE_MAX       (INT64_C(1) << 40) /* seconds; as milliseconds they still fit */

/* Names of attachments. The first one that a message has is reported: an animation comes with a document, a
 * venue with a location. */
static const char *const ATTACHMENTS[] = {"animation", "photo", "voice", "audio", "video_note", "video",
    "document", "sticker", "venue", "location", "contact", "poll", "dice", "story", "paid_media", "game",
    "checklist", "invoice", "giveaway"};

/* Messages about an event, which no person wrote. Alfred ignores them. A message that has none of these
 * members and nothing that Alfred can read may be of a new kind: its sender gets an answer about it. */
static const char *const SERVICE[] = {"new_chat_members", "left_chat_member", "chat_owner_left",
    "chat_owner_changed", "new_chat_title", "new_chat_photo", "delete_chat_photo", "group_chat_created",
    "supergroup_chat_created", "channel_chat_created", "message_auto_delete_timer_changed", "pinned_message",
    "successful_payment", "refunded_payment", "users_shared", "chat_shared", "gift", "unique_gift",
    "gift_upgrade_sent", "connected_website", "write_access_allowed", "passport_data",
    "proximity_alert_triggered", "boost_added", "chat_background_set", "checklist_tasks_done",
    "checklist_tasks_added", "community_chat_added", "community_chat_joined", "community_chat_removed",
    "direct_message_price_changed", "forum_topic_created", "forum_topic_edited", "forum_topic_closed",
    "forum_topic_reopened", "general_forum_topic_hidden", "general_forum_topic_unhidden", "giveaway_created",
    "giveaway_completed", "managed_bot_created", "paid_message_price_changed", "poll_option_added",
    "poll_option_deleted", "suggested_post_approved", "suggested_post_approval_failed",
    "suggested_post_declined", "suggested_post_paid", "suggested_post_refunded", "video_chat_scheduled",
    "video_chat_started", "video_chat_ended", "video_chat_participants_invited", "web_app_data"};

struct reading {
    struct telegram *bot;
    struct arena *a;
    struct channel_update *out;
};

/* ---- fields ---- */

static bool get_id(struct arena *a, const json_t *obj, const char *key, const char **out)
{
    int64_t id;
    if (!json_get_int(obj, key, &id))
        return false;
    *out = arena_printf(a, "%lld", (long long)id);
    return true;
}

/* A name on one line that does not change the direction of the text around it. */
static const char *clean_name(struct arena *a, struct str text)
{
    char *name = arena_strndup(a, text.s, text.len);
    size_t n = utf8_cut_chars(str_of(name), NAME_CHARS_MAX);
    name[n] = 0;
    utf8_drop_directional(name, n);
    for (char *p = name; *p; p++)
        if ((unsigned char)*p < ' ')
            *p = ' ';
    return name;
}

static const char *display_name(struct arena *a, const json_t *person)
{
    struct str first = STR(""), last = STR("");
    json_get_str(person, "first_name", &first);
    json_get_str(person, "last_name", &last);
    return clean_name(a, str_of(arena_printf(a, "%.*s%s%.*s", STR_FMT(first),
                             first.len && last.len ? " " : "", STR_FMT(last))));
}

/* False: no person, or a bot. */
static bool read_sender(struct reading *r, const json_t *from)
{
    if (json_is_true(json_object_get(from, "is_bot")) || !get_id(r->a, from, "id", &r->out->sender))
        return false;
    r->out->sender_name = display_name(r->a, from);
    struct str language;
    if (json_get_str(from, "language_code", &language))
        r->out->language = arena_strndup(r->a, language.s, language.len);
    return true;
}

/* True for a person who writes as the group ("Remain anonymous") or as a channel. The message is from a bot
 * of Telegram (GroupAnonymousBot, Channel_Bot) then; messages of other bots have no sender_chat. */
static bool is_unnamed(const struct reading *r, const json_t *message)
{
    return r->out->group && json_is_true(json_object_get(json_object_get(message, "from"), "is_bot")) &&
           json_object_get(message, "sender_chat");
}

/* False: no chat in which people write to us. */
static bool read_chat(struct reading *r, const json_t *chat)
{
    struct str type;
    if (!json_get_str(chat, "type", &type) || !get_id(r->a, chat, "id", &r->out->place.chat))
        return false;
    r->out->group = str_is(type, "group") || str_is(type, "supergroup");
    return r->out->group || str_is(type, "private");
}

/* A reply in a group without topics has a message_thread_id, too, but is in no topic. Messages of a forum
 * outside of all topics are in General. */
static void read_thread(struct reading *r, const json_t *message)
{
    const json_t *chat = json_object_get(message, "chat");
    int64_t id;
    if (json_is_true(json_object_get(message, "is_topic_message")) &&
        json_get_int(message, "message_thread_id", &id))
        r->out->place.thread = arena_printf(r->a, "%lld", (long long)id);
    else if (r->out->group && json_is_true(json_object_get(chat, "is_forum")))
        r->out->place.thread = TELEGRAM_GENERAL;
}

/* ---- mentions ---- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t word_len(struct str s)
{
    size_t n = 0;
    while (n < s.len && is_word(s.s[n]))
        n++;
    return n;
}

static struct str trim_start(struct str s)
{
    while (s.len && isspace((unsigned char)s.s[0]))
        s = str_from(s, 1);
    return s;
}

/* "/word", "/word@name" and what follows. A path such as "/usr/bin" is no command. False: none.
 * `*name` is empty without "@name". */
static bool split_command(struct str text, struct str *word, struct str *name, struct str *rest)
{
    if (!text.len || text.s[0] != '/')
        return false;
    *word = (struct str){text.s, 1 + word_len(str_from(text, 1))};
    *rest = str_from(text, word->len);
    *name = (struct str){rest->s, 0};
    if (rest->len && rest->s[0] == '@') {
        *name = (struct str){rest->s + 1, word_len(str_from(*rest, 1))};
        *rest = str_from(*rest, 1 + name->len);
    }
    return word->len > 1 && (!rest->len || isspace((unsigned char)rest->s[0]));
}

/* The byte offset of a number of UTF-16 units; SIZE_MAX: beyond the text, or inside of a character. */
static size_t byte_of_unit(struct str text, int64_t units)
{
    struct str rest = text;
    while (units > 0 && rest.len)
        units -= utf8_next(&rest, NULL) >= 0x10000 ? 2 : 1;
    return units == 0 ? text.len - rest.len : SIZE_MAX;
}

/* An entity's part of the text. False: outside of it. */
static bool entity_range(struct str text, const json_t *entity, size_t *at, size_t *end)
{
    int64_t offset, length;
    if (!json_get_int(entity, "offset", &offset) || !json_get_int(entity, "length", &length) || offset < 0 ||
        length < 1 || offset > (int64_t)text.len || length > (int64_t)text.len)
        return false;
    *at = byte_of_unit(text, offset);
    *end = byte_of_unit(text, offset + length);
    return *at != SIZE_MAX && *end != SIZE_MAX;
}

static bool mentions_us(struct telegram *bot, struct str text, const json_t *entity, size_t *at, size_t *end)
{
    struct str type;
    int64_t id;
    if (!json_get_str(entity, "type", &type) || !entity_range(text, entity, at, end))
        return false;
    if (str_is(type, "text_mention"))
        return json_get_int(json_object_get(entity, "user"), "id", &id) && id == bot->bot_id;
    return str_is(type, "mention") && text.s[*at] == '@' &&
           telegram_is_named(bot, (struct str){text.s + *at + 1, *end - *at - 1});
}

/* True when the text mentions the bot. Removes a mention at its start from `*text`. */
static bool take_mentions(struct telegram *bot, struct str *text, const json_t *entities)
{
    const struct str whole = *text;
    bool found = false;
    size_t i, at, end;
    const json_t *entity;
    json_array_foreach(entities, i, entity)
    {
        if (!mentions_us(bot, whole, entity, &at, &end))
            continue;
        found = true;
        if (at > 0 || text->len < whole.len)
            continue;
        *text = str_from(whole, end);
        while (text->len && strchr(",:", text->s[0]))
            *text = str_from(*text, 1);
        *text = trim_start(*text);
    }
    return found;
}

static bool is_reply_to_us(const struct telegram *bot, const json_t *replied)
{
    int64_t id;
    return json_get_int(json_object_get(replied, "from"), "id", &id) && id == bot->bot_id &&
           !json_object_get(replied, "forum_topic_created"); /* what every message of a topic replies to */
}

/* ---- messages ---- */

/* Text or caption. False: none. */
static bool message_text(const json_t *message, struct str *text, const json_t **entities)
{
    if (json_get_str(message, "text", text)) {
        *entities = json_object_get(message, "entities");
        return true;
    }
    *entities = json_object_get(message, "caption_entities");
    return json_get_str(message, "caption", text);
}

/* The first of the names that the message has; NULL: none. */
static const char *first_of(const json_t *message, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (json_object_get(message, names[i]))
            return names[i];
    return NULL;
}

/* The part of the message that Alfred cannot read; NULL: none. */
static const char *left_out(
    const json_t *message, const char *attachment, const struct telegram_rich *rich, bool has_text)
{
    const char *name = attachment ? attachment : rich->left_out;
    if (!name && !has_text && !first_of(message, SERVICE, ARRAY_LEN(SERVICE)))
        name = "other";
    return name;
}

/* A command stays as it was typed: its words may be a code or an address. */
static void read_text(
    struct reading *r, struct str whole, const json_t *entities, bool mentioned, const json_t *replied)
{
    struct channel_update *u = r->out;
    struct str text = whole, word, name, rest;
    bool typed = !u->forwarded; /* a command in forwarded text is somebody else's */
    mentioned |= take_mentions(r->bot, &text, entities);
    bool for_us = !u->group || mentioned || is_reply_to_us(r->bot, replied);
    if (typed && split_command(text, &word, &name, &rest)) {
        u->is_command = !name.len || telegram_may_be_named(r->bot, name);
        for_us = u->is_command;
        u->named = u->is_command && (name.len || mentioned);
        if (u->is_command && name.len)
            text = str_of(arena_printf(r->a, "%.*s%.*s", STR_FMT(word), STR_FMT(rest)));
    } else if (typed && str_is(str_trim(text), "/")) {
        u->is_command = u->named = for_us; /* it lists the commands */
    }
    u->addressed = for_us;
    u->units = (int64_t)utf8_utf16_len(text);
    u->text =
        u->is_command ? arena_str(r->a, text) : telegram_written(r->a, whole, whole.len - text.len, entities);
}

static void read_replied(struct reading *r, const json_t *message, const json_t *replied)
{
    struct str text;
    const json_t *quote = json_object_get(message, "quote"), *entities = json_object_get(quote, "entities");
    struct telegram_rich rich;
    telegram_read_rich(r->bot, r->a, replied, &rich);
    if (json_get_str(quote, "text", &text) || message_text(replied, &text, &entities))
        r->out->replied_to = telegram_written(r->a, text, 0, entities);
    else if (rich.text.len)
        r->out->replied_to = rich.text;
}

/* A text that replies to a file is a question about it. A file of ours has an answer of the session. A
 * recording is written down once, as its own message, so a reply has its id only. */
static void read_replied_file(struct reading *r, const json_t *message, const json_t *replied)
{
    struct channel_update *u = r->out;
    bool own = u->file.id != NULL;
    if (!replied)
        replied = json_object_get(message, "external_reply"); /* of another chat */
    if (!u->file.id && !u->left_out && !is_reply_to_us(r->bot, replied))
        u->file = telegram_file(r->a, replied, first_of(replied, ATTACHMENTS, ARRAY_LEN(ATTACHMENTS)));
    if (u->file.kind == CHANNEL_VOICE && !own) {
        u->file = (struct channel_file){0};
        (void)get_id(r->a, json_object_get(message, "reply_to_message"), "message_id", &u->replied_voice);
    }
}

/* The author of a forwarded message (MessageOrigin): a person, one who is hidden, a group or a channel. */
static void read_origin(struct reading *r, const json_t *origin)
{
    const json_t *chat = json_object_get(origin, "sender_chat");
    struct str name;
    r->out->forwarded = origin != NULL;
    if (!chat)
        chat = json_object_get(origin, "chat");
    if (json_get_str(origin, "sender_user_name", &name) || json_get_str(chat, "title", &name))
        r->out->author = clean_name(r->a, name);
    else
        r->out->author = display_name(r->a, json_object_get(origin, "sender_user"));
}

static void read_moved(struct reading *r, const char *from, const char *to)
{
    r->out->kind = UPDATE_MOVED;
    r->out->place.chat = from;
    r->out->moved_to = to;
}

static bool read_message(struct reading *r, const json_t *message, enum channel_update_kind kind)
{
    struct channel_update *u = r->out;
    const char *other, *attachment = first_of(message, ATTACHMENTS, ARRAY_LEN(ATTACHMENTS));
    const json_t *entities = NULL, *replied = json_object_get(message, "reply_to_message");
    struct str text = STR("");
    struct telegram_rich rich;
    int64_t sent_s;
    if (!read_chat(r, json_object_get(message, "chat")) || !get_id(r->a, message, "message_id", &u->message))
        return false;
    if (get_id(r->a, message, "migrate_to_chat_id", &other)) {
        read_moved(r, u->place.chat, other);
        return true;
    }
    if (get_id(r->a, message, "migrate_from_chat_id", &other)) {
        read_moved(r, other, u->place.chat);
        return true;
    }
    u->unnamed = is_unnamed(r, message);
    if (!u->unnamed && !read_sender(r, json_object_get(message, "from")))
        return false;
    read_origin(r, json_object_get(message, "forward_origin"));
    telegram_read_rich(r->bot, r->a, message, &rich);
    bool is_plain = message_text(message, &text, &entities);
    if (!is_plain)
        text = rich.text;
    u->file = telegram_file(r->a, message, attachment);
    u->in_album = json_object_get(message, "media_group_id") != NULL;
    u->left_out = u->file.id ? NULL : left_out(message, attachment, &rich, is_plain || text.len);
    if (!is_plain && !text.len && !u->file.id && !u->left_out) /* somebody joined, a title changed, ... */
        return false;
    if (json_get_int(message, "date", &sent_s) && sent_s > 0 && sent_s < DATE_MAX)
        u->sent_at = sent_s * MS_PER_S;
    read_thread(r, message);
    read_text(r, text, entities, rich.mentions_us, replied);
    if (u->unnamed && (!u->addressed || kind != UPDATE_MESSAGE))
        return false;
    if (!is_plain) /* the apps cut no rich message and no caption */
        u->units = 1;
    read_replied(r, message, replied);
    read_replied_file(r, message, replied);
    u->kind = kind;
    return true;
}

/* ---- other updates ---- */

static bool read_press(struct reading *r, const json_t *query)
{
    struct channel_update *u = r->out;
    const json_t *message = json_object_get(query, "message");
    struct str id, data;
    if (!read_sender(r, json_object_get(query, "from")) || !read_chat(r, json_object_get(message, "chat")) ||
        !get_id(r->a, message, "message_id", &u->message) || !json_get_str(query, "id", &id) || !id.len ||
        id.len >= CHANNEL_ID_SIZE || !json_get_str(query, "data", &data))
        return false;
    read_thread(r, message);
    u->press = arena_strndup(r->a, id.s, id.len);
    u->data = data.len <= CHANNEL_TOKEN_MAX ? arena_strndup(r->a, data.s, data.len) : "";
    u->addressed = true;
    u->kind = UPDATE_PRESSED;
    return true;
}

/* Only private chats have drafts, and a private chat has the id of its person. */
static bool read_stop(struct reading *r, const json_t *stopped)
{
    struct channel_update *u = r->out;
    int64_t thread;
    if (!read_chat(r, json_object_get(stopped, "chat")) || u->group ||
        !json_get_int(stopped, "draft_id", &u->draft))
        return false;
    if (json_get_int(stopped, "message_thread_id", &thread))
        u->place.thread = arena_printf(r->a, "%lld", (long long)thread);
    u->sender = u->place.chat;
    u->kind = UPDATE_STOPPED;
    return true;
}

/* True when a member with this status can write. */
static bool is_member(const json_t *member, struct str status)
{
    if (str_is(status, "restricted"))
        return json_is_true(json_object_get(member, "is_member")) &&
               json_is_true(json_object_get(member, "can_send_messages"));
    return str_is(status, "member") || str_is(status, "administrator") || str_is(status, "creator");
}

static bool read_membership(struct reading *r, const json_t *change)
{
    const json_t *member = json_object_get(change, "new_chat_member");
    struct str status;
    if (!read_chat(r, json_object_get(change, "chat")) || !json_get_str(member, "status", &status))
        return false;
    read_sender(r, json_object_get(change, "from"));
    r->out->kind = is_member(member, status) ? UPDATE_ADMITTED : UPDATE_BLOCKED;
    return true;
}

static struct channel_update empty_update(void)
{
    return (struct channel_update){.place = {.chat = "", .thread = ""},
        .message = "",
        .sender = "",
        .sender_name = "",
        .text = STR(""),
        .author = "",
        .press = "",
        .data = "",
        .moved_to = ""};
}

bool telegram_read(void *self, struct arena *a, struct str body, struct channel_update *out)
{
    struct telegram *t = self;
    AUTO(json_t) update = NULL;
    const json_t *part;
    struct reading r = {.bot = t, .a = a, .out = out};
    bool ok = false;
    *out = empty_update();
    if (json_parse_within(body, TELEGRAM_UPDATE_MAX, TELEGRAM_UPDATE_SHAPE, &update, NULL) != RC_OK)
        return false;
    if ((part = json_object_get(update, "message")))
        ok = read_message(&r, part, UPDATE_MESSAGE);
    else if ((part = json_object_get(update, "edited_message")))
        ok = read_message(&r, part, UPDATE_EDITED);
    else if ((part = json_object_get(update, "callback_query")))
        ok = read_press(&r, part);
    else if ((part = json_object_get(update, "stopped_message_generation")))
        ok = read_stop(&r, part);
    else if ((part = json_object_get(update, "my_chat_member")))
        ok = read_membership(&r, part);
    if (!ok)
        *out = empty_update();
    return ok;
}

bool telegram_update_id(struct str body, char out[CHANNEL_ID_SIZE])
{
    AUTO(json_t) update = NULL;
    int64_t id;
    if (json_parse_within(body, TELEGRAM_UPDATE_MAX, TELEGRAM_UPDATE_SHAPE, &update, NULL) != RC_OK ||
        !json_get_int(update, "update_id", &id))
        return false;
    snprintf(out, CHANNEL_ID_SIZE, "%lld", (long long)id);
    return true;
}
