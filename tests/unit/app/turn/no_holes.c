/*
 * A context without holes: conversations in windows of all sizes, with messages of 10 bytes to 60 KB, through
 * the real engine, store and compaction (by rule). Every message of the path is in each request, or a summary
 * in the request covers it.
 */
#include "engine.h"

#include "app/context/context.h"
#include "app/summary/compact.h"
#include "app/summary/summary_tasks.h"
#include "app/tools/tools.h"
#include "store/memory/compaction.h"

#define TURNS       12
#define LABEL_MAX   32
#define REQUEST_MAX ((size_t)16 * 1024 * 1024)
#define EXCERPT     ((size_t)96) /* bytes that the shortest excerpt of a message takes, about */

/* The last request, as the model got it. */
static struct {
    struct strbuf system, said, aside;
    int64_t tokens;
} sent;

static void look(const struct llm_request *r)
{
    strbuf_clear(&sent.system);
    strbuf_clear(&sent.said);
    strbuf_clear(&sent.aside);
    sent.tokens = context_sent(r->messages, r->messages_n) + context_tools_tokens(r->tools, r->tools_n);
    for (size_t i = 0; i < r->messages_n; i++) {
        strbuf_addstr(r->messages[i].role == LLM_SYSTEM ? &sent.system : &sent.said, r->messages[i].text);
        strbuf_addstr(&sent.aside, r->messages[i].aside);
    }
}

static const char *label(char *out, const char *who, int turn)
{
    snprintf(out, LABEL_MAX, "%s-%03d.", who, turn);
    return out;
}

static struct str text_of(struct strbuf *b, const char *begin, size_t bytes)
{
    strbuf_clear(b);
    strbuf_adds(b, begin);
    while (b->len < bytes)
        strbuf_addc(b, 'y');
    return strbuf_str(b);
}

static bool has(const struct strbuf *b, const char *text)
{
    return strstr(b->s, text) != NULL;
}

/* The work of the helper when it is woken. */
static void compact(struct place *p)
{
    int64_t session = number(p, "SELECT coalesce(max(session_id), 0) FROM compaction_request");
    struct provider_pause pauses[8] = {0};
    struct helper h = {.config = p->config,
        .providers = p->providers,
        .store = p->store,
        .tools_offered = tools_offered,
        .pauses = pauses};
    struct job job = {.owner = 1, .subject = session};
    if (session)
        assert_ok(task_compact(&h, &job, NULL));
    assert_int_equal(number(p, "SELECT count(*) FROM compaction_request"), 0);
}

/* `who` of turn `turn` has an id of `id`; `border`: the last message that a compaction covers. */
static bool is_covered(const char *name, int64_t id, int64_t border, int64_t left_out)
{
    if (has(&sent.said, name))
        return true;
    if (id <= border)
        return has(&sent.system, "<earlier_conversation>");
    bool short_enough =
        (size_t)left_out * EXCERPT + 512 < (size_t)COMPACT_LEFT_OUT_LEAST * CONTEXT_BYTES_PER_TOKEN;
    return has(&sent.aside, short_enough ? name : "<left_out_messages>");
}

static int64_t id_of(struct place *p, const char *name)
{
    char query[128];
    snprintf(query, sizeof query, "SELECT id FROM message WHERE text LIKE '%s%%'", name);
    return number(p, query);
}

static void check_request(struct place *p, int turn, int64_t border, int64_t window)
{
    char name[LABEL_MAX];
    int64_t left_out = 0;
    static const char *const who[] = {"question", "answer"};
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < turn; i++)
            for (size_t k = 0; k < ARRAY_LEN(who); k++) {
                int64_t id = id_of(p, label(name, who[k], i));
                if (pass == 0)
                    left_out += id > border && !has(&sent.said, name);
                else if (!is_covered(name, id, border, left_out))
                    fail_msg("window %lld, turn %d: %s is in neither: %s", (long long)window, turn, name,
                        sent.aside.s);
            }
    assert_true(has(&sent.said, label(name, "question", turn)));
    assert_true(sent.tokens < window);
}

