#include "web/stream/turn_events.h"

#include <string.h>

#include "app/tools/tools.h"
#include "base/clock.h"
#include "codec/sse.h"
#include "store/account/user.h"
#include "web/chat/message_resource.h"
#include "web/chat/questions.h"
#include "web/chat/transcript.h"
#include "web/http/resource.h"
#include "web/session/session_resource.h"

#define STEP_MESSAGES_MAX 64
#define SPACE             8192 /* bytes; a message of common length fits, so that its buffers need not grow */

/* In the server's zone when the user's cannot be read. */
static const struct time_zone *zone_of(const struct event_frame *f, struct db *db, struct arena *a)
{
    const char *name = NULL;
    if (f->zone)
        return f->zone;
    return store_user_time_zone(db, a, f->owner, &name, NULL) == RC_OK ? time_zone_load(a, name) : NULL;
}

static struct message_frame message_frame(const struct event_frame *f, const struct time_zone *zone,
    struct arena *a, const char *session, const char *turn)
{
    return (struct message_frame){.arena = a,
        .locale = {f->lang, zone, clock_wall_ms()},
        .session = session,
        .csrf = f->csrf,
        .turn = turn,
        .providers = f->web->providers,
        .html = f->web->html};
}

static enum rc put_article(const struct event_frame *f, const struct message_frame *mf, struct view *v,
    const char *key, const struct message *m, struct err *e)
{
    char space[SPACE];
    AUTO_STRBUF html;
    strbuf_init_at(&html, EVENT_MAX, space, sizeof space);
    enum rc rc = message_html(f->web, mf, m, &html, e);
    if (rc == RC_OK)
        view_html(v, key, (struct markup){strbuf_str(&html)});
    return rc;
}

static enum rc finish(
    const char *event, const char *id, const struct view *v, struct strbuf *out, struct err *e)
{
    char space[SPACE];
    AUTO_STRBUF json;
    strbuf_init_at(&json, EVENT_MAX, space, sizeof space);
    view_json_short(v, &json);
    sse_write(out, event, id, strbuf_str(&json));
    return json.failed || out->failed ? err_set(e, RC_TOO_BIG, "event %s over %zu bytes", event, EVENT_MAX)
                                      : RC_OK;
}

void event_texts_init(struct strbuf text[EVENT_FORMS])
{
    for (size_t i = 0; i < EVENT_FORMS; i++)
        strbuf_init(&text[i], EVENT_MAX);
}

void event_texts_release(struct strbuf text[EVENT_FORMS])
{
    for (size_t i = 0; i < EVENT_FORMS; i++)
        strbuf_release(&text[i]);
}

static void put_ids(struct arena *a, struct view *v, const struct turn_started *ids)
{
    view_text(v, "turn", ids->turn);
    view_text(v, "session", ids->session);
    view_id(a, v, "asked", ids->asked_id);
    view_id(a, v, "reply", ids->reply_id);
}

/* "compared" of a turn whose answer is in the open comparison: both columns, and the turns that run. */
static enum rc put_compared(const struct event_frame *f, const struct message_frame *mf,
    const struct comparison_columns *c, struct view *v, struct err *e)
{
    AUTO_STRBUF html;
    strbuf_init(&html, EVENT_MAX);
    enum rc rc = comparison_html(f->web, mf, c, &html, e);
    if (rc != RC_OK)
        return rc;
    struct view *compared = view_obj(v, "compared"), *turns = view_list(compared, "turns");
    view_html(compared, "html", (struct markup){strbuf_str(&html)});
    for (size_t i = 0; i < c->running_n; i++)
        view_text(view_item(turns), "turn", c->running[i]);
    return RC_OK;
}

static enum rc read_compared(const struct event_frame *f, struct db *db, struct arena *a,
    const struct turn_started *ids, int64_t now, struct comparison_columns *out, struct err *e)
{
    enum rc rc = comparison_read(db, a, f->owner, ids->session_id, now, out, e);
    if (rc == RC_NOT_FOUND || (rc == RC_OK && out->asked_id != ids->asked_id)) {
        *out = (struct comparison_columns){0};
        rc = RC_OK;
    }
    return rc;
}

