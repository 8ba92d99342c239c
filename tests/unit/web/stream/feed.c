#include "feed_rig.h"

/* All that has been submitted and what follows from it. */
static void finish_from(size_t i)
{
    for (; i < submitted_n; i++)
        finish(i);
}

/* A program that has seen the text of `message` up to `pos`. */
static int watch_data(struct place *p, int64_t message, size_t pos)
{
    return watch_as(p, &(struct reader){.form = EVENTS_DATA, .from = {message, pos}}, "");
}

TEST(steps_go_out_in_their_order_whichever_is_rendered_first)
{
    struct place p = place();
    int early = watch(&p, READER_EVENTS, "turn ");
    text(&p, "One.");
    finish(0);
    step(&p, 1);
    step(&p, 2);
    text(&p, "Three.");
    assert_string_equal(heard(early), "turn blocks1.4 ");
    finish(2);
    int late = watch(&p, READER_EVENTS, "turn ");
    assert_string_equal(heard(early), "");
    assert_string_equal(heard(late), "turn ");
    finish(1);
    finish(3);
    assert_string_equal(heard(early), "step1 step2 blocks3.6 ");
    assert_string_equal(heard(late), "step1 step2 blocks3.6 ");
    int last = watch(&p, READER_EVENTS, "turn ");
    finish(4);
    assert_string_equal(heard(last), "turn step1 step2 blocks3.6 ");
    close(early);
    close(late);
    close(last);
    leave(&p);
}

static int watch_in(struct place *p, const char *lang)
{
    return watch_as(p, &(struct reader){.lang = lang_find(str_of(lang))}, "");
}

TEST(readers_get_events_in_their_own_language)
{
    struct place p = place();
    int german = watch_in(&p, "de");
    struct turnlog_record wait = {.kind = TURNLOG_WAIT, .content = STR("40 reading")};
    p.turn.on_record(p.turn.arg, TURN, &wait);
    text(&p, "One.");
    step(&p, 1);
    text(&p, "Two.");
    finish_from(0);
    assert_int_equal(submitted_n, 3); /* rendered in one language */
    assert_string_equal(heard(german), "de:wait40 de:step1 blocks2.4 ");
    struct turnlog_record thought = {.kind = TURNLOG_THINK, .content = STR("hm")};
    p.turn.on_record(p.turn.arg, TURN, &thought);
    int english = watch_in(&p, "en"), same = watch_in(&p, "de");
    finish_from(3);
    assert_string_equal(heard(english), "step1 think=hm blocks2.4 ");
    assert_string_equal(heard(same), "de:step1 think=hm blocks2.4 ");
    assert_string_equal(heard(german), "think+hm ");
    size_t before = submitted_n;
    step(&p, 2);
    assert_int_equal(submitted_n, before + 2); /* once per language */
    finish_from(before);
    before = submitted_n;
    p.turn.on_ended(p.turn.arg, TURN);
    assert_int_equal(submitted_n, before + 2);
    finish_from(before);
    assert_string_equal(heard(english), "step2 end |");
    assert_string_equal(heard(german), "de:step2 de:end |");
    assert_string_equal(heard(same), "de:step2 de:end |");
    close(german);
    close(english);
    close(same);
    leave(&p);
}

TEST(text_that_arrives_during_rendering_is_sent_together)
{
    struct place p = place();
    int fd = watch(&p, READER_EVENTS, "");
    text(&p, "One.");
    text(&p, " Two.");
    text(&p, " Three.");
    assert_int_equal(submitted_n, 1);
    finish(0);
    assert_string_equal(heard(fd), "blocks1.4 ");
    finish(1);
    assert_string_equal(heard(fd), "blocks1.16 ");
    assert_int_equal(submitted_n, 2);
    close(fd);
    leave(&p);
}

TEST(a_reader_that_joins_during_rendering_gets_older_blocks_first)
{
    struct place p = place();
    int early = watch(&p, READER_EVENTS, "");
    text(&p, "One.");
    int late = watch(&p, READER_EVENTS, "");
    text(&p, " Two.");
    finish(0);
    assert_string_equal(heard(early), "blocks1.4 ");
    assert_string_equal(heard(late), "");
    finish(1);
    assert_string_equal(heard(early), "blocks1.9 ");
    assert_string_equal(heard(late), "blocks1.9 ");
    text(&p, " Three.");
    finish(2);
    assert_string_equal(heard(early), "blocks1.16 ");
    assert_string_equal(heard(late), "blocks1.16 ");
    close(early);
    close(late);
    leave(&p);
}

TEST(a_late_reader_gets_finished_blocks_from_the_log)
{
    struct place p = place_inline(1000);
    int early = watch(&p, READER_EVENTS, "");
    text(&p, "One.\n\nTwo.\n\nThree");
    assert_string_equal(heard(early), "blocks1.17 ");
    int late = watch(&p, READER_EVENTS, "");
    assert_string_equal(heard(late), "blocks1.17 ");
    assert_int_equal(turnlog_remove(unit_tmp(), TURN, NULL), RC_OK); /* the turn has ended */
    int last = watch(&p, READER_EVENTS, "");
    assert_string_equal(heard(last), "");
    p.turn.on_ended(p.turn.arg, TURN);
    finish(0);
    assert_string_equal(heard(last), "end |");
    assert_string_equal(heard(late), "end |");
    close(early);
    close(late);
    close(last);
    leave(&p);
}

