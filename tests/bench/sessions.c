/*
 * Fills a database for the part `sessions` of the bench:
 *
 *     sessions DATABASE USERS SESSIONS MESSAGES
 *
 * The user "many" gets SESSIONS with MESSAGES in all, "few" 1,000 sessions of the same size, and "other0" to
 * "other<USERS - 1>" 20 each. Users that do not exist are made, without a password. "many" also gets a
 * session of 50 and one of 5,000 messages, which are named so. Rows are made by the product's own functions,
 * so they have their entries in the text index. Vectors are left to the helper. The service must not run.
 * Prints the seconds and words for
 * searches as JSON: such as people search for, which a thousandth to a hundredth of the messages have.
 */
#include "texts.h"

#include <time.h>

#include "base/clock.h"
#include "base/id.h"
#include "store/account/user.h"
#include "store/message/message.h"
#include "store/session/session.h"

#define FEW         1000
#define OTHERS      20
#define TEXT_WORDS  20
#define TITLE_WORDS 4
#define PER_WRITE   2000 /* messages */
#define A_DAY       MS_PER_DAY
#define SEARCHED    200 /* words for searches, between these places in the order of frequency */
#define COMMON      100.0
#define RARE        10000.0

struct filling {
    struct store *store;
    int64_t owner, first_at;
    const char *title;   /* of all sessions; NULL: made-up words */
    long sessions, each; /* to add, with so many messages */
    long upto;           /* sessions before this one are added in this transaction */
    long done;
};

static enum rc add_session(struct db *db, const struct filling *f, struct err *e)
{
    AUTO(arena) a = arena_new();
    char pub[ID_SIZE];
    int64_t id, at = f->first_at + f->done * MS_PER_MIN;
    struct message m = {.parent_id = 0};
    id_new(ID_SESSION, pub);
    enum rc rc = store_session_add(db, f->owner, pub, NULL, NULL, at, &id, e);
    if (rc == RC_OK)
        rc =
            store_session_suggest_title(db, f->owner, id, f->title ? f->title : make_text(a, TITLE_WORDS), e);
    for (long i = 0; rc == RC_OK && i < f->each; i++) {
        m = (struct message){.session_id = id,
            .parent_id = m.id,
            .role = i % 2 ? ROLE_ASSISTANT : ROLE_USER,
            .status = MESSAGE_DONE,
            .channel = "web",
            .text = str_of(make_text(a, TEXT_WORDS)),
            .created_at = at + i,
            .ended_at = at + i};
        rc = store_message_add(db, f->owner, &m, e);
    }
    return rc;
}

static enum rc fill_tx(struct db *db, void *arg, struct err *e)
{
    struct filling *f = arg;
    enum rc rc = RC_OK;
    for (; rc == RC_OK && f->done < f->upto; f->done++)
        rc = add_session(db, f, e);
    return rc;
}

static void fill(struct filling *f)
{
    struct err e = ERR_INIT;
    long step = f->each < PER_WRITE ? PER_WRITE / f->each : 1;
    for (f->done = 0; f->done < f->sessions;) {
        f->upto = f->done + step < f->sessions ? f->done + step : f->sessions;
        must(store_write_lazy(f->store, fill_tx, f, &e), &e);
    }
}

struct name {
    const char *name;
    int64_t id;
};

static enum rc user_tx(struct db *db, void *arg, struct err *e)
{
    struct name *n = arg;
    enum rc rc = db_one_int(db, "SELECT id FROM user WHERE name = ?", ARGS(v_text(n->name)), &n->id, e);
    return rc == RC_NOT_FOUND ? store_user_add(db, n->name, USER_MEMBER, "-", clock_wall_ms(), &n->id, e)
                              : rc;
}

static struct filling of_user(struct store *s, const char *name, long sessions, long each)
{
    struct err e = ERR_INIT;
    struct name n = {.name = name};
    must(store_write(s, user_tx, &n, &e), &e);
    return (struct filling){.store = s,
        .owner = n.id,
        .first_at = clock_wall_ms() - sessions * MS_PER_MIN - A_DAY,
        .sessions = sessions,
        .each = each};
}

int main(int argc, char **argv)
{
    struct store *store;
    struct err e = ERR_INIT;
    if (argc != 5) {
        fprintf(stderr, "usage: sessions DATABASE USERS SESSIONS MESSAGES\n");
        return 2;
    }
    long users = atol(argv[2]), sessions = atol(argv[3]), each = atol(argv[4]) / sessions;
    int64_t start = clock_mono_ms();
    make_words();
    must(store_open(argv[1], 1, &store, &e), &e);
    struct filling f = of_user(store, "many", sessions, each);
    fill(&f);
    f = of_user(store, "many", 1, 5000);
    f.title = "5000 messages";
    fill(&f);
    f = of_user(store, "many", 1, 50);
    f.title = "50 messages";
    fill(&f);
    f = of_user(store, "few", FEW, each);
    fill(&f);
    for (long i = 0; i < users; i++) {
        char name[32];
        snprintf(name, sizeof name, "other%ld", i);
        f = of_user(store, name, OTHERS, each);
        fill(&f);
    }
    store_free(store);
    printf("{\"seconds\": %.1f, \"words\": [", (double)(clock_mono_ms() - start) / MS_PER_S);
    for (int i = 0; i < SEARCHED; i++)
        printf("%s\"%s\"", i ? ", " : "", words[(size_t)(COMMON * pow(RARE / COMMON, (double)i / SEARCHED))]);
    printf("]}\n");
    return 0;
}