enum rc event_turn_read(const struct event_frame *f, struct db *db, struct arena *a,
    const struct turn_started *ids, struct turn_shown *out, struct err *e)
{
    const char *title;
    int64_t now = clock_wall_ms();
    *out = (struct turn_shown){0};
    enum rc rc = store_session_title(db, a, f->owner, ids->session_id, &title, e);
    if (rc == RC_OK)
        rc = message_placed(db, a, f->owner, ids->session_id, ids->reply_id, &out->reply, &out->asked, e);
    if (rc == RC_OK && out->asked.id != ids->asked_id)
        rc = message_placed(db, a, f->owner, ids->session_id, ids->asked_id, &out->asked, NULL, e);
    if (rc == RC_OK)
        rc = annotations_read(db, a, f->owner, ids->session_id, now, &out->reply, 1, &out->annotations, e);
    if (rc == RC_OK)
        rc = read_compared(f, db, a, ids, now, &out->compared, e);
    if (rc == RC_OK)
        out->title = title;
    return rc;
}

/* For EVENTS_PAGE. */
static enum rc view_turn(const struct event_frame *f, struct arena *a, const struct turn_started *ids,
    const struct turn_shown *shown, struct view *v, struct err *e)
{
    struct message_frame mf = message_frame(f, f->zone, a, ids->session, ids->turn);
    mf.annotations = &shown->annotations;
    mf.last_id = shown->reply.id;
    put_ids(a, v, ids);
    view_text(v, "session_url", session_url(a, ids->session));
    view_text(v, "title", shown->title);
    enum rc rc = put_article(f, &mf, v, "asked_html", &shown->asked, e);
    if (rc == RC_OK)
        rc = put_article(f, &mf, v, "reply_html", &shown->reply, e);
    return rc == RC_OK && shown->compared.asked_id ? put_compared(f, &mf, &shown->compared, v, e) : rc;
}

enum rc event_turn(const struct event_frame *f, const struct turn_started *ids, enum event_form form,
    struct turn_shown *shown, struct strbuf *out, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct view *v = view_new(a);
    enum rc rc = RC_OK;
    if (form == EVENTS_DATA) {
        put_ids(a, v, ids);
    } else {
        if (!shown->title) {
            struct db *db = store_read_state(f->web->store);
            rc = event_turn_read(f, db, a, ids, shown, e);
            store_read_done(f->web->store, db);
        }
        if (rc == RC_OK)
            rc = view_turn(f, a, ids, shown, v, e);
    }
    return rc == RC_OK ? finish("turn", NULL, v, out, e) : rc;
}

/* Messages of a step: the calling one, its tools' results, the next answer. */
struct step_messages {
    struct session session;
    struct message *path; /* [n], n >= 2 */
    size_t n;
    struct message_annotations annotations; /* of the first one */
};

static enum rc read_step(const struct event_frame *f, struct db *db, struct arena *a, const char *turn,
    const struct turn_step *s, struct step_messages *out, struct err *e)
{
    struct turn_row row;
    enum rc rc = store_turn_get(db, a, f->owner, turn, &row, e);
    if (rc == RC_OK)
        rc = store_session_by_id(db, a, f->owner, row.session_id, &out->session, e);
    if (rc == RC_OK)
        rc = store_message_path(db, a,
            &(struct path_query){.owner = f->owner,
                .session_id = row.session_id,
                .head = s->reply_id,
                .limit = STEP_MESSAGES_MAX},
            &out->path, &out->n, e);
    if (rc != RC_OK)
        return rc;
    while (out->n && out->path->id != s->called_id) {
        out->path++;
        out->n--;
    }
    if (out->n < 2)
        return err_set(
            e, RC_INTERNAL, "step of %s: message %lld is not on the path", turn, (long long)s->called_id);
    return annotations_read(
        db, a, f->owner, row.session_id, clock_wall_ms(), out->path, 1, &out->annotations, e);
}

