#include "cli/chat/prompt.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/utf8.h"
#include "cli/chat/edit_load.h"
#include "cli/chat/signals.h"
#include "codec/ansi/terminal_text.h"

#define HISTORY_LINES  1000
#define MESSAGE_PROMPT "> "
#define MORE_PROMPT    ". "
#define QUOTES         STR("\"\"\"")
#define PASTE_ON       "\x1b[?2004h"
#define PASTE_OFF      "\x1b[?2004l"
#define PASTE_END      STR("\x1b[201~")
#define PASTE_MAX      ((size_t)1024 * 1024)
#define LIST_MAX       30 /* choices that are listed */
#define LIST_COLUMNS   78
#define WORD_COLUMN    28 /* where the notes of the list begin */

struct prompt {
    const struct edit_library *lib;
    EditLine *el;
    History *history;
    char *history_file;
    const char *question; /* shown before the line */
    prompt_complete_fn *complete;
    void *arg;
    bool interrupted;
    bool brackets; /* the terminal marks pasted text */
};

static struct prompt *prompt_of(EditLine *el)
{
    void *p = NULL;
    edit_library()->get(el, EL_CLIENTDATA, &p);
    return p;
}

static void put(const char *s)
{
    fputs(s, stdout);
    fflush(stdout);
}

/* ---- keys ---- */

static char *show_question(EditLine *el)
{
    return (char *)prompt_of(el)->question; /* libedit does not write to it */
}

/* Ends the line like Enter, which also puts the cursor below it. */
static unsigned char on_interrupt(EditLine *el, int key)
{
    (void)key;
    prompt_of(el)->interrupted = true;
    edit_library()->push(el, "\n");
    return CC_NORM;
}

/* libedit restores the terminal before the program is suspended, and edits on afterwards. */
static unsigned char on_suspend(EditLine *el, int key)
{
    (void)el;
    (void)key;
    raise(SIGTSTP);
    return CC_REDISPLAY;
}

/* Text between the terminal's marks is inserted as it is: its line ends send nothing. A longer one is read to
 * its end, too, and dropped. */
static unsigned char on_paste(EditLine *el, int key)
{
    const struct edit_library *lib = edit_library();
    AUTO_STRBUF raw, clean;
    size_t same = 0; /* bytes of PASTE_END that were read */
    wchar_t c;
    (void)key;
    strbuf_init(&raw, PASTE_MAX);
    strbuf_init(&clean, 3 * PASTE_MAX);
    while (same < PASTE_END.len && lib->wgetc(el, &c) == 1) {
        same = c == PASTE_END.s[same] ? same + 1 : c == PASTE_END.s[0];
        strbuf_addcp(&raw, (uint32_t)c);
    }
    if (raw.failed)
        return CC_ERROR;
    strbuf_truncate(&raw, raw.len - same);
    terminal_text_add(&clean, strbuf_str(&raw));
    if (clean.len && lib->insertstr(el, clean.s) != 0)
        return CC_ERROR;
    return CC_REFRESH;
}

/* ---- completion ---- */

void prompt_choice(struct prompt_choices *c, const char *word, const char *note)
{
    if (c->n == c->room) {
        size_t room = c->room ? 2 * c->room : 32;
        const char **words = ARENA_ARRAY(c->arena, const char *, room);
        const char **notes = ARENA_ARRAY(c->arena, const char *, room);
        for (size_t i = 0; i < c->n; i++) {
            words[i] = c->words[i];
            notes[i] = c->notes[i];
        }
        c->words = words;
        c->notes = notes;
        c->room = room;
    }
    c->words[c->n] = arena_strdup(c->arena, word);
    c->notes[c->n++] = arena_strdup(c->arena, note);
}

/* The bytes that all choices begin with. */
static size_t common(const struct prompt_choices *c)
{
    size_t n = strlen(c->words[0]);
    for (size_t i = 1; i < c->n; i++)
        for (size_t k = 0; k < n; k++)
            if (c->words[i][k] != c->words[0][k])
                n = k;
    return n - utf8_incomplete_tail((struct str){c->words[0], n});
}

