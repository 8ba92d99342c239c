#include "unit.h"

#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "web/stream/live.h"

struct place {
    struct loop *loop;
    struct live *live;
    int browser;
    int logins, turns, suggestions;
    int64_t gone;
    char got[64 * 1024];
};

static void on_logins(void *arg)
{
    ((struct place *)arg)->logins++;
}

static void on_check_turns(void *arg)
{
    ((struct place *)arg)->turns++;
}

static void on_suggestion(void *arg)
{
    ((struct place *)arg)->suggestions++;
}

static void on_gone(void *arg, int64_t session_id)
{
    ((struct place *)arg)->gone = session_id;
}

static void begin(struct place *p)
{
    *p = (struct place){0};
    assert_int_equal(loop_new(&p->loop, NULL), RC_OK);
    struct live_setup set = {.loop = p->loop,
        .data_dir = unit_tmp(),
        .logins_changed = on_logins,
        .session_gone = on_gone,
        .check_turns = on_check_turns,
        .suggestion_changed = on_suggestion,
        .arg = p};
    assert_int_equal(live_new(&set, &p->live, NULL), RC_OK);
}

static void leave(struct place *p)
{
    live_free(p->live);
    loop_free(p->loop);
}

/* A reader of `owner` that knows everything up to `known`. Returns the browser's end. */
static int join(struct place *p, int64_t owner, int64_t known)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    struct reader *r =
        reader_new(READER_EVENTS, (struct fcgi_conn){.fd = ends[0], .request_id = 1}, STR("\n"), 4096);
    r->form = EVENTS_DATA;
    r->live = true;
    r->owner = owner;
    r->known = known;
    live_attach(p->live, r);
    return ends[1];
}

/* All that has arrived; ends with NUL. */
static const char *read_all(struct place *p, int fd)
{
    size_t n = 0;
    for (ssize_t got; (got = recv(fd, p->got + n, sizeof p->got - 1 - n, MSG_DONTWAIT)) > 0;)
        n += (size_t)got;
    for (size_t i = 0; i < n; i++)
        if (!p->got[i])
            p->got[i] = '.'; /* of the FastCGI records */
    p->got[n] = '\0';
    return p->got;
}

static int count(const char *text, const char *word)
{
    int n = 0;
    while ((text = strstr(text, word))) {
        n++;
        text += strlen(word);
    }
    return n;
}

static void take(struct place *p, uint64_t sender, uint64_t number, const struct change *c)
{
    static struct changes_datagram d;
    d = (struct changes_datagram){
        .sender = sender, .number = number, .size = sizeof(struct change), .n = c ? 1 : 0};
    if (c)
        d.list[0] = *c;
    live_take(p->live, &d, offsetof(struct changes_datagram, list) + d.n * sizeof d.list[0]);
    live_flush(p->live);
}

#define TASK(of, row) (&(struct change){.owner = (of), .id = (row), .kind = CHANGE_TASK, .pub = "7"})

TEST(a_change_reaches_its_owner_only)
{
    struct place p;
    begin(&p);
    int mine = join(&p, 1, 0), other = join(&p, 2, 0);
    take(&p, 9, 1, TASK(1, 7));
    assert_int_equal(count(read_all(&p, mine), "event: task\n"), 1);
    assert_int_equal(count(read_all(&p, other), "event: task\n"), 0);
    close(mine);
    close(other);
    leave(&p);
}

TEST(a_missing_number_tells_everybody_to_read_again)
{
    struct place p;
    begin(&p);
    int mine = join(&p, 1, 0);
    take(&p, 9, 1, TASK(2, 7));
    take(&p, 9, 2, TASK(2, 7));
    assert_int_equal(count(read_all(&p, mine), "event: reload"), 0);
    take(&p, 9, 4, NULL);
    assert_int_equal(count(read_all(&p, mine), "event: reload"), 1);
    assert_int_equal(p.logins, 1); /* it may have been about a login */
    live_take(p.live, "?", 1);     /* a program of another version */
    live_flush(p.live);
    assert_int_equal(count(read_all(&p, mine), "event: reload"), 1);
    close(mine);
    leave(&p);
}