static enum rc view_step(const struct event_frame *f, const struct message_frame *mf,
    const struct step_messages *s, struct view *v, struct err *e)
{
    const struct message *reply = &s->path[s->n - 1];
    view_id(mf->arena, v, "m", s->path->id);
    enum rc rc = put_article(f, mf, v, "html", s->path, e);
    struct view *tools = view_list(v, "tool_html");
    for (size_t i = 1; rc == RC_OK && i + 1 < s->n; i++) {
        struct view *tool = view_item(tools);
        view_id(mf->arena, tool, "id", s->path[i].id);
        rc = put_article(f, mf, tool, "html", &s->path[i], e);
    }
    view_id(mf->arena, v, "reply", reply->id);
    return rc == RC_OK ? put_article(f, mf, v, "reply_html", reply, e) : rc;
}

static void step_resource(const struct message_frame *mf, const struct step_messages *s, struct view *v)
{
    message_resource(mf, view_obj(v, "message"), s->path);
    struct view *results = view_list(v, "results");
    for (size_t i = 1; i + 1 < s->n; i++)
        message_resource(mf, view_item(results), &s->path[i]);
    view_id(mf->arena, v, "reply", s->path[s->n - 1].id);
}

enum rc event_step(const struct event_frame *f, const char *turn, const struct turn_step *s,
    struct strbuf out[EVENT_FORMS], struct err *e)
{
    AUTO(arena) a = arena_new();
    struct step_messages messages = {0};
    struct view *page = view_new(a), *data = view_new(a);
    struct db *db = store_read_state(f->web->store);
    enum rc rc = read_step(f, db, a, turn, s, &messages, e);
    const struct time_zone *zone = zone_of(f, db, a);
    store_read_done(f->web->store, db);
    if (rc != RC_OK)
        return rc;
    const char *id = arena_printf(a, "%lld.0", (long long)s->reply_id);
    struct message_frame mf = message_frame(f, zone, a, messages.session.pub, turn);
    mf.last_id = s->reply_id;
    mf.annotations = &messages.annotations;
    step_resource(&mf, &messages, data);
    rc = view_step(f, &mf, &messages, page, e);
    if (rc == RC_OK)
        rc = finish("step", id, page, &out[EVENTS_PAGE], e);
    return rc == RC_OK ? finish("step", id, data, &out[EVENTS_DATA], e) : rc;
}

struct turn_end {
    struct turn_row row;
    struct session session;
    struct message reply;
    struct message_annotations annotations;
    struct str questions_html; /* open questions, as shown above the message box */
};

static enum rc read_questions(
    const struct event_frame *f, struct db *db, struct arena *a, struct turn_end *out, struct err *e)
{
    struct questions_of q = {
        .lang = f->lang, .owner = f->owner, .session_id = out->session.id, .now = clock_wall_ms()};
    AUTO_STRBUF html;
    strbuf_init(&html, EVENT_MAX);
    enum rc rc = questions_html(f->web, db, a, &q, f->csrf, &html, e);
    out->questions_html = arena_str(a, strbuf_str(&html));
    return rc;
}

static enum rc read_end(const struct event_frame *f, struct db *db, struct arena *a, const char *turn,
    struct turn_end *out, struct err *e)
{
    enum rc rc = store_turn_get(db, a, f->owner, turn, &out->row, e);
    if (rc == RC_OK)
        rc = store_session_by_id(db, a, f->owner, out->row.session_id, &out->session, e);
    if (rc == RC_OK)
        rc = message_placed(db, a, f->owner, out->row.session_id, out->row.reply_id, &out->reply, NULL, e);
    if (rc == RC_OK && out->row.status == MESSAGE_RUNNING)
        return err_set(e, RC_CONFLICT, "turn %s has not ended", turn);
    if (rc == RC_OK)
        rc = annotations_read(
            db, a, f->owner, out->row.session_id, clock_wall_ms(), &out->reply, 1, &out->annotations, e);
    return rc == RC_OK ? read_questions(f, db, a, out, e) : rc;
}

