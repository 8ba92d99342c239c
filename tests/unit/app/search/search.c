/* Search over a store of its own, embedded by the helper's task. Users never see texts of others. */
#include "search_place.h"

#include "codec/words/snippet.h"
#include "store/memory/summary.h"
#include "store/search/vector.h"
#include "store/trash/trash.h"

static struct search_hits find(struct place *p, struct arena *a, struct search_request want)
{
    struct search_where w = {p->store, p->config, p->providers};
    struct search_hits found;
    assert_ok(search_run(&w, &want, a, &found, NULL));
    for (size_t i = 0; i < found.n; i++) {
        assert_int_equal(message_owner(found.hits[i].message.id), want.owner);
        assert_true(!found.hits[i].before.id || message_owner(found.hits[i].before.id) == want.owner);
        assert_true(!found.hits[i].after.id || message_owner(found.hits[i].after.id) == want.owner);
    }
    return found;
}

#define WANT(who, what, ...) ((struct search_request){.owner = (who), .text = str_of(what), __VA_ARGS__})

TEST(search_finds_words_endings_and_typos_of_the_owner_only)
{
    AUTO(arena) a = arena_new();
    struct place p = open_place("");
    struct said mine = say(&p, p.ann, 0, 0, "The kubernetes cluster was migrated to Hamburg");
    say(&p, p.ann, 0, 0, "Buy milk and bread for the weekend");
    say(&p, p.bob, 0, 0, "The kubernetes cluster of Bob is secret");
    assert_ok(embed(&p, p.ann));
    assert_ok(embed(&p, p.bob));
    static const char *const asks[] = {
        "Where is the kubernetes cluster?", "migrating clusters", "kubernets", "HAMBURG"};
    for (size_t i = 0; i < ARRAY_LEN(asks); i++) {
        struct search_hits f = find(&p, a, WANT(p.ann, asks[i]));
        assert_true(f.n >= 1);
        assert_int_equal(f.hits[0].message.id, mine.id);
    }
    assert_int_equal(find(&p, a, WANT(p.ann, "zzzqqq xxwwyy")).n, 0);
    assert_int_equal(find(&p, a, WANT(p.ann, "secret Bob")).n, 0);
    close_place(&p);
}

TEST(search_finds_parts_of_words_without_blanks)
{
    AUTO(arena) a = arena_new();
    struct place p = open_place("");
    struct said ramen = say(&p, p.ann, 0, 0, "昨日は味噌ラーメンを食べた");
    struct said busan = say(&p, p.ann, 0, 0, "저는 부산에서 왔어요");
    struct said chinese = say(&p, p.ann, 0, 0, "我的护照号码是多少");
    struct said thai = say(&p, p.ann, 0, 0, "ฉันชอบกินส้มตำมาก");
    say(&p, p.bob, 0, 0, "味噌と부산と护照とส้มตำ");
    const struct {
        const char *ask;
        struct said *is;
    } asks[] = {{"味噌", &ramen}, {"ラーメン", &ramen}, {"噌", &ramen}, {"부산", &busan}, {"护照", &chinese},
        {"号", &chinese}, {"少", &chinese}, {"ส้มตำ", &thai}, {"ส้", &thai}};
    for (size_t i = 0; i < ARRAY_LEN(asks); i++) {
        struct search_hits f = find(&p, a, WANT(p.ann, asks[i].ask, .by = SEARCH_BY_WORDS));
        if (f.n != 1)
            print_error("%s\n", asks[i].ask);
        assert_int_equal(f.n, 1);
        assert_int_equal(f.hits[0].message.id, asks[i].is->id);
        assert_true(f.hits[0].has_words);
    }
    assert_int_equal(find(&p, a, WANT(p.ann, "猫", .by = SEARCH_BY_WORDS)).n, 0);
    close_place(&p);
}

/* As the store was before there was an index of pairs. */
static enum rc forget_pairs_tx(struct db *db, void *arg, struct err *e)
{
    (void)arg;
    return db_exec(db, "DELETE FROM message_pair", NO_ARGS, NULL, e);
}

