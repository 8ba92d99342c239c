/* A conversation as JSON Lines, as one JSON object and as Markdown. The first two consist of the records of
 * our export format (export_records.c), so Alfred can import the lines again. */
#include "app/export/conversation.h"

#include "app/context/context.h"
#include "app/export/export_private.h"
#include "app/picture/picture.h"
#include "app/tools/tools.h"
#include "base/clock.h"
#include "base/time_zone.h"
#include "codec/markdown/markdown_write.h"

#define TIME_SIZE 32

struct writer {
    const struct conversation *c;
    const struct conversation_options *options;
    struct export x; /* its sink is that of the caller */
    struct strbuf text;
};

static enum rc put(struct writer *w, const char *s, struct err *e)
{
    return w->x.put(w->x.put_arg, str_of(s), e);
}

/* ---- records ---- */

static enum rc record(void *arg, struct arena *a, size_t i, const struct message *m, struct err *e)
{
    struct writer *w = arg;
    (void)a;
    (void)i;
    return export_message(&w->x, &w->c->session, m, e);
}

/* Holds a connection for one message only: the sink may be slow. */
static enum rc pictures(void *arg, struct arena *a, size_t i, const struct message *m, struct err *e)
{
    struct writer *w = arg;
    (void)a;
    (void)i;
    if (!m->pictures_n)
        return RC_OK;
    w->x.db = store_read(w->x.store);
    enum rc rc = export_pictures(&w->x, &w->c->session, m, e);
    store_read_done(w->x.store, w->x.db);
    return rc;
}

static enum rc record_with_pictures(
    void *arg, struct arena *a, size_t i, const struct message *m, struct err *e)
{
    enum rc rc = record(arg, a, i, m, e);
    return rc == RC_OK ? pictures(arg, a, i, m, e) : rc;
}

typedef enum rc record_fn(struct export *x, const struct session *s, struct err *e);

/* With a connection, which the records of the store need. */
static enum rc with_db(struct writer *w, record_fn *fn, struct err *e)
{
    AUTO(arena) a = arena_new();
    w->x.a = a;
    w->x.db = store_read(w->x.store);
    enum rc rc = fn(&w->x, &w->c->session, e);
    store_read_done(w->x.store, w->x.db);
    return rc;
}

static enum rc header(struct export *x, const struct session *s, struct err *e)
{
    (void)s;
    return export_header_one(x, e);
}

static enum rc json_lines(struct writer *w, struct err *e)
{
    enum rc rc = with_db(w, header, e);
    if (rc == RC_OK)
        rc = with_db(w, export_session, e);
    if (rc == RC_OK)
        rc = conversation_each(w->x.store, w->x.owner, w->c, record_with_pictures, w, e);
    if (rc == RC_OK)
        rc = with_db(w, export_summaries, e);
    return rc == RC_OK ? with_db(w, export_compactions, e) : rc;
}

/* Puts commas between the records of a list. */
struct comma {
    export_put_fn *put;
    void *arg;
    bool any;
};

static enum rc put_element(void *arg, struct str part, struct err *e)
{
    struct comma *c = arg;
    enum rc rc = c->any ? c->put(c->arg, STR(",\n"), e) : RC_OK;
    c->any = true;
    return rc == RC_OK ? c->put(c->arg, part, e) : rc;
}

typedef enum rc list_fn(struct writer *w, struct err *e);

static enum rc json_list(struct writer *w, const char *before, list_fn *fn, struct err *e)
{
    struct comma elements = {w->x.put, w->x.put_arg, false};
    enum rc rc = put(w, before, e);
    if (rc != RC_OK)
        return rc;
    w->x.put = put_element;
    w->x.put_arg = &elements;
    rc = fn(w, e);
    w->x.put = elements.put;
    w->x.put_arg = elements.arg;
    return rc;
}

static enum rc all_messages(struct writer *w, struct err *e)
{
    return conversation_each(w->x.store, w->x.owner, w->c, record, w, e);
}

static enum rc all_pictures(struct writer *w, struct err *e)
{
    return conversation_each(w->x.store, w->x.owner, w->c, pictures, w, e);
}

static enum rc all_summaries(struct writer *w, struct err *e)
{
    return with_db(w, export_summaries, e);
}

static enum rc all_compactions(struct writer *w, struct err *e)
{
    return with_db(w, export_compactions, e);
}

static enum rc whole_object(struct writer *w, struct err *e)
{
    w->x.bare = true;
    enum rc rc = put(w, "{\"header\":", e);
    if (rc == RC_OK)
        rc = with_db(w, header, e);
    if (rc == RC_OK)
        rc = put(w, ",\n\"session\":", e);
    if (rc == RC_OK)
        rc = with_db(w, export_session, e);
    if (rc == RC_OK)
        rc = json_list(w, ",\n\"messages\":[\n", all_messages, e);
    if (rc == RC_OK)
        rc = json_list(w, "],\n\"pictures\":[", all_pictures, e);
    if (rc == RC_OK)
        rc = json_list(w, "],\n\"summaries\":[", all_summaries, e);
    if (rc == RC_OK)
        rc = json_list(w, "],\n\"compactions\":[", all_compactions, e);
    return rc == RC_OK ? put(w, "]}\n", e) : rc;
}

/* ---- Markdown ---- */

static void add_time(struct strbuf *b, const struct locale *l, int64_t at)
{
    char text[TIME_SIZE];
    struct tm t = time_zone_local(l->zone, at);
    strftime(text, sizeof text, "%Y-%m-%d %H:%M", &t);
    strbuf_adds(b, text);
}