static enum rc view_end(const struct event_frame *f, const struct message_frame *mf,
    const struct turn_end *end, struct view *v, struct err *e)
{
    view_text(v, "status", message_status_name(end->row.status));
    view_id(mf->arena, v, "m", end->row.reply_id);
    view_text(v, "error", said_words(mf->arena, mf->locale.lang, end->reply.error));
    view_html(v, "questions_html", (struct markup){end->questions_html});
    session_resource(mf->arena, mf->locale.lang, view_obj(v, "session"), &end->session);
    return put_article(f, mf, v, "html", &end->reply, e);
}

static enum rc end_resource(
    const struct message_frame *mf, const struct turn_end *end, struct strbuf *out, struct err *e)
{
    struct view *used = view_new(mf->arena), *v = view_new(mf->arena);
    usage_resource(used, &end->reply);
    view_text(v, "status", message_status_name(end->row.status));
    message_resource(mf, view_obj(v, "message"), &end->reply);
    session_resource(mf->arena, mf->locale.lang, view_obj(v, "session"), &end->session);
    enum rc rc = finish("usage", NULL, used, out, e);
    return rc == RC_OK ? finish("end", NULL, v, out, e) : rc;
}

enum rc event_end(
    const struct event_frame *f, const char *turn, struct strbuf out[EVENT_FORMS], struct err *e)
{
    AUTO(arena) a = arena_new();
    struct view *v = view_new(a);
    struct turn_end end;
    struct db *db = store_read_state(f->web->store);
    enum rc rc = read_end(f, db, a, turn, &end, e);
    const struct time_zone *zone = zone_of(f, db, a);
    struct user owner = {0};
    if (rc == RC_OK && end.reply.status == MESSAGE_FAILED)
        rc = store_user_by_id(db, a, f->owner, &owner, e);
    store_read_done(f->web->store, db);
    if (rc != RC_OK)
        return rc;
    struct message_frame mf = message_frame(f, zone, a, end.session.pub, turn);
    mf.admin = owner.role == USER_ADMIN;
    mf.annotations = &end.annotations;
    mf.last_id = end.session.head_id;
    rc = end_resource(&mf, &end, &out[EVENTS_DATA], e);
    if (rc == RC_OK)
        rc = view_end(f, &mf, &end, v, e);
    return rc == RC_OK ? finish("end", NULL, v, &out[EVENTS_PAGE], e) : rc;
}

/* ---- states ---- */

void event_unsaved(const struct lang *l, enum event_form form, int64_t reply_id, struct strbuf *out)
{
    AUTO(arena) a = arena_new();
    struct view *v = view_new(a);
    if (form == EVENTS_DATA)
        view_text(v, "status", "unsaved");
    view_id(a, v, form == EVENTS_DATA ? "message" : "m", reply_id);
    view_text(v, "text", lang_text(l, "answer.unsaved"));
    finish(form == EVENTS_DATA ? "status" : "unsaved", NULL, v, out, NULL);
}

void event_think(enum event_form form, struct str text, enum think_extent extent, struct strbuf *out)
{
    AUTO(arena) a = arena_new();
    struct view *v = view_new(a);
    if (form == EVENTS_DATA)
        view_text(v, "status", "thinking");
    view_str(v, "text", text);
    if (extent == THINK_WHOLE)
        view_bool(v, "whole", true);
    finish(form == EVENTS_DATA ? "status" : "think", NULL, v, out, NULL);
}

/* While a server loads its model, the seconds to the next attempt are not shown: it is asked every few
 * seconds. */
static const char *wait_text(
    struct arena *a, const struct lang *l, const struct turn_waiting *w, int64_t left_ms)
{
    int64_t s = (left_ms + MS_PER_S - 1) / MS_PER_S;
    bool busy = w->why == TURN_WAIT_BUSY;
    if (w->why == TURN_WAIT_TOOL)
        return tool_running(a, l, str_of(w->tool));
    if (w->why == TURN_WAIT_ASKS)
        return lang_text(l, "answer.asks");
    if (w->why == TURN_WAIT_DECIDED)
        return "";
    if (w->why == TURN_WAIT_READING)
        return lang_fill(a, l, "answer.reading", LANG_ARGS({"percent", arena_printf(a, "%d", w->percent)}));
    if (w->why == TURN_WAIT_LOADING)
        return lang_text(l, "answer.loading");
    if (s <= 0)
        return lang_text(l, busy ? "answer.busy" : "answer.silent");
    return lang_count(a, l, busy ? "answer.busy_wait" : "answer.silent_wait", s, NULL);
}