static enum rc delete_tx(struct db *db, void *arg, struct err *e)
{
    const struct said *s = arg;
    char entry[ID_SIZE];
    id_new(ID_SESSION, entry);
    return store_trash_message(db, s->owner, s->session, s->id, entry, 1, e);
}

static enum rc count_pairs_tx(struct db *db, void *arg, struct err *e)
{
    return db_one_int(db, "SELECT count(*) FROM message_pair", NO_ARGS, arg, e);
}

TEST(pairs_of_older_messages_are_indexed_later_and_go_with_their_message)
{
    AUTO(arena) a = arena_new();
    struct place p = open_place("");
    struct helper helper = {.store = p.store, .config = p.config, .providers = p.providers};
    struct job job = {.kind = JOB_INDEX_PAIRS};
    struct said said[120];
    int64_t pairs;
    for (size_t i = 0; i < ARRAY_LEN(said); i++)
        said[i] = say(&p, p.ann, 0, 0, i % 2 ? "味噌汁" : "soup");
    assert_ok(store_write(p.store, forget_pairs_tx, NULL, NULL));
    assert_int_equal(find(&p, a, WANT(p.ann, "味噌")).n, 0);
    assert_ok(task_index_pairs(&helper, &job, NULL));
    assert_ok(task_index_pairs(&helper, &job, NULL));
    assert_int_equal(find(&p, a, WANT(p.ann, "味噌", .limit = 50)).n, 50);
    for (size_t i = 1; i < ARRAY_LEN(said); i += 2)
        assert_ok(store_write(p.store, delete_tx, &said[i], NULL));
    assert_int_equal(find(&p, a, WANT(p.ann, "味噌")).n, 0);
    assert_ok(store_write(p.store, count_pairs_tx, &pairs, NULL));
    assert_int_equal(pairs, 0);
    close_place(&p);
}

TEST(search_finds_words_that_were_mistyped)
{
    AUTO(arena) a = arena_new();
    struct place p = open_place("");
    struct said bread = say(&p, p.ann, 0, 0, "My sourdough did not rise, the starter was too cold");
    struct said house = say(&p, p.ann, 0, 0, "The mortgage of the house has ten more years");
    struct said dress = say(&p, p.ann, 0, 0, "Das weiße Kleid in Größe 38 passt");
    say(&p, p.ann, 0, 0, "A recipe for soup, and the year 2026");
    say(&p, p.bob, 0, 0, "Bob studies zoology");
    const struct {
        const char *ask;
        struct said *is;
    } asks[] = {{"sourdoh", &bread}, {"sourdouhg", &bread}, {"startr", &bread}, {"mortage", &house},
        {"morgtage", &house}, {"huose", &house}, {"weisse", &dress}, {"grosse", &dress}, {"groesse", &dress}};
    for (size_t i = 0; i < ARRAY_LEN(asks); i++) {
        struct search_hits f = find(&p, a, WANT(p.ann, asks[i].ask, .by = SEARCH_BY_WORDS));
        if (f.n != 1)
            print_error("%s\n", asks[i].ask);
        assert_int_equal(f.n, 1);
        assert_int_equal(f.hits[0].message.id, asks[i].is->id);
        assert_true(f.hits[0].has_words);
    }
    static const char *const none[] = {"zoologie", "2025", "rais", "qqqqqqq"};
    for (size_t i = 0; i < ARRAY_LEN(none); i++)
        assert_int_equal(find(&p, a, WANT(p.ann, none[i], .by = SEARCH_BY_WORDS)).n, 0);
    close_place(&p);
}

