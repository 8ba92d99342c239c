/* draw_picture: a picture by the owner's model for pictures (app/drawing/drawing.h). The message that follows
 * the step shows it. The tool runs twice: the first run asks for the drawing, the second one stores it. */
#include "app/tools/tools_private.h"

#include "app/config/config.h"
#include "app/drawing/drawing.h"
#include "app/usage/budget.h"
#include "app/usage/usage.h"
#include "base/log.h"

#define SHAPES "\"square\",\"wide\",\"tall\""

static enum llm_shape shape_of(const json_t *args)
{
    struct str shape = STR("");
    json_get_str(args, "shape", &shape);
    return str_is(shape, "square") ? LLM_SHAPE_SQUARE
           : str_is(shape, "wide") ? LLM_SHAPE_WIDE
           : str_is(shape, "tall") ? LLM_SHAPE_TALL
                                   : LLM_SHAPE_NONE;
}

/* Reads the pictures of the newest message that has some, the user's or an answer's. */
static enum rc read_newest(const struct tool_context *c, struct arena *a, struct drawing *d, struct err *e)
{
    struct message *path = NULL;
    size_t n = 0;
    const struct path_query q = {.owner = c->owner, .session_id = c->session_id, .head = c->reply_id};
    struct db *db = store_read(c->store);
    enum rc rc = store_message_path(db, a, &q, &path, &n, e);
    while (rc == RC_OK && n > 0 && !path[n - 1].pictures_n)
        n--;
    for (size_t i = 0; rc == RC_OK && n > 0 && i < path[n - 1].pictures_n && i < ARRAY_LEN(d->from); i++) {
        struct picture p;
        rc = store_picture_get(
            db, d->arena, c->owner, path[n - 1].pictures[i].pub, &p, &d->from[d->from_n++], e);
    }
    store_read_done(c->store, db);
    if (rc == RC_OK && n == 0)
        return err_tell(e, RC_NOT_FOUND, "This conversation has no picture to change.");
    return rc;
}

/* A picture has cost something also when it cannot be kept. A failure to count it loses no picture. */
static void count(const struct tool_context *c)
{
    struct err e = ERR_INIT;
    const struct usage_row one = {.quarter = c->now / USAGE_QUARTER_MS,
        .provider = c->config->drawing.provider,
        .model = c->config->drawing.model,
        .answers = 1};
    if (usage_count(c->store, c->owner, &one, &e) != RC_OK)
        log_warn("a picture is not counted: %s", e.text);
}

static enum rc check_budget(const struct tool_context *c, struct err *e)
{
    struct db *db = store_read(c->store);
    enum rc rc = budget_check(
        db, c->config, c->owner, c->config->drawing.provider, c->config->drawing.model, c->zone, c->now, e);
    store_read_done(c->store, db);
    return rc;
}

static enum rc keep(const struct tool_context *c, struct drawing *d, struct view *result, struct err *e)
{
    const struct picture *p;
    enum rc rc = tool_picture_keep(c, strbuf_str(&d->bytes), d->prompt, &p, e);
    if (rc != RC_OK)
        return rc;
    view_text(result, "picture", p->pub);
    view_int(result, "width", p->width);
    view_int(result, "height", p->height);
    view_text(result, "note",
        "The user sees the picture above your next words. Do not write a link or an image tag for it, and "
        "say in a sentence at most what it is.");
    return RC_OK;
}

static enum rc draw_picture(
    const struct tool_context *c, const json_t *args, struct arena *a, struct view *result, struct err *e)
{
    struct drawing *d = c->drawing;
    struct str prompt = STR("");
    json_get_str(args, "prompt", &prompt);
    prompt = str_trim(prompt);
    if (!prompt.len)
        return err_tell(e, RC_BAD_INPUT, "\"prompt\" is blank.");
    if (!d)
        return err_tell(e, RC_UNAVAILABLE, "Pictures cannot be drawn here.");
    if (!d->awaited.ended) {
        enum rc rc = check_budget(c, e);
        if (rc != RC_OK)
            return rc;
        drawing_want(d, prompt, shape_of(args));
        if (json_is_true(json_object_get(args, "change")))
            rc = read_newest(c, a, d, e);
        if (rc != RC_OK)
            drawing_release(d); /* it is not wanted */
        return rc;
    }
    if (d->awaited.rc == RC_OK) {
        count(c);
        return keep(c, d, result, e);
    }
    if (d->awaited.rc != RC_CANCELLED && d->awaited.rc != RC_RATE_LIMITED)
        log_warn("[drawing]: %s", d->awaited.err->text);
    return awaited_failed(&d->awaited, e);
}

/* clang-format off */
static const struct tool rows[] = {
    {{"draw_picture",
         "Draws a picture. Use it when the user asks for a picture, a drawing, a photo, a logo or the like, "
         "not for diagrams and charts, which you write as code. It costs the owner money: one call for "
         "one picture, and a second one only if the user asks.",
         TOOL_OBJECT("\"prompt\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":" TOOL_NUMBER(DRAWING_PROMPT_CHARS_MAX) ","
                         "\"description\":\"What the picture shows, in full: the model that draws knows nothing of this conversation. "
                             "Say the subject, the style and the light. With change: what is to be different, and that the rest stays.\"},"
                     "\"change\":{\"type\":\"boolean\",\"description\":\"True: changes the newest picture of this conversation, "
                         "the user's or a drawn one, instead of drawing a new one. The default is false.\"},"
                     "\"shape\":{\"type\":\"string\",\"enum\":[" SHAPES "],"
                         "\"description\":\"The default is square, and with change the shape of the picture.\"}",
             "\"prompt\"")},
        {"tool.draw", "picture", NULL}, draw_picture, false, TOOL_READS},
};
/* clang-format on */
const struct tool_group tools_drawing = {rows, ARRAY_LEN(rows), TOOL_SET_DRAWING | TOOL_SET_OTHER};