void event_wait(const struct lang *l, enum event_form form, const struct turn_waiting *w, struct strbuf *out)
{
    static const char *const states[] = {[TURN_WAIT_FAILED] = "retrying",
        [TURN_WAIT_BUSY] = "retrying",
        [TURN_WAIT_LOADING] = "loading",
        [TURN_WAIT_READING] = "reading",
        [TURN_WAIT_TOOL] = "tool",
        [TURN_WAIT_ASKS] = "asks",
        [TURN_WAIT_DECIDED] = "decided"};
    AUTO(arena) a = arena_new();
    struct view *v = view_new(a);
    int64_t left = w->until - clock_mono_ms();
    if (left < 0)
        left = 0;
    view_text(v, "status", states[w->why]);
    if (w->why == TURN_WAIT_READING)
        view_int(v, "percent", w->percent);
    else if (w->why == TURN_WAIT_ASKS)
        view_id(a, v, "suggestion", w->asks);
    else if (w->why < TURN_WAIT_READING)
        view_int(v, "wait_ms", left);
    view_text(v, "text", wait_text(a, l, w, left));
    finish(form == EVENTS_DATA ? "status" : "wait", NULL, v, out, NULL);
}

/* ---- text and blocks: built for each token, so without a view ---- */

#define DIGITS_MAX 20
#define AROUND_MAX 64 /* bytes of an event around its text, without numbers */

/* put_number() and put_words() return the place behind the text that they have written. */

static char *put_number(char *at, uint64_t v)
{
    char digits[DIGITS_MAX], *from = digits + sizeof digits;
    do
        *--from = (char)('0' + v % 10);
    while (v /= 10);
    size_t n = (size_t)(digits + sizeof digits - from);
    memcpy(at, from, n);
    return at + n;
}

static char *put_words(char *at, const char *words)
{
    size_t n = strlen(words);
    memcpy(at, words, n);
    return at + n;
}

static void put_position(struct strbuf *out, const char *before, int64_t reply_id, size_t text_pos)
{
    char end[AROUND_MAX + 2 * DIGITS_MAX], *at = put_words(end, before);
    at = put_number(put_words(at, "}\nid: "), (uint64_t)reply_id);
    *at++ = '.';
    at = put_words(put_number(at, text_pos), "\n\n");
    strbuf_add(out, end, (size_t)(at - end));
}

void event_text(int64_t reply_id, struct str piece, size_t text_pos, struct strbuf *out)
{
    strbuf_adds(out, "event: text\ndata: {\"message\":\"");
    strbuf_addint(out, reply_id);
    strbuf_adds(out, "\",\"text\":");
    json_add_short(out, piece);
    put_position(out, "", reply_id, text_pos);
}

void event_blocks_add(struct strbuf *blocks, const struct markdown_stream_block *b)
{
    char start[AROUND_MAX + 2 * DIGITS_MAX], *at = put_words(start, blocks->len ? ",[" : "[");
    at = put_number(at, b->index);
    *at++ = ',';
    at = put_number(at, b->keep);
    *at++ = ',';
    strbuf_add(blocks, start, (size_t)(at - start));
    json_add_short(blocks, b->html); /* escapes line breaks, so that data is one line */
    strbuf_addc(blocks, ']');
}

void event_blocks_end(int64_t reply_id, size_t from, struct str blocks, size_t text_pos, struct strbuf *out)
{
    char start[AROUND_MAX + 2 * DIGITS_MAX], *at = put_words(start, "event: blocks\ndata: {\"m\":\"");
    at = put_words(put_number(at, (uint64_t)reply_id), "\"");
    if (from != BLOCKS_FROM_NONE)
        at = put_number(put_words(at, ",\"from\":"), from);
    at = put_words(at, ",\"b\":[");
    strbuf_add(out, start, (size_t)(at - start));
    strbuf_addstr(out, blocks);
    put_position(out, "]", reply_id, text_pos);
}