TEST(search_finds_parts_of_compounds)
{
    AUTO(arena) a = arena_new();
    struct place p = open_place("");
    struct said door = say(&p, p.ann, 0, 0, "Die Balkontür klemmt seit gestern");
    struct said tooth = say(&p, p.ann, 0, 0,
        "Der Arzt empfiehlt am Mittwoch eine Vollnarkose und danach drei Tage Ruhe, weiche Kost, viel "
        "Wasser, kalte Umschläge, keinen Sport, keinen Kaffee und eine Kontrolle in der folgenden Woche.");
    struct said soup = say(&p, p.ann, 0, 0, "Heute gibt es Kürbissuppe mit Brot");
    say(&p, p.ann, 0, 0, "Balken für das Dach sind bestellt");
    say(&p, p.bob, 0, 0, "Die Lokalnarkose reicht Bob");
    assert_ok(embed(&p, p.ann));
    assert_ok(embed(&p, p.bob));
    const struct {
        const char *ask;
        struct said *is;
    } asks[] = {{"Balkon", &door}, {"Narkose", &tooth}, {"Suppe", &soup}, {"Umschlag Narkose", &tooth}};
    for (size_t i = 0; i < ARRAY_LEN(asks); i++) {
        struct search_hits f = find(&p, a, WANT(p.ann, asks[i].ask));
        assert_true(f.n >= 1 && f.hits[0].has_words);
        assert_int_equal(f.hits[0].message.id, asks[i].is->id);
        struct snippet s = snippet_of(a, f.hits[0].message.text, &f.words, 200);
        assert_true(s.n > 1);
    }
    assert_int_equal(find(&p, a, WANT(p.ann, "tür", .by = SEARCH_BY_WORDS)).n, 0);
    close_place(&p);
}

TEST(search_accepts_any_query)
{
    struct place p = open_place("");
    struct said s = say(&p, p.ann, 0, 0, "plain text near NOT OR");
    say(&p, p.bob, 0, 0, "plain text of bob");
    assert_ok(embed(&p, p.ann));
    static const char *const attacks[] = {"\"", "\"\"", "text\"", "text* OR rowid:1", "NEAR(text, 5)",
        "text : x", "{text} : bob", "- text", "^text", "' OR 1=1 --", "text AND NOT", "(", ")", "((((", "%",
        "\\", "text;", "\xFF\xFE text", "*", "a", "the of and", "\xF0\x9F\x98\x80",
        "rowid BETWEEN 0 AND 9999999999"};
    for (size_t i = 0; i < ARRAY_LEN(attacks); i++) {
        AUTO(arena) a = arena_new();
        find(&p, a, WANT(p.ann, attacks[i]));
        find(&p, a, WANT(p.ann, attacks[i], .by = SEARCH_BY_WORDS));
        find(&p, a, WANT(p.ann, attacks[i], .session = s.session));
    }
    AUTO(arena) a = arena_new();
    char *huge = arena_alloc(a, 2000001);
    for (size_t i = 0; i < 2000000; i++)
        huge[i] = i % 7 ? (char)('a' + i % 23) : ' ';
    find(&p, a, WANT(p.ann, huge));
    struct search_request nul = {.owner = p.ann, .text = {"text\0bob", 8}};
    assert_int_equal(find(&p, a, nul).n, 1);
    close_place(&p);
}

/* As one vector its last sentence is a hundredth of it. */
TEST(search_finds_the_end_of_a_long_message_by_likeness)
{
    static const char filler[] = "The meeting spoke of budgets, of the calendar and of who brings cake. ",
                      end[] = "The Haftpflichtversicherung covers the broken greenhouse.";
    AUTO(arena) a = arena_new();
    AUTO_STRBUF text;
    strbuf_init(&text, 16384);
    struct place p = open_place("");
    while (text.len < 8000)
        strbuf_adds(&text, filler);
    strbuf_adds(&text, end);
    for (int i = 0; i < 20; i++)
        say(&p, p.ann, 0, 0, filler);
    struct said mine = say(&p, p.ann, 0, 0, text.s);
    assert_ok(embed(&p, p.ann));
    struct search_hits f =
        find(&p, a, WANT(p.ann, "Haftpflichtversicherungen, Greenhouses", .by = SEARCH_BY_VECTORS));
    assert_true(f.n >= 1);
    assert_int_equal(f.hits[0].message.id, mine.id);
    close_place(&p);
}

