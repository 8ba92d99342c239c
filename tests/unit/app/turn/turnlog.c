#include "unit.h"

#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/turn/turnlog.h"
#include "base/fs.h"

#define TURN "trn_00000000000000000000000000"

static void collect(void *arg, const struct turnlog_record *r)
{
    strbuf_addf(arg, "%c:%.*s|", r->kind, STR_FMT(r->content));
}

static const char *dir_for(const char *name, char out[FS_PATH_MAX])
{
    assert_int_equal(fs_join(out, unit_tmp(), name, NULL), RC_OK);
    return out;
}

TEST(a_log_returns_the_appended_records)
{
    char dir[FS_PATH_MAX];
    AUTO(turnlogs) logs = NULL;
    AUTO(turnlog) l = NULL;
    AUTO_STRBUF got;
    strbuf_init(&got, 4096);
    dir_for("roundtrip", dir);
    logs = turnlogs_new(dir);
    assert_int_equal(turnlog_create(logs, TURN, &l, NULL), RC_OK);
    turnlog_append(l, TURNLOG_MESSAGE, STR("17"), NULL);
    turnlog_append(l, TURNLOG_TEXT, STR("two\nlines\n"), NULL);
    turnlog_append(l, TURNLOG_THINK, STR(""), NULL);
    assert_int_equal(turnlog_scan(dir, TURN, collect, &got, NULL), RC_OK);
    assert_string_equal(got.s, "m:17|t:two\nlines\n|k:|");
    assert_int_equal(turnlog_create(logs, TURN, &(struct turnlog *){NULL}, NULL), RC_UNAVAILABLE);
    assert_int_equal(turnlog_remove(dir, TURN, NULL), RC_OK);
    assert_int_equal(turnlog_remove(dir, TURN, NULL), RC_OK);
    assert_int_equal(turnlog_scan(dir, TURN, collect, &got, NULL), RC_NOT_FOUND);
}

TEST(the_text_of_a_message_ends_where_the_next_message_begins)
{
    char dir[FS_PATH_MAX];
    AUTO(turnlogs) logs = NULL;
    AUTO(turnlog) l = NULL;
    AUTO_STRBUF got;
    strbuf_init(&got, 4096);
    dir_for("text", dir);
    logs = turnlogs_new(dir);
    assert_int_equal(turnlog_text(dir, TURN, 17, &got, NULL), RC_NOT_FOUND);
    assert_int_equal(turnlog_create(logs, TURN, &l, NULL), RC_OK);
    turnlog_append(l, TURNLOG_MESSAGE, STR("17"), NULL);
    turnlog_append(l, TURNLOG_TEXT, STR("one "), NULL);
    turnlog_append(l, TURNLOG_THINK, STR("hm"), NULL);
    turnlog_append(l, TURNLOG_TEXT, STR("two"), NULL);
    assert_int_equal(turnlog_text(dir, TURN, 17, &got, NULL), RC_OK);
    assert_string_equal(got.s, "one two");
    turnlog_append(l, TURNLOG_MESSAGE, STR("20"), NULL);
    turnlog_append(l, TURNLOG_TEXT, STR("three"), NULL);
    strbuf_clear(&got);
    assert_int_equal(turnlog_text(dir, TURN, 20, &got, NULL), RC_OK);
    assert_string_equal(got.s, "three");
    strbuf_clear(&got);
    assert_int_equal(turnlog_text(dir, TURN, 17, &got, NULL), RC_OK);
    assert_int_equal(got.len, 0);
}

TEST(a_reader_goes_on_behind_the_last_whole_record)
{
    char dir[FS_PATH_MAX];
    AUTO(turnlogs) logs = NULL;
    AUTO(turnlog) l = NULL;
    AUTO_STRBUF got;
    int64_t offset = 0;
    strbuf_init(&got, 4096);
    dir_for("cursor", dir);
    logs = turnlogs_new(dir);
    assert_int_equal(turnlog_read(dir, TURN, &offset, collect, &got, NULL), RC_NOT_FOUND);
    assert_int_equal(turnlog_create(logs, TURN, &l, NULL), RC_OK);
    turnlog_append(l, TURNLOG_MESSAGE, STR("17"), NULL);
    turnlog_append(l, TURNLOG_WAIT, STR("40 reading"), NULL);
    assert_int_equal(turnlog_read(dir, TURN, &offset, collect, &got, NULL), RC_OK);
    assert_string_equal(got.s, "m:17|w:40 reading|");
    turnlog_append(l, TURNLOG_TOOL, STR("search"), NULL);
    turnlog_append(l, TURNLOG_ASK, STR("3"), NULL);
    turnlog_append(l, TURNLOG_TEXT, STR("hello"), NULL);
    strbuf_clear(&got);
    assert_int_equal(turnlog_read(dir, TURN, &offset, collect, &got, NULL), RC_OK);
    assert_string_equal(got.s, "c:search|a:3|t:hello|");
    strbuf_clear(&got);
    assert_int_equal(turnlog_read(dir, TURN, &offset, collect, &got, NULL), RC_OK);
    assert_int_equal(got.len, 0);
}