TEST(a_reader_that_returns_gets_what_the_ring_has_and_else_reload)
{
    struct place p;
    begin(&p);
    int64_t before = clock_wall_ms() * US_PER_MS + US_PER_MS;
    while (clock_wall_ms() * US_PER_MS < before)
        usleep(100);
    take(&p, 9, 1, TASK(1, 7));
    int back = join(&p, 1, before - 1);
    assert_int_equal(count(read_all(&p, back), "event: task\n"), 1);
    for (uint64_t i = 0; i < LIVE_RING; i++)
        take(&p, 9, 2 + i, TASK(2, (int64_t)i));
    int late = join(&p, 1, before - 1), future = join(&p, 1, before + 1000 * MS_PER_DAY * US_PER_MS);
    assert_int_equal(count(read_all(&p, late), "event: reload"), 1);
    assert_int_equal(count(read_all(&p, future), "event: reload"), 1);
    close(back);
    close(late);
    close(future);
    leave(&p);
}

TEST(a_change_of_a_login_is_no_event_and_is_reported)
{
    struct place p;
    begin(&p);
    int mine = join(&p, 1, 0);
    read_all(&p, mine);
    take(&p, 9, 1, &(struct change){.owner = 1, .id = 3, .kind = CHANGE_LOGIN});
    assert_int_equal(p.logins, 1);
    assert_int_equal(p.turns, 0);
    assert_int_equal(count(read_all(&p, mine), "event:"), 0);
    close(mine);
    leave(&p);
}

TEST(a_change_of_a_user_also_asks_for_a_check_of_the_turns)
{
    struct place p;
    begin(&p);
    take(&p, 9, 1, &(struct change){.owner = 1, .kind = CHANGE_LOGIN});
    assert_int_equal(p.logins, 1);
    assert_int_equal(p.turns, 1);
    leave(&p);
}

TEST(many_changes_of_an_owner_become_one)
{
    static struct changes_datagram d;
    d.n = 0;
    for (int64_t i = 1; i <= 2 * CHANGES_MAX; i++)
        changes_add(&d, TASK(1, i));
    changes_add(&d, TASK(2, 1));
    changes_add(&d, TASK(2, 1));
    assert_int_equal(d.n, 2);
    assert_int_equal(d.list[0].kind, CHANGE_ALL);
    assert_int_equal(d.list[0].owner, 1);
    assert_int_equal(d.list[1].kind, CHANGE_TASK);
}

TEST(a_reader_that_does_not_read_is_dropped)
{
    struct place p;
    begin(&p);
    int slow = join(&p, 1, 0);
    for (uint64_t i = 0; i < 20000 && live_count(p.live); i++)
        take(&p, 9, 1 + i, TASK(1, (int64_t)i));
    assert_int_equal(live_count(p.live), 0);
    close(slow);
    leave(&p);
}

TEST(a_decided_suggestion_and_lost_changes_are_reported)
{
    struct place p;
    begin(&p);
    take(&p, 9, 1, TASK(1, 5));
    assert_int_equal(p.suggestions, 0);
    take(&p, 9, 2, &(struct change){.owner = 1, .id = 7, .kind = CHANGE_SUGGESTION});
    assert_int_equal(p.suggestions, 1);
    take(&p, 9, 3, &(struct change){.owner = 1, .kind = CHANGE_ALL});
    assert_int_equal(p.suggestions, 2);
    leave(&p);
}

TEST(a_deleted_session_is_reported)
{
    struct place p;
    begin(&p);
    take(&p, 9, 1,
        &(struct change){.owner = 1, .id = 5, .value = CHANGE_GONE, .kind = CHANGE_SESSION, .pub = "ses"});
    assert_int_equal(p.gone, 5);
    assert_int_equal(p.turns, 0);
    leave(&p);
}

TEST(deleted_sessions_may_be_among_changes_that_became_one_or_were_lost)
{
    struct place p;
    static struct changes_datagram d;
    begin(&p);
    for (uint64_t number = 1; number <= 2; number++) {
        d = (struct changes_datagram){
            .sender = 9, .number = number, .size = sizeof(struct change), .n = CHANGES_MAX};
        for (uint32_t i = 0; i < d.n; i++)
            d.list[i] = (struct change){.owner = 1,
                .id = (int64_t)number * CHANGES_MAX + i,
                .value = CHANGE_GONE,
                .kind = CHANGE_SESSION};
        live_take(p.live, &d, sizeof d);
    }
    live_flush(p.live);
    assert_int_equal(p.turns, 1);
    take(&p, 9, 4, NULL);
    assert_int_equal(p.turns, 2);
    leave(&p);
}

/* The limits of silence with which proxies come: 50 s in Debian's haproxy.cfg, 60 s in nginx. */
TEST(pings_come_within_the_limits_of_common_proxies)
{
    assert_in_range(LIVE_PING_MS, 1, 49 * MS_PER_S);
}