TEST(a_step_brings_a_reader_that_waits_for_older_blocks_up_to_date)
{
    struct place p = place();
    text(&p, "One.");
    int fd = watch(&p, READER_EVENTS, "");
    step(&p, 1);
    text(&p, "Two.");
    finish(0);
    assert_string_equal(heard(fd), "");
    finish(1);
    finish(2);
    assert_string_equal(heard(fd), "step1 blocks2.4 ");
    close(fd);
    leave(&p);
}

TEST(without_readers_nothing_is_rendered)
{
    struct place p = place();
    int form = watch(&p, READER_WAITS, "redirect ");
    text(&p, "One.");
    assert_int_equal(submitted_n, 0);
    int fd = watch(&p, READER_EVENTS, "");
    close(form);
    finish(0);
    assert_string_equal(heard(fd), "blocks1.4 ");
    close(fd);
    leave(&p);
}

TEST(few_bytes_are_rendered_at_once)
{
    struct place p = place_inline(20);
    int fd = watch(&p, READER_EVENTS, "");
    text(&p, "One.");
    assert_string_equal(heard(fd), "blocks1.4 ");
    text(&p, "\n\nTwo.\n\n");
    assert_string_equal(heard(fd), "blocks1.12 ");
    assert_int_equal(submitted_n, 0);
    text(&p, "Three, after settled text.");
    assert_int_equal(submitted_n, 1);
    finish(0);
    assert_string_equal(heard(fd), "blocks1.38 ");
    text(&p, "\n\nx");
    finish(1);
    heard(fd);
    text(&p, "y");
    assert_int_equal(submitted_n, 2);
    int late = watch(&p, READER_EVENTS, "");
    finish(2);
    assert_string_equal(heard(late), "blocks1.42 ");
    close(fd);
    close(late);
    leave(&p);
}

TEST(programs_get_text_at_once_and_missing_text_after_a_reconnect)
{
    struct place p = place();
    int early = watch_data(&p, 0, 0);
    text(&p, "Gr\xC3\xBC");
    text(&p, "n.");
    assert_string_equal(heard(early), "TEXT1.4:Gr\xC3\xBC TEXT1.6:n. ");
    assert_int_equal(submitted_n, 0); /* nothing is rendered for programs */
    int late = watch_data(&p, 0, 0), back = watch_data(&p, 1, 4), inside = watch_data(&p, 1, 3);
    int ahead = watch_data(&p, 1, 99);
    assert_string_equal(heard(late), "TEXT1.6:Gr\xC3\xBCn. ");
    assert_string_equal(heard(back), "TEXT1.6:n. ");
    assert_string_equal(heard(inside), "TEXT1.6:\xC3\xBCn. ");
    assert_string_equal(heard(ahead), "");
    int page = watch(&p, READER_EVENTS, "");
    text(&p, " Yes.");
    finish_from(0);
    assert_string_equal(heard(page), "blocks1.6 blocks1.11 ");
    for (const int *fd = (const int[]){early, late, back, inside, ahead, -1}; *fd >= 0; fd++) {
        assert_string_equal(heard(*fd), "TEXT1.11: Yes. ");
        close(*fd);
    }
    close(page);
    leave(&p);
}

TEST(programs_get_the_steps_between_the_texts_and_the_end_last)
{
    struct place p = place();
    int fd = watch_data(&p, 0, 0);
    text(&p, "One.");
    step(&p, 1);
    text(&p, "Two.");
    assert_string_equal(heard(fd), "TEXT1.4:One. ");
    finish(0);
    assert_string_equal(heard(fd), "STEP1 TEXT2.4:Two. ");
    int late = watch_data(&p, 1, 4);
    assert_string_equal(heard(late), "STEP1 TEXT2.4:Two. ");
    p.turn.on_unsaved(p.turn.arg, TURN);
    p.turn.on_ended(p.turn.arg, TURN);
    finish(1);
    assert_string_equal(heard(fd), "UNSAVED2 END |");
    assert_string_equal(heard(late), "UNSAVED2 END |");
    close(fd);
    close(late);
    leave(&p);
}

TEST(a_text_that_cannot_be_shown_is_logged_once_for_its_message)
{
    struct place p = place();
    int fd = watch(&p, READER_EVENTS, "");
    unit_log_begin();
    char *big = malloc(TURN_TEXT_MAX + 2);
    memset(big, 'x', TURN_TEXT_MAX + 1);
    big[TURN_TEXT_MAX + 1] = 0;
    for (int message = 1; message <= 2; message++) {
        for (int i = 0; i < 5; i++)
            text(&p, big);
        step(&p, message);
    }
    assert_int_equal(unit_log_lines(), 2);
    free(big);
    close(fd);
    finish_from(0);
    leave(&p);
}
