/* A delivery with a channel that the test plays, and clocks that the test moves. */
#ifndef ALFRED_TESTS_APP_CHANNEL_DELIVERY_RIG_H
#define ALFRED_TESTS_APP_CHANNEL_DELIVERY_RIG_H

#include "../../store/rig.h"

#include "app/command/command.h"
#include "app/delivery/delivery_private.h"
#include "app/delivery/outbox.h"
#include "store/channel/chat.h"

#define PASSES_MAX 10000

static int64_t fake_wall, fake_mono;

static int64_t wall(void)
{
    return fake_wall;
}

static int64_t mono(void)
{
    return fake_mono;
}

/* The channel: writes down what it is asked to do, and answers by plan. */
struct fake {
    struct strbuf log; /* "send 7 hello|", "edit 7#m1 ..." */
    struct {
        const char *chat; /* NULL: any */
        struct channel_result result;
    } plan[16];
    size_t plan_n, plan_at;
    bool fails; /* no connection */
    bool holds; /* actions stay without an answer */
    bool times; /* the log has the times of late messages, too */
    channel_done_fn *done;
    void *arg;
    int sent;
};

static struct channel_result fake_answer(struct fake *k, const struct channel_action *a)
{
    struct channel_result r = {.outcome = k->fails ? OUTCOME_FAILED : OUTCOME_DONE};
    if (k->plan_at < k->plan_n && a->kind != ACTION_TYPING &&
        (!k->plan[k->plan_at].chat || strcmp(k->plan[k->plan_at].chat, a->place.chat) == 0))
        return k->plan[k->plan_at++].result;
    if (a->kind == ACTION_SEND)
        snprintf(r.message, sizeof r.message, "m%d", ++k->sent);
    return r;
}

static void fake_act(void *self, const struct channel_action *a, channel_done_fn *done, void *arg)
{
    static const char *const kinds[] = {"send", "edit", "draft", "typing", "file", "answer", "check"};
    struct fake *k = self;
    struct str text = a->as_plain ? a->plain : a->markup;
    const char *end = str_starts(text, STR("*Delayed")) ? strstr(text.s, "\n\n") : NULL;
    if (end && !k->times)
        text = str_of(end + 2);
    strbuf_addf(&k->log, "%s %s", kinds[a->kind], a->place.chat);
    if (*a->place.thread)
        strbuf_addf(&k->log, "/%s", a->place.thread);
    if (a->message)
        strbuf_addf(&k->log, "#%s", a->message);
    if (text.len)
        strbuf_addf(&k->log, " %.*s", STR_FMT(text));
    if (a->file_name)
        strbuf_addf(&k->log, " %s (%.*s)", a->file_name, STR_FMT(a->file));
    for (size_t i = 0; i < a->buttons_n; i++)
        strbuf_addf(&k->log, " [%s]", a->buttons[i].label);
    strbuf_adds(&k->log, "|");
    if (k->holds) {
        k->done = done;
        k->arg = arg;
        return;
    }
    struct channel_result r = fake_answer(k, a);
    done(arg, &r);
}

/* A part ends at every "~"; at most 16. */
static void fake_render(struct arena *a, struct str markdown, struct channel_piece **out, size_t *n)
{
    struct str rest = str_trim(markdown);
    *n = 0;
    *out = ARENA_ARRAY(a, struct channel_piece, 16);
    while (rest.len) {
        struct str part = str_cut(&rest, '~');
        const char *markup = arena_printf(a, "%.*s", STR_FMT(part));
        const char *plain = arena_printf(a, "plain %.*s", STR_FMT(part));
        (*out)[(*n)++] = (struct channel_piece){str_of(markup), str_of(plain)};
    }
}

struct rig {
    struct store *store;
    struct db *db; /* for the test's own statements */
    struct delivery d;
    struct config config;
    struct fake fake;
    char data[128];
};

static void rig_deliver(struct rig *r)
{
    struct channel_driver driver = {.name = "telegram",
        .label = "Telegram",
        .self = &r->fake,
        .act = fake_act,
        .render = fake_render,
        .piece_chars = 4000,
        .chat_gap_ms = 1000,
        .group_gap_ms = 3000,
        .all_gap_ms = 30,
        .edit_gap_ms = 1000,
        .typing_ms = 5000};
    r->d = (struct delivery){.store = r->store, .config = &r->config, .clock = {wall, mono}};
    struct err e = ERR_INIT;
    if (delivery_open(&r->d, &driver, 1, &e) != RC_OK)
        fail_msg("%s", e.text);
}

static void rig_begin(struct rig *r)
{
    char path[128];
    int64_t id;
    memset(r, 0, sizeof *r);
    fake_wall = NOW;
    fake_mono = 1000;
    strbuf_init(&r->fake.log, 65536);
    assert_ok(store_open(unit_migrated(rig_path(path)), 2, &r->store, NULL));
    assert_ok(db_open(path, DB_READ_WRITE, &r->db, NULL));
    assert_ok(store_user_add(r->db, "ann", USER_ADMIN, "hash-a", NOW, &id, NULL));
    snprintf(r->data, sizeof r->data, "%.100s.data", path);
    r->config.server.data_dir = r->data;
    r->config.server.public_url = "";
    rig_deliver(r);
}

static void rig_end(struct rig *r)
{
    delivery_close(&r->d);
    db_close(r->db);
    store_free(r->store);
    strbuf_release(&r->fake.log);
}

/* The helper ends without a word and starts again. */
__attribute__((unused)) static void rig_restart(struct rig *r)
{
    delivery_close(&r->d);
    r->fake.done = NULL;
    rig_deliver(r);
}

static int64_t rig_chat(struct rig *r, const char *chat, bool grouped)
{
    int64_t id;
    struct channel_chat c = {
        .channel = "telegram", .chat = chat, .thread = "", .grouped = grouped, .owner = 1, .sender = chat};
    assert_ok(store_channel_chat_add(r->db, &c, NOW, &id, NULL));
    return id;
}

__attribute__((unused)) static void rig_post(struct rig *r, int64_t chat, const char *text)
{
    struct outbox_post p = {.chat_id = chat, .markdown = str_of(text)};
    assert_ok(outbox_post(r->db, &p, fake_wall, NULL));
    r->d.stale = true;
}

__attribute__((unused)) static void rig_plan(struct rig *r, const char *chat, struct channel_result result)
{
    r->fake.plan[r->fake.plan_n].chat = chat;
    r->fake.plan[r->fake.plan_n++].result = result;
}

/* Runs for a time. Returns what the channel was asked to do meanwhile. */
static const char *rig_run(struct rig *r, int64_t ms)
{
    int64_t end = fake_mono + ms;
    int passes = 0;
    strbuf_clear(&r->fake.log);
    strbuf_adds(&r->fake.log, "");
    for (;;) {
        int64_t wait = delivery_pass(&r->d);
        assert_true(passes++ < PASSES_MAX);
        if (fake_mono + wait > end)
            break;
        fake_mono += wait;
        fake_wall += wait;
    }
    fake_wall += end - fake_mono;
    fake_mono = end;
    return r->fake.log.len ? r->fake.log.s : "";
}

__attribute__((unused)) static const char *rig_state(struct rig *r, int64_t id)
{
    static char out[32];
    struct rows q;
    enum rc rc = db_query(r->db, &q, "SELECT state FROM outbox WHERE id = ?", ARGS(v_int(id)), NULL);
    snprintf(out, sizeof out, "%s", rc == RC_OK && rows_next(&q) ? rows_text(&q, 0) : "none");
    assert_ok(rows_done(&q, rc, NULL));
    return out;
}

#endif
