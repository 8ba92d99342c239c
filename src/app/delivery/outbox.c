#include "app/delivery/outbox.h"

#include "app/command/command.h"
#include "app/delivery/outbox_private.h"
#include "codec/json/json.h"
#include "codec/view.h"
#include "store/channel/button.h"
#include "store/channel/chat.h"
#include "store/channel/outbox.h"

static enum rc new_buttons(
    struct db *db, struct arena *a, const struct outbox_post *p, int64_t now, const char **out, struct err *e)
{
    size_t n = p->buttons_n < OUTBOX_BUTTONS_MAX ? p->buttons_n : OUTBOX_BUTTONS_MAX;
    enum rc rc = RC_OK;
    *out = NULL;
    if (n == 0)
        return RC_OK;
    struct strbuf json;
    strbuf_init(&json, OUTBOX_BUTTONS_JSON_MAX);
    struct view *root = view_new(a), *list = view_list(root, "buttons");
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        struct button_row b = {.chat_id = p->chat_id,
            .line = p->buttons[i].line,
            .sender = p->for_sender,
            .expires_at = now + BUTTON_LIVES_MS};
        rc = store_button_add(db, a, &b, e);
        struct view *pair = view_item_list(list);
        view_item_text(pair, p->buttons[i].label);
        view_item_text(pair, b.token);
    }
    view_json_short(view_get(root, STR("buttons")), &json);
    if (rc == RC_OK && json.failed)
        rc = err_set(e, RC_TOO_BIG, "the labels of a message's buttons are too long");
    *out = arena_strdup(a, strbuf_str(&json).s);
    strbuf_release(&json);
    return rc;
}

void outbox_buttons_read(struct arena *a, const char *json, struct channel_button **out, size_t *n)
{
    json_error_t why;
    AUTO(json_t) list = json ? json_loads(json, 0, &why) : NULL;
    size_t size = json_array_size(list);
    *out = size ? ARENA_ARRAY(a, struct channel_button, size) : NULL;
    *n = size;
    for (size_t i = 0; i < size; i++) {
        const json_t *pair = json_array_get(list, i);
        (*out)[i] = (struct channel_button){arena_strdup(a, json_string_value(json_array_get(pair, 0))),
            arena_strdup(a, json_string_value(json_array_get(pair, 1)))};
    }
}

static enum rc post_file(
    struct db *db, const struct outbox_post *p, int64_t turn_id, int64_t now, struct err *e)
{
    struct outbox_row r = {.chat_id = p->chat_id,
        .turn_id = turn_id,
        .markdown = STR(""),
        .file_name = p->file_name,
        .file = p->file,
        .silent = true,
        .created_at = now};
    return store_outbox_add(db, &r, e);
}

enum rc outbox_post_full(struct db *db, const struct outbox_post *p, int64_t turn_id, const char *edits,
    int64_t now, struct err *e)
{
    AUTO(arena) a = arena_new();
    if (str_trim(p->markdown).len == 0)
        return p->file_name ? post_file(db, p, turn_id, now, e) : RC_OK;
    struct outbox_row r = {.chat_id = p->chat_id,
        .turn_id = turn_id,
        .markdown = p->markdown,
        .edits = edits,
        .reply_to = p->reply_to,
        .silent = p->silent,
        .created_at = now};
    enum rc rc = new_buttons(db, a, p, now, &r.buttons, e);
    if (rc == RC_OK)
        rc = store_outbox_add(db, &r, e);
    return rc == RC_OK && p->file_name ? post_file(db, p, turn_id, now, e) : rc;
}

enum rc outbox_post(struct db *db, const struct outbox_post *p, int64_t now, struct err *e)
{
    return outbox_post_full(db, p, 0, NULL, now, e);
}

enum rc outbox_post_user(
    struct db *db, int64_t owner, const struct outbox_post *p, int64_t now, bool *any, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct channel_chat *chats;
    size_t n;
    enum rc rc = store_channel_chats_private(db, a, owner, &chats, &n, e);
    *any = n > 0;
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        struct outbox_post one = *p;
        one.chat_id = chats[i].id;
        rc = outbox_post(db, &one, now, e);
    }
    return rc;
}