static void list(const struct prompt_choices *c)
{
    AUTO_STRBUF text;
    strbuf_init(&text, (LIST_MAX + 2) * 4 * LIST_COLUMNS);
    strbuf_addc(&text, '\n');
    for (size_t i = 0; i < c->n && i < LIST_MAX; i++) {
        AUTO_STRBUF line;
        strbuf_init(&line, SIZE_MAX / 2);
        strbuf_addf(&line, "%-*s  %s", WORD_COLUMN, c->words[i], c->notes[i] ? c->notes[i] : "");
        size_t from = text.len;
        strbuf_addstr(&text, (struct str){line.s, terminal_cut(strbuf_str(&line), LIST_COLUMNS)});
        while (text.len > from && text.s[text.len - 1] == ' ')
            strbuf_truncate(&text, text.len - 1);
        strbuf_addc(&text, '\n');
    }
    if (c->n > LIST_MAX)
        strbuf_addf(&text, "and %zu more\n", c->n - LIST_MAX);
    put(text.s);
}

static unsigned char on_complete(EditLine *el, int key)
{
    const struct prompt *p = prompt_of(el);
    const LineInfo *line = p->lib->line(el);
    AUTO(arena) a = arena_new();
    struct prompt_choices c = {.arena = a};
    (void)key;
    struct str before = {line->buffer, (size_t)(line->cursor - line->buffer)};
    before = arena_str(a, before); /* the editor's own buffer changes */
    p->complete(p->arg, before, &c);
    if (!c.n || c.word_len > before.len)
        return CC_ERROR;
    struct str word = {before.s + before.len - c.word_len, c.word_len};
    size_t n = common(&c);
    bool longer = n > word.len && str_starts((struct str){c.words[0], n}, word);
    if (longer)
        p->lib->insertstr(el, arena_strndup(a, c.words[0] + word.len, n - word.len));
    if (c.n == 1) {
        if (!str_starts(str_of(c.words[0]), word)) { /* found by its note, such as a title */
            p->lib->deletestr(el, (int)utf8_count(word));
            p->lib->insertstr(el, c.words[0]);
        }
        p->lib->insertstr(el, " ");
        return CC_REFRESH;
    }
    if (longer)
        return CC_REFRESH;
    list(&c);
    return CC_REDISPLAY;
}

/* ---- the editor ---- */

static void bind_keys(struct prompt *p)
{
    static const struct {
        const char *keys, *does;
    } keys[] = {{"^C", "alfred-interrupt"}, {"^Z", "alfred-suspend"}, {"^I", "alfred-complete"},
        {"\\e[200~", "alfred-paste"}, {"^R", "em-inc-search-prev"}, {"\\e[3~", "ed-delete-next-char"},
        {"\\e[1;5C", "em-next-word"}, {"\\e[1;5D", "ed-prev-word"}, {"\\e[H", "ed-move-to-beg"},
        {"\\e[F", "ed-move-to-end"}, {"\\e[1~", "ed-move-to-beg"}, {"\\e[4~", "ed-move-to-end"}};
    p->lib->set(p->el, EL_ADDFN, "alfred-interrupt", "Drops the line", on_interrupt);
    p->lib->set(p->el, EL_ADDFN, "alfred-suspend", "Suspends the program", on_suspend);
    p->lib->set(p->el, EL_ADDFN, "alfred-complete", "Completes a command", on_complete);
    p->lib->set(p->el, EL_ADDFN, "alfred-paste", "Inserts pasted text", on_paste);
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        p->lib->set(p->el, EL_BIND, keys[i].keys, keys[i].does, NULL);
}