TEST(search_filters_by_session_and_day)
{
    AUTO(arena) a = arena_new();
    struct place p = open_place("");
    struct said one = say(&p, p.ann, 0, NOW, "violin lesson"),
                two = say(&p, p.ann, 0, NOW + MS_PER_DAY, "violin concert");
    struct said bobs = say(&p, p.bob, 0, NOW, "violin of bob");
    assert_ok(embed(&p, p.ann));
    assert_int_equal(find(&p, a, WANT(p.ann, "violin")).n, 2);
    struct search_hits f = find(&p, a, WANT(p.ann, "violin", .after = NOW + 1));
    assert_true(f.n == 1 && f.hits[0].message.id == two.id);
    f = find(&p, a, WANT(p.ann, "violin", .before = NOW + MS_PER_DAY));
    assert_true(f.n == 1 && f.hits[0].message.id == one.id);
    f = find(&p, a, WANT(p.ann, "violin", .session = two.session));
    assert_true(f.n == 1 && f.hits[0].message.id == two.id);
    f = find(&p, a, WANT(p.ann, "violin", .not_in = two.session));
    assert_true(f.n == 1 && f.hits[0].message.id == one.id);
    assert_int_equal(find(&p, a, WANT(p.ann, "violin", .session = bobs.session)).n, 0);
    assert_int_equal(find(&p, a, WANT(p.ann, "violin", .limit = 1)).n, 1);
    close_place(&p);
}

TEST(search_raises_neighbours)
{
    AUTO(arena) a = arena_new();
    struct place p = open_place("");
    struct said q = say(&p, p.ann, 0, 0, "Which colour shall the kitchen have?");
    struct said answer = say(&p, p.ann, q.session, 0, "Sage green, definitely.");
    say(&p, p.ann, 0, 0, "The garage is cold");
    assert_ok(embed(&p, p.ann));
    struct search_hits f = find(&p, a, WANT(p.ann, "colour of the kitchen"));
    assert_true(f.n >= 2);
    assert_int_equal(f.hits[0].message.id, q.id);
    assert_int_equal(f.hits[0].after.id, answer.id);
    assert_int_equal(f.hits[1].message.id, answer.id);
    assert_false(f.hits[1].has_words);
    close_place(&p);
}

struct summed {
    struct said *of;
    const char *text, *provider;
};

static enum rc sum_tx(struct db *db, void *arg, struct err *e)
{
    const struct summed *t = arg;
    struct summary s = {.session_id = t->of->session,
        .whole = true,
        .first_id = t->of->id,
        .last_id = t->of->id,
        .known_id = t->of->id,
        .messages = 1,
        .text = str_of(t->text),
        .provider = t->provider,
        .model = "",
        .created_at = NOW};
    return store_summary_add(db, t->of->owner, &s, e);
}

TEST(search_raises_sessions_by_a_models_summary)
{
    AUTO(arena) a = arena_new();
    struct place p = open_place("");
    struct said one = say(&p, p.ann, 0, 0, "The deposit was paid"),
                two = say(&p, p.ann, 0, 0, "The deposit was paid"),
                bobs = say(&p, p.bob, 0, 0, "The deposit was paid");
    struct summed rule = {&one, "About the kitchen", "offline"}, model = {&one, "About the kitchen", "one"},
                  other = {&bobs, "About the kitchen", "one"};
    assert_ok(store_write(p.store, sum_tx, &other, NULL));
    assert_int_equal(find(&p, a, WANT(p.ann, "deposit for the kitchen")).hits[0].message.id, two.id);
    assert_ok(store_write(p.store, sum_tx, &rule, NULL));
    struct search_hits f = find(&p, a, WANT(p.ann, "deposit for the kitchen"));
    assert_true(f.n == 2 && f.hits[0].score == f.hits[1].score && f.hits[0].message.id == two.id);
    assert_ok(store_write(p.store, sum_tx, &model, NULL));
    f = find(&p, a, WANT(p.ann, "deposit for the kitchen"));
    assert_true(f.hits[0].message.id == one.id && f.hits[0].score > f.hits[1].score);
    close_place(&p);
}

static enum rc trash_tx(struct db *db, void *arg, struct err *e)
{
    const struct said *s = arg;
    AUTO(arena) a = arena_new();
    struct session session;
    enum rc rc = store_session_by_id(db, a, s->owner, s->session, &session, e);
    return rc == RC_OK ? store_trash_session(db, s->owner, session.pub, NOW, e) : rc;
}

