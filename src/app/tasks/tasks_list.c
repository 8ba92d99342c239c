/* Reads the to-do list: a page of it, and the tasks that match some words. */
#include "app/tasks/tasks.h"

#include "base/strbuf.h"
#include "codec/words/tokenizer.h"

#define QUERY_WORDS_MAX 32

bool tasks_show_of(struct str word, enum tasks_show *out)
{
    static const char *const names[] = {[TASKS_OPEN] = "open", [TASKS_DONE] = "done", [TASKS_ALL] = "all"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_is(word, names[i])) {
            *out = (enum tasks_show)i;
            return true;
        }
    return false;
}

/* ---- pages ---- */

static const char *key_of(struct arena *a, const struct task *t)
{
    return t->done_at ? arena_printf(a, "done:%lld:%lld", (long long)t->done_at, (long long)t->id)
                      : arena_printf(a, "open:%s:%lld", t->due ? t->due : "", (long long)t->id);
}

static enum rc read_key(struct arena *a, const char *text, bool *done, struct task_key *out, struct err *e)
{
    struct str rest = str_of(text ? text : "");
    *done = false;
    *out = (struct task_key){0};
    if (rest.len == 0)
        return RC_OK;
    struct str kind = str_cut(&rest, ':'), at = str_cut(&rest, ':');
    *done = str_is(kind, "done");
    bool fits = *done ? str_to_int(at, 1, INT64_MAX, &out->done_at)
                      : str_is(kind, "open") && (at.len == 0 || tasks_day_valid(at));
    if (!fits || !rest.s || !str_to_int(rest, 1, INT64_MAX, &out->id))
        return err_say(e, RC_BAD_INPUT, "form.bad_after");
    if (!*done && at.len)
        out->due = arena_strndup(a, at.s, at.len);
    return RC_OK;
}

static void append(struct arena *a, struct tasks_page *to, const struct task *more, size_t n)
{
    struct task *all = ARENA_ARRAY(a, struct task, to->n + n + 1);
    if (to->n)
        memcpy(all, to->rows, to->n * sizeof *all);
    if (n)
        memcpy(all + to->n, more, n * sizeof *all);
    to->rows = all;
    to->n += n;
}

enum rc tasks_list(struct db *db, struct arena *a, int64_t owner, enum tasks_show show, const char *after,
    int limit, struct tasks_page *out, struct err *e)
{
    struct task_key key;
    struct task *rows;
    size_t n;
    bool among_done;
    *out = (struct tasks_page){0};
    enum rc rc = read_key(a, after, &among_done, &key, e);
    if (rc == RC_OK && show != TASKS_DONE && !among_done) {
        rc = store_task_open(db, a, owner, key, limit + 1, &rows, &n, e);
        if (rc == RC_OK)
            append(a, out, rows, n);
    }
    if (rc == RC_OK && show != TASKS_OPEN && out->n <= (size_t)limit) {
        key = among_done ? key : (struct task_key){0};
        rc = store_task_done(db, a, owner, key, limit + 1 - (int)out->n, &rows, &n, e);
        if (rc == RC_OK)
            append(a, out, rows, n);
    }
    if (rc == RC_OK && out->n > (size_t)limit) {
        out->n = (size_t)limit; /* the extra row only shows that there are more */
        out->next = key_of(a, &out->rows[out->n - 1]);
    }
    return rc;
}

/* ---- search ---- */

struct words {
    struct term list[QUERY_WORDS_MAX];
    size_t n;
    bool any; /* one of them is not a stop word; otherwise all count */
};

static void words_of(struct str text, struct words *out)
{
    *out = (struct words){0};
    while (out->n < QUERY_WORDS_MAX && term_next(&text, &out->list[out->n]))
        out->any |= !term_is_stop(out->list[out->n++].word);
}

static bool holds(struct str text, const struct term *word)
{
    struct term t;
    while (term_next(&text, &t))
        if (strcmp(t.stem, word->stem) == 0)
            return true;
    return false;
}

static bool holds_all(struct str text, const struct words *w)
{
    for (size_t i = 0; i < w->n; i++)
        if ((!w->any || !term_is_stop(w->list[i].word)) && !holds(text, &w->list[i]))
            return false;
    return true;
}

/* True when the text has the same words in the same order. */
static bool says_just(struct str text, const struct words *w)
{
    struct term t;
    size_t n = 0;
    while (term_next(&text, &t))
        if (n == w->n || strcmp(t.word, w->list[n++].word) != 0)
            return false;
    return n == w->n;
}

enum rc tasks_find(struct db *db, struct arena *a, int64_t owner, enum tasks_show show, struct str query,
    size_t limit, struct tasks_page *out, bool *more, struct err *e)
{
    struct words w;
    struct tasks_page all;
    size_t exact = 0;
    *out = (struct tasks_page){0};
    *more = false;
    words_of(query, &w);
    enum rc rc = tasks_list(db, a, owner, show, NULL, TASKS_SEARCHED_MAX, &all, e);
    if (rc != RC_OK)
        return rc;
    out->rows = ARENA_ARRAY(a, struct task, limit + 1);
    for (size_t i = 0; i < all.n; i++) {
        if (!holds_all(all.rows[i].text, &w))
            continue;
        if (w.n && says_just(all.rows[i].text, &w) && exact++ == 0) {
            struct task found = all.rows[i];
            out->rows[limit] = found; /* kept aside */
        }
        if (out->n < limit)
            out->rows[out->n++] = all.rows[i];
        else
            *more = true;
    }
    if (exact == 1) {
        out->rows[0] = out->rows[limit];
        out->n = 1;
        *more = false;
    }
    return RC_OK;
}
