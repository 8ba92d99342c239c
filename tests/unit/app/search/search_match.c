/* Phrases, beginnings and excluded words of scripts without blanks, whose index has no places of words. */
#include "search_place.h"

#include "app/search/search_query.h"

/* The texts that a query finds, separated by "|", the newest first. */
static const char *found(struct place *p, struct arena *a, const char *text)
{
    struct search_where w = {p->store, p->config, p->providers};
    struct search_query q;
    struct search_hits hits;
    struct db *db = store_read(p->store);
    const char *out = "";
    assert_ok(search_query_read(
        db, a, &(struct search_input){p->ann, NOW, time_zone_load(a, "UTC"), str_of(text)}, &q, NULL));
    store_read_done(p->store, db);
    struct search_request want = {.owner = p->ann, .text = q.words, .query = &q, .by = SEARCH_BY_WORDS};
    assert_ok(search_run(&w, &want, a, &hits, NULL));
    bool taken[8] = {false};
    assert_true(hits.n <= ARRAY_LEN(taken));
    for (size_t k = 0; k < hits.n; k++) {
        size_t newest = hits.n;
        for (size_t i = 0; i < hits.n; i++)
            if (!taken[i] && (newest == hits.n || hits.hits[i].message.id > hits.hits[newest].message.id))
                newest = i;
        taken[newest] = true;
        out = arena_printf(a, "%s%s%.*s", out, k ? "|" : "", STR_FMT(hits.hits[newest].message.text));
    }
    return out;
}

static const char *typed(struct place *p, struct arena *a, const char *text)
{
    struct search_typed out;
    struct search_input in = {
        .owner = p->ann, .now = NOW, .zone = time_zone_load(a, "UTC"), .text = str_of(text)};
    assert_ok(search_typed(p->store, &in, a, &out, NULL));
    const char *texts = "";
    for (size_t i = 0; i < out.hits_n; i++)
        texts = arena_printf(a, "%s%s%.*s", texts, i ? "|" : "", STR_FMT(out.hits[i].message.text));
    return texts;
}

TEST(phrases_of_pairs_are_found_in_their_order_only)
{
    AUTO(arena) a = arena_new();
    struct place p = open_place("");
    say(&p, p.ann, 0, 0, "昨日は味噌ラーメン");
    say(&p, p.ann, 0, 0, "ラーメンと味噌ラと噌ラー"); /* all pairs, elsewhere */
    say(&p, p.ann, 0, 0, "오늘 날씨가 좋다");
    say(&p, p.ann, 0, 0, "날씨가 오늘");
    say(&p, p.ann, 0, 0, "สวัสดีครับ");
    say(&p, p.ann, 0, 0, "GPT模型很好 model");
    say(&p, p.bob, 0, 0, "味噌ラーメンと오늘 날씨가");
    static const struct {
        const char *query, *found;
    } cases[] = {{"\"味噌ラーメン\"", "昨日は味噌ラーメン"},
        {"\"味噌\" 昨日", "ラーメンと味噌ラと噌ラー|昨日は味噌ラーメン"},
        {"味噌ラ*", "ラーメンと味噌ラと噌ラー|昨日は味噌ラーメン"}, {"味噌ラー*", "昨日は味噌ラーメン"},
        {"味*", "ラーメンと味噌ラと噌ラー|昨日は味噌ラーメン"},
        {"メン -\"味噌ラーメン\"", "ラーメンと味噌ラと噌ラー"},
        {"メン -味噌ラー*", "ラーメンと味噌ラと噌ラー"}, {"メン -\"味噌\"", ""},
        {"\"오늘 날씨가\"", "오늘 날씨가 좋다"}, {"\"สวัสดีครับ\"", "สวัสดีครับ"}, {"\"สวัสดีสวัส\"", ""},
        {"\"GPT模型\"", "GPT模型很好 model"}, {"\"模型GPT\"", ""}, {"\"很好 model\"", "GPT模型很好 model"}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *is = found(&p, a, cases[i].query);
        if (strcmp(is, cases[i].found) != 0)
            print_error("%s\n", cases[i].query);
        assert_string_equal(is, cases[i].found);
    }
    assert_string_equal(typed(&p, a, "\"味噌ラーメン\""), "昨日は味噌ラーメン");
    assert_string_equal(typed(&p, a, "味噌ラー*"), "昨日は味噌ラーメン");
    assert_string_equal(typed(&p, a, "メン -\"味噌ラーメン\""), "ラーメンと味噌ラと噌ラー");
    close_place(&p);
}