static enum rc hide_session_tx(struct db *db, void *arg, struct err *e)
{
    const struct said *s = arg;
    return db_exec(db, "UPDATE session SET owner = 0 WHERE id = ?", ARGS(v_int(s->session)), NULL, e);
}

TEST(search_leaves_out_the_summary_of_a_session_in_the_trash)
{
    AUTO(arena) a = arena_new();
    struct place p = open_place("");
    struct said one = say(&p, p.ann, 0, 0, "味噌"), two = say(&p, p.ann, 0, 0, "味噌 the recipe"),
                three = say(&p, p.ann, 0, 0, "the recipe");
    struct summed first = {&one, "味噌ラーメン", "one"}, third = {&three, "About the recipe", "one"};
    assert_ok(store_write(p.store, sum_tx, &first, NULL));
    assert_ok(store_write(p.store, sum_tx, &third, NULL));
    assert_int_equal(find(&p, a, WANT(p.ann, "味噌")).n, 2);
    assert_ok(store_write(p.store, trash_tx, &one, NULL));
    assert_int_equal(find(&p, a, WANT(p.ann, "味噌")).n, 1);
    assert_ok(store_write(p.store, hide_session_tx, &three, NULL)); /* its summary is in the index still */
    struct search_hits f = find(&p, a, WANT(p.ann, "recipe"));
    assert_true(f.n == 1 && f.hits[0].message.id == two.id);
    close_place(&p);
}

TEST(search_prefers_words_that_stand_together)
{
    AUTO(arena) a = arena_new();
    struct place p = open_place("");
    struct said near = say(&p, p.ann, 0, 0, "The violin needs new strings");
    say(&p, p.ann, near.session, 0, "Take it to the workshop in Bremen");
    struct said far = say(&p, p.ann, 0, 0, "The violin needs new strings");
    for (int i = 0; i < 4; i++)
        say(&p, p.ann, far.session, 0, "something else altogether");
    say(&p, p.ann, far.session, 0, "Take it to the workshop in Bremen");
    assert_ok(embed(&p, p.ann));
    struct search_hits f = find(&p, a, WANT(p.ann, "violin workshop Bremen"));
    assert_int_equal(f.hits[0].message.session_id, near.session);
    assert_int_equal(f.hits[1].message.session_id, near.session);
    close_place(&p);
}

/* To its current text: only its vector is made again. */
static enum rc edit_tx(struct db *db, void *arg, struct err *e)
{
    const struct said *s = arg;
    AUTO(arena) a = arena_new();
    struct message m;
    enum rc rc = store_message_get(db, a, s->owner, s->id, &m, e);
    return rc == RC_OK ? store_message_set_text(db, s->owner, s->session, s->id, m.text, MESSAGE_TYPED, e)
                       : rc;
}

static enum rc many_tx(struct db *db, void *arg, struct err *e)
{
    static const char *const nouns[] = {"violin", "garage", "tax", "harbour", "lentils", "bicycle", "letter"};
    struct said *s = arg;
    enum rc rc = RC_OK;
    for (int i = 0; rc == RC_OK && i < VECTOR_PACK_LEAVE + 700; i++) {
        AUTO(arena) a = arena_new();
        s->text = arena_printf(a, "%s and %s number %d", nouns[i % 7], nouns[i % 5], i);
        rc = say_tx(db, s, e);
    }
    return rc;
}