TEST(a_record_cut_at_any_byte_is_left_out)
{
    static const char whole[] = "m 2\n17\nt 5\nhello\nt 3\nend\n";
    for (size_t cut = 0; cut < sizeof whole - 1; cut++) {
        char dir[FS_PATH_MAX], path[FS_PATH_MAX], turns[FS_PATH_MAX];
        AUTO_STRBUF got;
        strbuf_init(&got, 4096);
        dir_for("cut", dir);
        fs_join(turns, dir, "turns", NULL);
        fs_mkdirs(turns, NULL);
        fs_join(path, turns, TURN ".log", NULL);
        assert_int_equal(fs_write_atomic(path, (struct str){whole, cut}, NULL), RC_OK);
        assert_int_equal(turnlog_scan(dir, TURN, collect, &got, NULL), RC_OK);
        assert_string_equal(got.s, cut < 7 ? "" : cut < 17 ? "m:17|" : "m:17|t:hello|");
    }
}

#define TOKENS 1000

static void append_token(struct turnlog *l, int i)
{
    char text[32];
    int n = snprintf(text, sizeof text, "token %d ", i);
    assert_int_equal(turnlog_append(l, TURNLOG_TEXT, (struct str){text, (size_t)n}, NULL), RC_OK);
}

TEST(turns_that_share_a_file_have_their_own_records)
{
    static const char *const turns[] = {
        "trn_0a", "trn_0b", "trn_10a", "trn_2c"}; /* the third has a taken mark */
    char dir[FS_PATH_MAX], path[FS_PATH_MAX], name[64];
    struct turnlog *l[ARRAY_LEN(turns)];
    struct stat file[ARRAY_LEN(turns)];
    AUTO_STRBUF got;
    int64_t offset = 0;
    strbuf_init(&got, 1024 * 1024);
    dir_for("shared", dir);
    AUTO(turnlogs) logs = turnlogs_new(dir);
    for (size_t i = 0; i < ARRAY_LEN(turns); i++) {
        assert_int_equal(turnlog_create(logs, turns[i], &l[i], NULL), RC_OK);
        snprintf(name, sizeof name, "turns/%s.log", turns[i]);
        assert_int_equal(fs_join(path, dir, name, NULL), RC_OK);
        assert_int_equal(stat(path, &file[i]), 0);
    }
    assert_int_equal(file[0].st_ino, file[1].st_ino);
    assert_int_equal(file[2].st_ino, file[3].st_ino);
    assert_int_not_equal(file[1].st_ino, file[2].st_ino);
    for (int n = 0; n < TOKENS; n++)
        for (size_t i = 0; i < ARRAY_LEN(turns); i++)
            append_token(l[i], n * 10 + (int)i);
    turnlog_free(l[0]);
    assert_int_equal(turnlog_remove(dir, turns[0], NULL), RC_OK);
    append_token(l[1], 7);
    assert_int_equal(turnlog_scan(dir, turns[0], collect, &got, NULL), RC_NOT_FOUND);
    assert_int_equal(turnlog_scan(dir, turns[1], collect, &got, NULL), RC_OK);
    AUTO_STRBUF want;
    strbuf_init(&want, 1024 * 1024);
    for (int n = 0; n < TOKENS; n++)
        strbuf_addf(&want, "t:token %d |", n * 10 + 1);
    strbuf_adds(&want, "t:token 7 |");
    assert_string_equal(got.s, want.s);
    strbuf_clear(&got);
    assert_int_equal(turnlog_read(dir, turns[3], &offset, collect, &got, NULL), RC_OK);
    strbuf_clear(&got);
    append_token(l[2], 1);
    append_token(l[3], 2);
    assert_int_equal(turnlog_read(dir, turns[3], &offset, collect, &got, NULL), RC_OK);
    assert_string_equal(got.s, "t:token 2 |");
    for (size_t i = 1; i < ARRAY_LEN(turns); i++)
        turnlog_free(l[i]);
}