enum rc prompt_new(
    const char *history, prompt_complete_fn *complete, void *arg, struct prompt **out, struct err *e)
{
    const char *term = getenv("TERM");
    HistEvent ev;
    enum rc rc = edit_load(e);
    if (rc != RC_OK)
        return rc;
    struct prompt *p = xcalloc(1, sizeof *p);
    *p = (struct prompt){.lib = edit_library(), .complete = complete, .arg = arg};
    p->brackets = term && *term && strcmp(term, "dumb") != 0;
    p->el = p->lib->init("alfred", stdin, stdout, stderr);
    p->history = p->lib->history_init();
    if (!p->el || !p->history) {
        prompt_free(p);
        return err_tell(e, RC_UNAVAILABLE, "libedit cannot use this terminal.");
    }
    p->history_file = xstrdup(history);
    p->lib->history(p->history, &ev, H_SETSIZE, HISTORY_LINES);
    p->lib->history(p->history, &ev, H_SETUNIQUE, 1);
    p->lib->history(p->history, &ev, H_LOAD, history); /* fails when there is none yet */
    p->lib->set(p->el, EL_CLIENTDATA, p);
    p->lib->set(p->el, EL_PROMPT, show_question);
    p->lib->set(p->el, EL_EDITOR, "emacs");
    p->lib->set(p->el, EL_SIGNAL, 1);
    p->lib->set(p->el, EL_HIST, p->lib->history, p->history);
    p->lib->source(p->el, NULL);                       /* the user's ~/.editrc */
    p->lib->set(p->el, EL_SETTY, "-d", "-isig", NULL); /* Ctrl-C is a key while a line is edited */
    bind_keys(p);
    *out = p;
    return RC_OK;
}

void prompt_free(struct prompt *p)
{
    if (!p)
        return;
    if (p->el)
        p->lib->end(p->el);
    if (p->history)
        p->lib->history_end(p->history);
    free(p->history_file);
    free(p);
}

/* ---- a message ---- */

/* A line without its end; false: the end of input. */
static bool read_line(struct prompt *p, const char *question, struct str *out)
{
    int n = 0;
    p->question = question;
    p->interrupted = false;
    p->lib->set(p->el, EL_PREP_TERM, 1); /* else keys before the first read are shown twice */
    if (signals_interrupts()) {          /* pressed when Ctrl-C was no key yet */
        p->lib->set(p->el, EL_PREP_TERM, 0);
        signals_forget();
        p->interrupted = true;
        *out = (struct str){"", 0};
        return true;
    }
    if (p->brackets)
        put(PASTE_ON);
    const char *line = p->lib->gets(p->el, &n);
    if (p->brackets)
        put(PASTE_OFF);
    if (!line || n <= 0)
        return false;
    *out = (struct str){line, (size_t)n};
    if (out->s[out->len - 1] == '\n')
        out->len--;
    return true;
}

static bool take_suffix(struct str *line, struct str suffix)
{
    if (line->len < suffix.len || memcmp(line->s + line->len - suffix.len, suffix.s, suffix.len) != 0)
        return false;
    line->len -= suffix.len;
    return true;
}

/* Adds a line of a message and says whether another one follows. */
static bool add_line(struct strbuf *out, struct str line, bool first, bool *quoted)
{
    if (!first)
        strbuf_addc(out, '\n');
    if (first && str_starts(line, QUOTES)) {
        *quoted = true;
        line = str_from(line, QUOTES.len);
        if (!line.len)
            return true;
    }
    if (*quoted) {
        bool more = !take_suffix(&line, QUOTES);
        strbuf_addstr(out, line);
        return more;
    }
    bool more = take_suffix(&line, STR("\\"));
    strbuf_addstr(out, line);
    return more;
}

static void remember(struct prompt *p, const char *text)
{
    HistEvent ev;
    if (!*text)
        return;
    p->lib->history(p->history, &ev, H_ENTER, text);
    p->lib->history(p->history, &ev, H_SAVE, p->history_file);
}

enum prompt_result prompt_read(struct prompt *p, const char *question, struct strbuf *out)
{
    bool more = true, quoted = false;
    strbuf_clear(out);
    for (bool first = true; more; first = false) {
        struct str line;
        const char *shown = question ? question : first ? MESSAGE_PROMPT : MORE_PROMPT;
        if (!read_line(p, shown, &line)) {
            put("\n");
            return first ? PROMPT_END : PROMPT_INTERRUPTED;
        }
        if (p->interrupted)
            return PROMPT_INTERRUPTED;
        more = add_line(out, line, first, &quoted);
    }
    struct str text = str_trim(strbuf_str(out));
    strbuf_truncate(out, (size_t)(text.s + text.len - out->s));
    strbuf_drop_front(out, (size_t)(text.s - out->s));
    if (!question)
        remember(p, out->s);
    return PROMPT_MESSAGE;
}