/* The helper packs in the background; the results stay equal. */
TEST(search_finds_the_same_in_packs)
{
    static const char *const asks[] = {"violin", "harbor and taxes", "number 77", "bicicle letters"};
    AUTO(arena) a = arena_new();
    struct place p = open_place("");
    struct said s = {.owner = p.ann};
    assert_ok(store_write(p.store, many_tx, &s, NULL));
    assert_ok(embed(&p, p.ann));
    struct db *db = store_read(p.store);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM pack_message_1"), 2);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM vector_message_1"), VECTOR_PACK_LEAVE + 700 - 512);
    store_read_done(p.store, db);
    struct search_hits packed[ARRAY_LEN(asks)];
    for (size_t i = 0; i < ARRAY_LEN(asks); i++)
        packed[i] = find(&p, a, WANT(p.ann, asks[i], .limit = 50));
    /* a text before all the others changes: its pack becomes rows again */
    struct said edit = {.owner = p.ann, .session = s.session, .id = (p.ann << 32) | 3};
    assert_ok(store_write(p.store, edit_tx, &edit, NULL));
    assert_ok(embed(&p, p.ann));
    for (size_t i = 0; i < ARRAY_LEN(asks); i++) {
        struct search_hits f = find(&p, a, WANT(p.ann, asks[i], .limit = 50));
        assert_int_equal(f.n, packed[i].n);
        for (size_t k = 0; k < f.n; k++) {
            assert_int_equal(f.hits[k].message.id, packed[i].hits[k].message.id);
            assert_true(f.hits[k].score == packed[i].hits[k].score);
        }
    }
    close_place(&p);
}

TEST(search_uses_words_when_there_are_no_vectors)
{
    AUTO(arena) a = arena_new();
    struct place p = open_place("");
    struct said s = say(&p, p.ann, 0, 0, "violin lesson");
    assert_int_equal(find(&p, a, WANT(p.ann, "violin")).hits[0].message.id, s.id);
    assert_int_equal(find(&p, a, WANT(p.ann, "violin", .by = SEARCH_BY_VECTORS)).n, 0);
    close_place(&p);
}

static enum rc drop_tx(struct db *db, void *arg, struct err *e)
{
    (void)arg;
    return db_exec(db, "DROP TABLE vector_message_1", NO_ARGS, NULL, e);
}

TEST(search_does_with_words_when_the_model_is_replaced_meanwhile)
{
    AUTO(arena) a = arena_new();
    struct place p = open_place("");
    struct said s = say(&p, p.ann, 0, 0, "violin lesson");
    assert_ok(embed(&p, p.ann));
    assert_ok(store_write(p.store, drop_tx, NULL, NULL)); /* as when that comes between question and answer */
    struct search_hits f = find(&p, a, WANT(p.ann, "violin"));
    assert_true(f.n == 1 && f.hits[0].message.id == s.id);
    close_place(&p);
}

TEST(search_scales_similarity_by_the_allowed_messages)
{
    AUTO(arena) a = arena_new();
    struct place p = open_place("");
    struct said question = say(&p, p.ann, 0, 0, "kubernetes clusters in Hamburg");
    say(&p, p.ann, 0, 0, "kubernets clustr");
    assert_ok(embed(&p, p.ann));
    struct search_hits without = find(&p, a, WANT(p.ann, "clustr", .not_in = question.session));
    struct search_hits with = find(&p, a, WANT(p.ann, "kubernetes clusters", .not_in = question.session));
    struct search_hits same =
        find(&p, a, WANT(p.ann, "kubernetes clusters", .not_in = question.session, .by = SEARCH_BY_VECTORS));
    assert_true(without.n == 1 && with.n == 1 && same.n == 1);
    assert_true(same.hits[0].score > 0.999); /* the most alike of those that count */
    close_place(&p);
}

#define LONG_TEXTS 200
#define LONG_BYTES ((size_t)100 * 1024)

TEST(search_does_not_hold_all_texts_that_it_looks_at)
{
    struct place p = open_place("");
    AUTO_FREE char *text = xmalloc(LONG_BYTES + 1);
    for (size_t i = 0; i < LONG_BYTES; i++)
        text[i] = "violin "[i % 7];
    text[LONG_BYTES] = '\0';
    for (int i = 0; i < LONG_TEXTS; i++)
        say(&p, p.ann, 0, 0, text);
    AUTO(arena) a = arena_new();
    size_t before = unit_allocated();
    assert_int_equal(find(&p, a, WANT(p.ann, "violin", .by = SEARCH_BY_WORDS, .limit = 1)).n, 1);
    assert_true(unit_allocated() - before < LONG_TEXTS * LONG_BYTES / 10);
    close_place(&p);
}

