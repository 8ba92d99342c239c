/* The pictures of a context: which are shown, what stands for the others, and what they cost. */
#include "unit.h"

#include <string.h>

#include "app/context/context_pictures.h"

#define WINDOW 128000
#define KB     1024
#define PATH_N 40
#define TOKENS (640 * 480 / CONTEXT_PIXELS_PER_TOKEN + CONTEXT_TOKENS_PER_ENTRY)
#define ONE    "[Picture, 640 x 480: not shown here]"

static const struct config config = {.context.policy = CONTEXT_FULL};

static struct message said(int64_t id, enum message_role role, const char *text)
{
    return (struct message){.id = id, .role = role, .status = MESSAGE_DONE, .text = str_of(text)};
}

/* A question with `n` pictures, whose ids are "pic_ID_0" and so on. */
static struct message shows(struct arena *a, int64_t id, const char *text, size_t n, int64_t bytes)
{
    struct message m = said(id, ROLE_USER, text);
    struct picture *list = ARENA_ARRAY(a, struct picture, n);
    for (size_t i = 0; i < n; i++) {
        const char *pub = arena_printf(a, "pic_%d_%zu", (int)id, i);
        list[i] = (struct picture){
            .pub = pub, .media_type = "image/png", .width = 640, .height = 480, .bytes = bytes};
    }
    m.pictures = list;
    m.pictures_n = n;
    return m;
}

static size_t build(struct arena *a, const struct context_frame *f, const struct message *path, size_t n,
    struct llm_message **out, struct context_size *size)
{
    size_t got;
    struct context_frame frame = *f;
    frame.window = f->window ? f->window : WINDOW;
    assert_int_equal(context_build(a, &config, &frame, path, n, out, &got, size, NULL), RC_OK);
    return got;
}

/* The ids of all pictures that are shown, with blanks between them. */
static const char *shown(struct arena *a, const struct llm_message *m, size_t n)
{
    const char *all = "";
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < m[i].pictures_n; k++)
            all = arena_printf(a, "%s%s%s", all, *all ? " " : "", m[i].pictures[k].id);
    return all;
}

TEST(pictures_go_with_their_question_and_have_no_bytes_yet)
{
    AUTO(arena) a = arena_new();
    struct message path[] = {
        shows(a, 1, "What?", 2, KB), said(2, ROLE_ASSISTANT, "A cat."), said(3, ROLE_USER, "Which?")};
    struct llm_message *m;
    assert_int_equal(build(a, &(struct context_frame){0}, path, 3, &m, NULL), 3);
    assert_true(str_is(m[0].text, "What?"));
    assert_string_equal(shown(a, m, 3), "pic_1_0 pic_1_1");
    assert_string_equal(m[0].pictures[1].media_type, "image/png");
    assert_int_equal(m[0].pictures[1].width, 640);
    assert_int_equal(m[0].pictures[1].height, 480);
    assert_int_equal(m[0].pictures[0].base64.len, 0);
    assert_int_equal(m[2].pictures_n, 0);
}

TEST(a_message_with_a_picture_only_is_a_message)
{
    AUTO(arena) a = arena_new();
    struct message path[] = {
        shows(a, 1, "", 1, KB), said(2, ROLE_ASSISTANT, "A cat."), said(3, ROLE_USER, "Which?")};
    const struct context_frame text_only = {.text_only = true}, none = {.pictures = CONTEXT_PICTURES_NONE};
    struct llm_message *m;
    assert_true(context_counts(&path[0]));
    assert_int_equal(build(a, &text_only, path, 3, &m, NULL), 3);
    assert_int_equal(m[0].text.len, 0);
    assert_string_equal(shown(a, m, 3), "pic_1_0");
    assert_int_equal(build(a, &none, path, 3, &m, NULL), 3);
    assert_true(str_is(m[0].text, ONE));
    assert_int_equal(m[0].pictures_n, 0);
}

TEST(a_note_stands_for_pictures_that_are_not_shown)
{
    AUTO(arena) a = arena_new();
    struct message path[] = {shows(a, 1, "What?", 2, KB), said(2, ROLE_ASSISTANT, "A cat."),
        shows(a, 3, "And this?", 1, KB), said(4, ROLE_ASSISTANT, "A dog."), said(5, ROLE_USER, "Which?")};
    const struct context_frame none = {.pictures = CONTEXT_PICTURES_NONE},
                               newest = {.pictures = CONTEXT_PICTURES_NEWEST};
    struct llm_message *m;
    build(a, &none, path, 5, &m, NULL);
    assert_true(str_is(m[0].text, ONE "\n" ONE "\n\nWhat?"));
    assert_true(str_is(m[2].text, ONE "\n\nAnd this?"));
    assert_string_equal(shown(a, m, 5), "");
    build(a, &newest, path, 5, &m, NULL);
    assert_true(str_is(m[0].text, ONE "\n" ONE "\n\nWhat?"));
    assert_true(str_is(m[2].text, "And this?"));
    assert_string_equal(shown(a, m, 5), "pic_3_0");
    assert_int_equal(context_pictures_note(a, &path[1]).len, 0);
}