TEST(a_turn_gets_its_own_file_when_the_other_has_ended)
{
    char dir[FS_PATH_MAX];
    AUTO_STRBUF got;
    strbuf_init(&got, 4096);
    dir_for("gone", dir);
    AUTO(turnlogs) logs = turnlogs_new(dir);
    AUTO(turnlog) l = NULL;
    AUTO(turnlog) other = NULL;
    assert_int_equal(turnlog_create(logs, "trn_aa", &l, NULL), RC_OK);
    assert_int_equal(turnlog_remove(dir, "trn_aa", NULL), RC_OK);
    assert_int_equal(turnlog_create(logs, "trn_bb", &other, NULL), RC_OK);
    append_token(l, 1);
    append_token(other, 2);
    assert_int_equal(turnlog_scan(dir, "trn_bb", collect, &got, NULL), RC_OK);
    assert_string_equal(got.s, "t:token 2 |");
}

TEST(a_full_disk_fails_the_append_and_leaves_whole_records)
{
    char dir[FS_PATH_MAX];
    AUTO(turnlogs) logs = NULL;
    AUTO(turnlog) l = NULL;
    AUTO_STRBUF got;
    strbuf_init(&got, 4096);
    dir_for("full", dir);
    logs = turnlogs_new(dir);
    assert_int_equal(turnlog_create(logs, TURN, &l, NULL), RC_OK);
    struct rlimit was, small = {.rlim_cur = 24};
    getrlimit(RLIMIT_FSIZE, &was);
    small.rlim_max = was.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    struct err e = ERR_INIT;
    enum rc first = turnlog_append(l, TURNLOG_TEXT, STR("fits"), NULL);
    enum rc second = turnlog_append(l, TURNLOG_TEXT, STR("does not fit any more"), &e);
    setrlimit(RLIMIT_FSIZE, &was);
    assert_int_equal(first, RC_OK);
    assert_int_equal(second, RC_IO);
    assert_int_equal(turnlog_append(l, TURNLOG_TEXT, STR("again"), NULL), RC_OK);
    assert_int_equal(turnlog_scan(dir, TURN, collect, &got, NULL), RC_OK);
    assert_string_equal(got.s, "t:fits|t:again|");
}

static void append_tokens(const char *dir)
{
    AUTO(turnlogs) logs = turnlogs_new(dir);
    AUTO(turnlog) l = NULL;
    assert_int_equal(turnlog_create(logs, TURN, &l, NULL), RC_OK);
    turnlog_append(l, TURNLOG_MESSAGE, STR("17"), NULL);
    for (int i = 0; i < TOKENS; i++)
        append_token(l, i);
}

/* The log has the records that append_tokens() makes. */
static void assert_tokens(const char *dir)
{
    AUTO_STRBUF got, want;
    strbuf_init(&got, 65536);
    strbuf_init(&want, 65536);
    assert_int_equal(turnlog_scan(dir, TURN, collect, &got, NULL), RC_OK);
    strbuf_adds(&want, "m:17|");
    for (int i = 0; i < TOKENS; i++)
        strbuf_addf(&want, "t:token %d |", i);
    assert_string_equal(got.s, want.s);
}

/* The calls of write and its relatives by this process so far. */
static int64_t writes_so_far(void)
{
    char line[64];
    long long n = -1;
    FILE *f = fopen("/proc/self/io", "re");
    while (f && fgets(line, sizeof line, f) && sscanf(line, "syscw: %lld", &n) != 1)
        ;
    if (f)
        fclose(f);
    return n;
}

TEST(small_records_need_no_system_call_each)
{
    char dir[FS_PATH_MAX];
    dir_for("tokens", dir);
    int64_t before = writes_so_far();
    append_tokens(dir);
    int64_t writes = writes_so_far() - before;
    assert_tokens(dir);
    struct statfs f;
    bool in_place = statfs(dir, &f) == 0 && (f.f_type == EXT4_SUPER_MAGIC || f.f_type == TMPFS_MAGIC);
    if (in_place && sysconf(_SC_PAGESIZE) == 4096 && before >= 0)
        assert_true(writes < TOKENS / 20);
}