/* `sizes` are of the questions and answers, in turn, 0 at the end. `helps`: the helper runs after each turn.
 */
static void talk(int64_t window, const size_t *sizes, bool helps)
{
    struct place p;
    struct turn_ticket t;
    char settings[128], session[ID_SIZE], name[LABEL_MAX], answer[LABEL_MAX];
    AUTO_STRBUF question;
    strbuf_init(&question, 128 * 1024);
    snprintf(settings, sizeof settings, "[context]\nmodel_window = %lld\n", (long long)window);
    new_place(&p, settings, NEVER);
    model.seen = look;
    size_t next = 0;
    for (int i = 0; i < TURNS; i++) {
        int64_t border = number(&p, "SELECT coalesce(max(last_id), 0) FROM compaction");
        struct str text = text_of(&question, label(name, "question", i), sizes[next]);
        next = sizes[next + 1] ? next + 1 : 0;
        model.label = label(answer, "answer", i);
        model.text = sizes[next];
        next = sizes[next + 1] ? next + 1 : 0;
        assert_ok(send_text(&p, i ? session : NULL, text, &t));
        snprintf(session, sizeof session, "%s", t.ids.session);
        await(&p, &p.ended, i + 1);
        check_request(&p, i, border, window);
        if (helps)
            compact(&p);
    }
    assert_int_equal(number(&p, "SELECT count(*) FROM compaction WHERE tokens_after >= tokens_before"), 0);
    assert_true(number(&p, "SELECT count(*) FROM compaction") <= TURNS * 2 / COMPACT_AGAIN + 1);
    leave(&p);
}

static const size_t sizes_of[][8] = {
    {10}, {400}, {3000, 10}, {10, 20000}, {60 * 1024}, {60 * 1024, 10}, {10, 60 * 1024, 500, 10, 9000}};
static const int64_t windows[] = {2048, 4096, 8192, 32768, 200000};

static void talk_in_all(bool helps)
{
    strbuf_init(&sent.system, REQUEST_MAX);
    strbuf_init(&sent.said, REQUEST_MAX);
    strbuf_init(&sent.aside, REQUEST_MAX);
    for (size_t w = 0; w < ARRAY_LEN(windows); w += helps ? 1 : 2)
        for (size_t s = 0; s < ARRAY_LEN(sizes_of); s++)
            talk(windows[w], sizes_of[s], helps);
    strbuf_release(&sent.system);
    strbuf_release(&sent.said);
    strbuf_release(&sent.aside);
}

TEST(every_message_is_in_the_request_or_covered_by_a_summary_in_it)
{
    talk_in_all(true);
}

TEST(the_same_holds_before_a_compaction_is_made)
{
    talk_in_all(false);
}

TEST(a_message_that_is_longer_than_the_window_is_cut_in_its_middle)
{
    strbuf_init(&sent.system, REQUEST_MAX);
    strbuf_init(&sent.said, REQUEST_MAX);
    strbuf_init(&sent.aside, REQUEST_MAX);
    struct place p;
    struct turn_ticket t;
    AUTO_STRBUF question;
    strbuf_init(&question, 128 * 1024);
    new_place(&p, "[context]\nmodel_window = 8192\n", NEVER);
    model.seen = look;
    text_of(&question, "The beginning. ", 60 * 1024);
    strbuf_adds(&question, " The end.");
    assert_ok(send_text(&p, NULL, strbuf_str(&question), &t));
    await(&p, &p.ended, 1);
    assert_true(has(&sent.said, "The beginning.") && has(&sent.said, " The end."));
    assert_true(has(&sent.said, "lines 1 to 1 of this message, which has 1 lines. Use the tool read_file"));
    assert_true(sent.tokens > 3072 && sent.tokens < 8192);
    assert_int_equal(number(&p, "SELECT max(length(text)) FROM message"), (int64_t)question.len);
    leave(&p);
    strbuf_release(&sent.system);
    strbuf_release(&sent.said);
    strbuf_release(&sent.aside);
}
