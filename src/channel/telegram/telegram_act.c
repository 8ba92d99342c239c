/* Actions as methods of the Bot API. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "channel/telegram/telegram_private.h"

#define ROW_BUTTONS_MAX 3
#define ROW_UNITS_MAX   26 /* characters of the labels in a row that a phone shows */
#define BUTTONS_MAX     100
#define LABEL_CHARS_MAX 64
#define NOTICE_CHARS    200 /* of answerCallbackQuery */

struct telegram_act {
    struct telegram *driver;
    struct telegram_act *next, *prev;
    struct telegram_call *call;
    enum channel_action_kind kind;
    channel_done_fn *done;
    void *arg;
};

static json_t *text_value(struct str s)
{
    return json_stringn(s.len ? s.s : "", s.len);
}

/* False: not an id of Telegram. */
static bool add_id(json_t *params, const char *name, const char *text)
{
    int64_t id;
    if (!text || !str_to_int(str_of(text), INT64_MIN, INT64_MAX, &id))
        return false;
    json_object_set_new(params, name, json_integer(id));
    return true;
}

/* Short labels share a row. */
static json_t *keyboard(const struct channel_action *a)
{
    json_t *rows = json_array(), *row = NULL;
    size_t units = 0;
    for (size_t i = 0; i < a->buttons_n && i < BUTTONS_MAX; i++) {
        struct str label = str_of(a->buttons[i].label);
        label.len = utf8_cut_chars(label, LABEL_CHARS_MAX);
        if (!row || json_array_size(row) == ROW_BUTTONS_MAX ||
            units + utf8_utf16_len(label) > ROW_UNITS_MAX) {
            row = json_array();
            json_array_append_new(rows, row);
            units = 0;
        }
        units += utf8_utf16_len(label);
        json_array_append_new(
            row, json_pack("{s:o, s:s}", "text", text_value(label), "callback_data", a->buttons[i].token));
    }
    return json_pack("{s:o}", "inline_keyboard", rows);
}

static void add_text(json_t *params, const struct channel_action *a)
{
    json_object_set_new(params, "text", text_value(a->as_plain ? a->plain : a->markup));
    if (!a->as_plain)
        json_object_set_new(params, "parse_mode", json_string("HTML"));
}

/* A message to General has no thread; the server refuses it with one. */
static bool add_thread(json_t *params, const struct channel_action *a)
{
    const char *thread = a->place.thread;
    return !thread || !*thread || strcmp(thread, TELEGRAM_GENERAL) == 0 ||
           add_id(params, "message_thread_id", thread);
}

static bool add_message(json_t *params, const struct channel_action *a)
{
    json_object_set_new(params, "link_preview_options", json_pack("{s:b}", "is_disabled", 1));
    if (a->buttons_n)
        json_object_set_new(params, "reply_markup", keyboard(a));
    add_text(params, a);
    return add_id(params, "chat_id", a->place.chat);
}

static bool add_reply(json_t *params, const struct channel_action *a)
{
    if (!a->reply_to || !*a->reply_to)
        return true;
    json_t *reply = json_pack("{s:b}", "allow_sending_without_reply", 1);
    json_object_set_new(params, "reply_parameters", reply);
    return add_id(reply, "message_id", a->reply_to);
}

static const char *file_method(const struct channel_action *a)
{
    return a->is_picture ? "sendPhoto" : "sendDocument";
}

/* The method, or NULL: an id is not one of Telegram's. */
static const char *build(const struct channel_action *a, json_t *params)
{
    switch (a->kind) {
    case ACTION_SEND:
        if (a->silent)
            json_object_set_new(params, "disable_notification", json_true());
        return add_message(params, a) && add_thread(params, a) && add_reply(params, a) ? "sendMessage" : NULL;
    case ACTION_EDIT:
        return add_message(params, a) && add_id(params, "message_id", a->message) ? "editMessageText" : NULL;
    case ACTION_FILE:
        if (a->silent)
            json_object_set_new(params, "disable_notification", json_true());
        return add_id(params, "chat_id", a->place.chat) && add_thread(params, a) ? file_method(a) : NULL;
    case ACTION_DRAFT: /* servers that do not know the Stop button ignore it */
        json_object_set_new(params, "draft_id", json_integer(a->draft));
        json_object_set_new(params, "can_stop", json_true());
        json_object_set_new(params, "keep_on_stop", json_true()); /* until the answer takes its place */
        add_text(params, a);
        return add_id(params, "chat_id", a->place.chat) && add_thread(params, a) ? "sendMessageDraft" : NULL;
    case ACTION_TYPING: { /* General, too, has its thread here */
        const char *thread = a->place.thread && *a->place.thread ? a->place.thread : NULL;
        json_object_set_new(params, "action", json_string("typing"));
        return add_id(params, "chat_id", a->place.chat) &&
                       (!thread || add_id(params, "message_thread_id", thread))
                   ? "sendChatAction"
                   : NULL;
    }
    case ACTION_ANSWER: {
        struct str notice = a->plain.len ? a->plain : a->markup;
        notice.len = utf8_cut_chars(notice, NOTICE_CHARS);
        json_object_set_new(params, "callback_query_id", json_string(a->message));
        if (notice.len)
            json_object_set_new(params, "text", text_value(notice));
        return "answerCallbackQuery";
    }
    case ACTION_CHECK: return "getMe";
    }
    return NULL;
}

static void unlink_act(struct telegram_act *act)
{
    if (act->prev)
        act->prev->next = act->next;
    else
        act->driver->acts = act->next;
    if (act->next)
        act->next->prev = act->prev;
}

static void on_called(void *arg, enum rc rc, const struct telegram_answer *a, const struct err *e)
{
    struct telegram_act *act = arg;
    struct channel_result r;
    telegram_outcome(act->kind, rc, a, e, &r);
    channel_done_fn *done = act->done;
    void *done_arg = act->arg;
    unlink_act(act);
    free(act);
    done(done_arg, &r);
}

void telegram_act(void *self, const struct channel_action *a, channel_done_fn *done, void *arg)
{
    struct telegram *t = self;
    AUTO(json_t) params = json_object();
    struct err e = ERR_INIT;
    struct telegram_act *act = xcalloc(1, sizeof *act);
    *act = (struct telegram_act){.driver = t, .next = t->acts, .kind = a->kind, .done = done, .arg = arg};
    const struct telegram_api api = {t->api_url, t->token, t->proxy};
    const char *method = build(a, params);
    const struct telegram_file file = {a->is_picture ? "photo" : "document", a->file_name, a->file};
    const struct telegram_request r = {.method = method,
        .params = params,
        .file = a->kind == ACTION_FILE ? &file : NULL,
        .called = on_called,
        .arg = act};
    enum rc rc = method ? telegram_call_start(t->http, &api, &r, &act->call, &e)
                        : err_set(&e, RC_BAD_INPUT, "an id that is not one of Telegram's");
    if (rc != RC_OK) {
        struct channel_result result;
        telegram_outcome(a->kind, rc, NULL, &e, &result);
        free(act);
        done(arg, &result);
        return;
    }
    if (t->acts)
        t->acts->prev = act;
    t->acts = act;
}

void telegram_acts_cancel(struct telegram *t)
{
    for (struct telegram_act *act = t->acts, *next; act; act = next) {
        next = act->next;
        telegram_call_cancel(act->call);
        free(act);
    }
    t->acts = NULL;
}