TEST(the_newest_pictures_are_shown_up_to_a_number)
{
    AUTO(arena) a = arena_new();
    struct message path[PATH_N];
    struct llm_message *m;
    for (int i = 0; i < PATH_N; i++)
        path[i] = i % 2 ? said(i, ROLE_ASSISTANT, "A cat.") : shows(a, i, "What?", 1, KB);
    size_t n = build(a, &(struct context_frame){0}, path, PATH_N - 1, &m, NULL), with = 0;
    for (size_t i = 0; i < n; i++)
        with += m[i].pictures_n;
    assert_int_equal(with, CONTEXT_PICTURES_MAX);
    assert_int_equal(m[n - 1].pictures_n, 1);
    assert_true(str_is(m[0].text, ONE "\n\nWhat?"));

    /* a message shows all of its pictures or none */
    struct message few[] = {shows(a, 0, "1", 8, KB), said(1, ROLE_ASSISTANT, "a"), shows(a, 2, "2", 5, KB),
        said(3, ROLE_ASSISTANT, "b"), shows(a, 4, "3", 4, KB), said(5, ROLE_ASSISTANT, "c"),
        said(6, ROLE_USER, "?")};
    build(a, &(struct context_frame){0}, few, 7, &m, NULL);
    assert_int_equal(m[0].pictures_n, 0);
    assert_int_equal(m[2].pictures_n, 5);
    assert_int_equal(m[4].pictures_n, 4);
}

TEST(the_newest_pictures_are_shown_up_to_a_number_of_bytes)
{
    AUTO(arena) a = arena_new();
    struct message path[] = {shows(a, 1, "1", 1, 1), said(2, ROLE_ASSISTANT, "a"),
        shows(a, 3, "2", 1, CONTEXT_PICTURE_BYTES_MAX / 2), said(4, ROLE_ASSISTANT, "b"),
        shows(a, 5, "3", 1, CONTEXT_PICTURE_BYTES_MAX / 2)};
    struct llm_message *m;
    assert_string_equal(
        shown(a, m, build(a, &(struct context_frame){0}, path, 5, &m, NULL)), "pic_3_0 pic_5_0");
}

TEST(joined_questions_have_the_pictures_of_all_and_no_empty_paragraphs)
{
    AUTO(arena) a = arena_new();
    struct message path[] = {shows(a, 1, "", 1, KB), shows(a, 2, "What?", 2, KB), said(3, ROLE_USER, "Well?"),
        shows(a, 4, "", 1, KB)};
    struct llm_message *m;
    assert_int_equal(build(a, &(struct context_frame){0}, path, 4, &m, NULL), 1);
    assert_true(str_is(m[0].text, "What?\n\nWell?"));
    assert_string_equal(shown(a, m, 1), "pic_1_0 pic_2_0 pic_2_1 pic_4_0");
    assert_int_equal(m[0].earlier, m[0].text.len);
    struct message only[] = {shows(a, 1, "", 1, KB), shows(a, 2, "", 1, KB)};
    assert_int_equal(build(a, &(struct context_frame){0}, only, 2, &m, NULL), 1);
    assert_int_equal(m[0].text.len, 0);
    assert_int_equal(m[0].pictures_n, 2);
}

TEST(a_picture_costs_its_pixels_up_to_a_limit_and_a_note_its_words)
{
    AUTO(arena) a = arena_new();
    struct message small = shows(a, 1, "", 2, KB), large = shows(a, 2, "", 1, KB);
    struct picture giant = {
        .pub = "pic_x", .media_type = "image/png", .width = 16384, .height = 16384, .bytes = KB};
    large.pictures = &giant;
    assert_int_equal(pictures_tokens(&small, true), 2 * TOKENS);
    assert_int_equal(pictures_tokens(&large, true), CONTEXT_PICTURE_TOKENS_MAX);
    int64_t note = pictures_tokens(&large, false);
    assert_in_range(note, context_pictures_note(a, &large).len / CONTEXT_BYTES_PER_TOKEN + 1,
        context_tokens(context_pictures_note(a, &large)));
}

TEST(the_estimate_of_a_path_is_what_is_sent)
{
    AUTO(arena) a = arena_new();
    struct message path[PATH_N];
    struct llm_message *m;
    struct context_size size;
    for (int i = 0; i < PATH_N; i++)
        path[i] = i % 2 ? said(i, ROLE_ASSISTANT, "A cat.") : shows(a, i, "What?", 1, KB);
    for (int which = CONTEXT_PICTURES_RECENT; which <= CONTEXT_PICTURES_NONE; which++) {
        const struct context_frame f = {.pictures = (enum context_pictures)which};
        size_t n = build(a, &f, path, PATH_N - 1, &m, &size);
        int64_t sent = context_sent(m, n);
        assert_in_range(size.tokens, sent - sent / 10, sent + sent / 10);
    }
}

/* Twenty notes are short; twenty pictures would leave no room for the texts. */
TEST(pictures_that_are_not_shown_take_no_room_from_the_texts)
{
    AUTO(arena) a = arena_new();
    struct message path[PATH_N];
    struct llm_message *m;
    for (int i = 0; i < PATH_N; i++)
        path[i] = i % 2 ? said(i, ROLE_ASSISTANT, "A cat.") : shows(a, i, "What?", 1, KB);
    const struct context_frame newest = {.pictures = CONTEXT_PICTURES_NEWEST, .window = 8000};
    assert_int_equal(build(a, &newest, path, PATH_N - 1, &m, NULL), PATH_N - 1);
    assert_true(str_is(m[0].text, ONE "\n\nWhat?"));
}