TEST(embedding_continues_and_does_nothing_twice)
{
    struct place p = open_place("");
    for (int i = 0; i < 200; i++)
        say(&p, p.ann, 0, 0, i % 2 ? "one of many words" : "another of many words");
    assert_ok(embed(&p, p.ann));
    assert_ok(embed(&p, p.ann));
    say(&p, p.ann, 0, 0, "and one more");
    assert_ok(embed(&p, p.ann));
    struct db *db = store_read(p.store);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM vector_message_1"), 201);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM embedding_model WHERE state = 'serving'"), 1);
    store_read_done(p.store, db);
    close_place(&p);
}

TEST(embedding_reports_invalid_settings)
{
    static const char *const bad[] = {"[embedding]\nprovider = \"nowhere\"\n",
        "[embedding]\nprovider = \"claude\"\nmodel = \"x\"\n[provider.claude]\nkind = \"anthropic\"\nmodel = "
        "\"m\"\n"
        "base_url = \"http://127.0.0.1:1\"\n",
        "[embedding]\nprovider = \"own\"\n[provider.own]\nkind = \"openai\"\nmodel = \"m\"\n"
        "base_url = \"http://127.0.0.1:1\"\n"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct place p = open_place(bad[i]);
        assert_rc(embed(&p, p.ann), RC_BAD_INPUT);
        close_place(&p);
    }
}

static enum rc many_walrus_tx(struct db *db, void *arg, struct err *e)
{
    struct said *s = arg;
    enum rc rc = RC_OK;
    for (int i = 0; rc == RC_OK && i < 3 * TRASH_STEP; i++) {
        struct message m = {.session_id = s->session,
            .role = ROLE_USER,
            .status = MESSAGE_DONE,
            .channel = "web",
            .text = STR("A walrus 鲸鱼 on the ice"),
            .created_at = NOW};
        rc = store_message_add(db, s->owner, &m, e);
    }
    return rc;
}

static enum rc delete_session_tx(struct db *db, void *arg, struct err *e)
{
    const struct said *s = arg;
    AUTO(arena) a = arena_new();
    struct session row;
    enum rc rc = store_session_by_id(db, a, s->owner, s->session, &row, e);
    return rc == RC_OK ? store_trash_session(db, s->owner, row.pub, NOW, e) : rc;
}

/* Most of its messages are still in the text index, but no search shows them. */
TEST(a_long_deleted_session_is_not_found_while_it_leaves_the_index)
{
    AUTO(arena) a = arena_new();
    struct place p = open_place("");
    struct said other = say(&p, p.ann, 0, 0, "A seal in the sea");
    struct said lost = say(&p, p.ann, 0, 0, "A walrus 鲸鱼 at first");
    assert_ok(store_write(p.store, many_walrus_tx, &lost, NULL));
    assert_ok(embed(&p, p.ann));
    static const char *const asks[] = {
        "walrus", "walrus ice", "鲸鱼", "\"walrus 鲸鱼\"", "wal", "role:user walrus", "walruss"};
    assert_true(find(&p, a, WANT(p.ann, "walrus")).n > 0);
    assert_ok(store_write(p.store, delete_session_tx, &lost, NULL));
    for (size_t i = 0; i < ARRAY_LEN(asks); i++) {
        struct search_typed typed;
        struct search_input in = {
            .owner = p.ann, .now = NOW, .zone = time_zone_load(a, "UTC"), .text = str_of(asks[i])};
        assert_ok(search_typed(p.store, &in, a, &typed, NULL));
        assert_int_equal(typed.hits_n, 0);
        struct search_hits all = find(&p, a, WANT(p.ann, asks[i]));
        for (size_t k = 0; k < all.n; k++)
            assert_int_equal(all.hits[k].message.id, other.id);
        assert_int_equal(find(&p, a, WANT(p.ann, asks[i], .by = SEARCH_BY_WORDS)).n, 0);
    }
    assert_int_equal(find(&p, a, WANT(p.ann, "seal", .by = SEARCH_BY_WORDS)).n, 1);
    close_place(&p);
}