static void add_fenced(struct strbuf *b, const char *language, struct str text)
{
    markdown_write_fenced(b, str_of(language), text);
    strbuf_adds(b, "\n\n");
}

/* A title, a name: on one line, with the signs escaped that would be markup there. */
static void add_inline(struct strbuf *b, const char *words)
{
    for (; *words; words++) {
        if (strchr("\\`*_<[]", *words))
            strbuf_addc(b, '\\');
        strbuf_addc(b, *words == '\n' || *words == '\r' ? ' ' : *words);
    }
}

static void add_note(struct strbuf *b, const char *words)
{
    if (!words || !*words)
        return;
    strbuf_adds(b, "*");
    add_inline(b, words);
    strbuf_adds(b, "*\n\n");
}

static void add_tool(struct writer *w, struct arena *a, const struct message *m)
{
    const struct lang *l = w->options->locale.lang;
    struct llm_tool_call *calls;
    size_t n;
    bool known = context_calls(a, m->calls, &calls, &n, NULL) == RC_OK && n == 1;
    strbuf_adds(&w->text, "### ");
    add_inline(&w->text,
        tool_label(a, l, m->tool, tool_subject_of(a, m->tool, known ? calls[0].args : NULL, m->text)));
    strbuf_adds(&w->text, "\n\n");
    if (known) {
        strbuf_addf(&w->text, "%s:\n\n", lang_text(l, "message.asked"));
        add_fenced(&w->text, "json", str_of(calls[0].args));
    }
    strbuf_addf(&w->text, "%s:\n\n", lang_text(l, "message.result"));
    add_fenced(&w->text, "", m->text);
}

static void add_speaker(struct writer *w, const struct message *m)
{
    const struct lang *l = w->options->locale.lang;
    strbuf_adds(&w->text, "## ");
    strbuf_adds(&w->text, m->role == ROLE_USER        ? lang_text(l, "script.you")
                          : m->role == ROLE_ASSISTANT ? "Alfred"
                                                      : lang_text(l, "conversation.system"));
    strbuf_adds(&w->text, " · ");
    add_time(&w->text, &w->options->locale, m->created_at);
    if (m->role == ROLE_ASSISTANT && m->model) {
        strbuf_adds(&w->text, " · ");
        add_inline(&w->text, m->model);
    }
    strbuf_adds(&w->text, "\n\n");
}

static void add_status(struct writer *w, struct arena *a, const struct message *m)
{
    const struct lang *l = w->options->locale.lang;
    if (m->status == MESSAGE_STOPPED)
        add_note(&w->text, lang_text(l, "message.stopped"));
    if (m->status == MESSAGE_INTERRUPTED)
        add_note(&w->text, lang_text(l, "message.interrupted"));
    add_note(&w->text, said_words(a, l, m->error));
}

static enum rc markdown_message(void *arg, struct arena *a, size_t i, const struct message *m, struct err *e)
{
    struct writer *w = arg;
    const struct conversation_step *step = &w->c->steps[i];
    strbuf_clear(&w->text);
    if (step->begins) {
        strbuf_adds(&w->text, "---\n\n");
        add_note(&w->text, lang_text(w->options->locale.lang, "conversation.branch"));
    }
    bool reasons = w->options->reasoning && m->reasoning.len > 0;
    if (m->role == ROLE_TOOL) {
        add_tool(w, a, m);
    } else if (m->text.len || m->error || reasons || !m->calls) {
        add_speaker(w, m);
        if (reasons) {
            strbuf_addf(&w->text, "%s:\n\n", lang_text(w->options->locale.lang, "script_later.reasoning"));
            add_fenced(&w->text, "", m->reasoning);
        }
        struct str text = picture_text(a, w->options->locale.lang, m);
        strbuf_addstr(&w->text, text);
        strbuf_adds(&w->text, text.len ? "\n\n" : "");
        add_status(w, a, m);
    }
    if (w->text.failed)
        return err_set(e, RC_TOO_BIG, "a message over %zu bytes", EXPORT_LINE_MAX);
    return w->x.put(w->x.put_arg, strbuf_str(&w->text), e);
}

static enum rc markdown(struct writer *w, struct err *e)
{
    const struct lang *l = w->options->locale.lang;
    const struct session *s = &w->c->session;
    strbuf_adds(&w->text, "# ");
    add_inline(&w->text, s->title ? s->title : lang_text(l, "chat.new"));
    strbuf_adds(&w->text, "\n\n");
    add_time(&w->text, &w->options->locale, s->created_at);
    strbuf_adds(&w->text, "\n\n");
    enum rc rc = w->x.put(w->x.put_arg, strbuf_str(&w->text), e);
    return rc == RC_OK ? conversation_each(w->x.store, w->x.owner, w->c, markdown_message, w, e) : rc;
}

/* ---- all ---- */

enum rc conversation_write(struct store *s, int64_t owner, const struct conversation *c,
    const struct conversation_options *options, export_put_fn *sink, void *arg, struct err *e)
{
    struct writer w = {.c = c, .options = options};
    w.x = (struct export){.store = s,
        .owner = owner,
        .now = options->locale.now,
        .reasoning = options->reasoning,
        .put = sink,
        .put_arg = arg};
    strbuf_init(&w.x.line, EXPORT_LINE_MAX);
    strbuf_init(&w.text, EXPORT_LINE_MAX);
    enum rc rc = options->format == CONVERSATION_MARKDOWN ? markdown(&w, e)
                 : options->format == CONVERSATION_JSONL  ? json_lines(&w, e)
                                                          : whole_object(&w, e);
    strbuf_release(&w.text);
    strbuf_release(&w.x.line);
    return rc;
}