TEST(a_reader_follows_small_and_large_records)
{
    char dir[FS_PATH_MAX], large[6000];
    AUTO(turnlogs) logs = NULL;
    AUTO(turnlog) l = NULL;
    AUTO_STRBUF got, want;
    int64_t offset = 0;
    strbuf_init(&got, 1024 * 1024);
    strbuf_init(&want, 1024 * 1024);
    dir_for("follow", dir);
    logs = turnlogs_new(dir);
    memset(large, 'x', sizeof large);
    assert_int_equal(turnlog_create(logs, TURN, &l, NULL), RC_OK);
    for (int i = 0; i < TOKENS; i++) {
        append_token(l, i);
        strbuf_addf(&want, "t:token %d |", i);
        if (i % 100 == 0) {
            turnlog_append(l, TURNLOG_THINK, (struct str){large, sizeof large}, NULL);
            strbuf_addf(&want, "k:%.*s|", (int)sizeof large, large);
        }
        assert_int_equal(turnlog_read(dir, TURN, &offset, collect, &got, NULL), RC_OK);
        assert_int_equal(got.len, want.len);
    }
    assert_string_equal(got.s, want.s);
}

TEST(a_killed_program_leaves_all_its_records)
{
    char dir[FS_PATH_MAX];
    dir_for("killed", dir);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        append_tokens(dir);
        raise(SIGKILL);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_tokens(dir);
}

TEST(a_record_without_its_first_byte_is_left_out)
{
    static const char file[] = "m 2\n17\n\0 5\nhello\n\0\0\0\0";
    char dir[FS_PATH_MAX], turns[FS_PATH_MAX], path[FS_PATH_MAX];
    AUTO_STRBUF got;
    int64_t offset = 0;
    strbuf_init(&got, 4096);
    dir_for("first", dir);
    fs_join(turns, dir, "turns", NULL);
    fs_mkdirs(turns, NULL);
    fs_join(path, turns, TURN ".log", NULL);
    assert_int_equal(fs_write_atomic(path, (struct str){file, sizeof file - 1}, NULL), RC_OK);
    assert_int_equal(turnlog_read(dir, TURN, &offset, collect, &got, NULL), RC_OK);
    assert_string_equal(got.s, "m:17|");
    assert_int_equal(offset, 7);
}

TEST(a_disk_that_fills_up_later_fails_one_append_and_keeps_the_others)
{
    char dir[FS_PATH_MAX];
    AUTO(turnlogs) logs = NULL;
    AUTO(turnlog) l = NULL;
    AUTO_STRBUF got, want;
    strbuf_init(&got, 65536);
    strbuf_init(&want, 65536);
    dir_for("later", dir);
    logs = turnlogs_new(dir);
    assert_int_equal(turnlog_create(logs, TURN, &l, NULL), RC_OK);
    struct rlimit was, small = {.rlim_cur = 6000};
    getrlimit(RLIMIT_FSIZE, &was);
    small.rlim_max = was.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    int i = 0;
    while (turnlog_append(l, TURNLOG_TEXT, STR("more words"), NULL) == RC_OK && ++i < TOKENS)
        strbuf_adds(&want, "t:more words|");
    setrlimit(RLIMIT_FSIZE, &was);
    assert_true(i > 100 && i < TOKENS);
    for (i = 0; i < TOKENS; i++) {
        append_token(l, i);
        strbuf_addf(&want, "t:token %d |", i);
    }
    assert_int_equal(turnlog_scan(dir, TURN, collect, &got, NULL), RC_OK);
    assert_string_equal(got.s, want.s);
}

TEST(a_sweep_removes_the_logs_of_all_turns_but_those_to_keep)
{
    char dir[FS_PATH_MAX], other[FS_PATH_MAX];
    AUTO(turnlogs) logs = NULL;
    AUTO(turnlog) l = NULL;
    int removed;
    dir_for("sweep", dir);
    logs = turnlogs_new(dir);
    const char *const keep[] = {"trn_other", TURN};
    assert_int_equal(turnlog_sweep(dir, NULL, 0, &removed, NULL), RC_OK);
    assert_int_equal(turnlog_create(logs, TURN, &l, NULL), RC_OK);
    fs_join(other, dir, "turns/keep.txt", NULL);
    assert_int_equal(fs_write_atomic(other, STR("x"), NULL), RC_OK);
    assert_int_equal(turnlog_sweep(dir, keep, ARRAY_LEN(keep), &removed, NULL), RC_OK);
    assert_int_equal(removed, 0);
    assert_int_equal(turnlog_sweep(dir, keep, 1, &removed, NULL), RC_OK);
    assert_int_equal(removed, 1);
    assert_true(fs_exists(other));
}
