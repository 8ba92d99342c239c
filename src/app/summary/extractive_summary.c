#include "app/summary/extractive_summary.h"

#include <math.h>
#include <stdlib.h>

#include "codec/words/sentence.h"
#include "codec/words/tokenizer.h"

#define SENTENCE_MIN_TERMS 2
#define SENTENCE_MIN_BYTES 2   /* before its sign */
#define SENTENCE_MAX       300 /* bytes; the caller cuts a longer one at a word */
#define SENTENCE_FULL      6   /* terms: a shorter sentence is scored down */
#define FIRST_QUESTION     1.5 /* factor for the user's first message */
#define ALFRED_SAID        0.7 /* factor for Alfred's words: users look for their own */
#define SAID_ALREADY       0.2 /* weight of a word after a chosen sentence contains it */
#define KEYWORD_MIN        3   /* bytes */

struct sentence {
    struct str text;
    bool alfred, taken;
    double factor, score;
    size_t order;
};

struct weight {
    uint64_t hash;
    unsigned count;
    double value;
    const char *word;
    size_t order;
};

struct work {
    struct arena *arena;
    struct sentence *s;
    size_t n;
    struct weight *words; /* by hash */
    size_t words_n;
};

/* ---- sentences ---- */

static bool counts(const struct message *m)
{
    if (m->status == MESSAGE_RUNNING || m->text.len == 0)
        return false;
    if (m->role == ROLE_ASSISTANT)
        return !m->provider || strcmp(m->provider, "offline") != 0;
    return m->role == ROLE_USER;
}

static bool is_errand_tool(const char *tool)
{
    static const char *const errands[] = EXTRACTIVE_ERRANDS;
    for (size_t i = 0; i < ARRAY_LEN(errands); i++)
        if (strcmp(tool, errands[i]) == 0)
            return true;
    return false;
}

/* A user's message after which only such tools were called, up to the user's next message. */
static bool is_errand(const struct message *path, size_t n, size_t i)
{
    bool errands = false;
    if (path[i].role != ROLE_USER)
        return false;
    for (i++; i < n && path[i].role != ROLE_USER; i++) {
        if (path[i].role != ROLE_TOOL)
            continue;
        if (!path[i].tool || !is_errand_tool(path[i].tool))
            return false;
        errands = true;
    }
    return errands;
}

static bool is_emphasis(char c)
{
    return c == '*' || c == '_';
}

/* The length without marks of emphasis at the end that begin nowhere in the sentence. */
static size_t without_end(struct str s)
{
    size_t n = s.len;
    while (n && s.s[n - 1] == s.s[s.len - 1])
        n--;
    return n == s.len || !is_emphasis(s.s[n]) || memchr(s.s, s.s[n], n) ? s.len : n;
}

/* The same for marks at the beginning. */
static size_t lone_start(struct str s)
{
    size_t n = 0;
    while (n < s.len && s.s[n] == s.s[0])
        n++;
    return n == 0 || !is_emphasis(s.s[0]) || memchr(s.s + n, s.s[0], s.len - n) ? 0 : n;
}

static bool is_block_mark(struct str s)
{
    return s.len && (strchr("#->| \t", s.s[0]) || (s.s[0] == '*' && s.len > 1 && s.s[1] == ' '));
}

/* Without marks of headings, lists, quotations and tables, and without half of an emphasis that spans
 * several sentences. */
static struct str without_marks(struct str s)
{
    s = str_trim(s);
    while (is_block_mark(s))
        s = str_from(s, 1);
    while (s.len && strchr("| \t", s.s[s.len - 1]))
        s.len--;
    s = str_from(s, lone_start(s));
    s.len = without_end(s);
    return s;
}

static size_t terms_in(struct str text)
{
    struct term t;
    size_t n = 0;
    while (term_next(&text, &t))
        n += !term_is_stop(t.word);
    return n;
}

static void add_sentence(struct work *w, struct str text, const struct message *m, double factor)
{
    text = without_marks(text);
    if (terms_in(text) < SENTENCE_MIN_TERMS)
        return;
    w->s[w->n % EXTRACTIVE_SENTENCES] =
        (struct sentence){.text = text, .alfred = m->role == ROLE_ASSISTANT, .factor = factor, .order = w->n};
    w->n++;
}

static void split(struct work *w, const struct message *m, double factor)
{
    bool code = false;
    for (struct str rest = m->text; rest.s;) {
        struct str line = str_cut(&rest, '\n'), trimmed = str_trim(line);
        if (str_starts(trimmed, STR("```")) || str_starts(trimmed, STR("~~~"))) {
            code = !code;
            continue;
        }
        while (!code && line.len) {
            size_t end = sentence_first(line, SENTENCE_MIN_BYTES);
            add_sentence(w, (struct str){line.s, end}, m, factor);
            line = str_from(line, end);
        }
    }
}

/* Puts the ring of the newest sentences in order. */
static void unroll(struct work *w)
{
    if (w->n <= EXTRACTIVE_SENTENCES)
        return;
    struct sentence *all = ARENA_ARRAY(w->arena, struct sentence, EXTRACTIVE_SENTENCES);
    for (size_t i = 0; i < EXTRACTIVE_SENTENCES; i++)
        all[i] = w->s[(w->n + i) % EXTRACTIVE_SENTENCES];
    w->s = all;
    w->n = EXTRACTIVE_SENTENCES;
}

/* ---- words ---- */

static int by_hash(const void *a, const void *b)
{
    const struct weight *x = a, *y = b;
    return x->hash < y->hash ? -1 : x->hash > y->hash;
}

static struct weight *find_word(const struct work *w, uint64_t hash)
{
    return w->words_n
               ? bsearch(&(struct weight){.hash = hash}, w->words, w->words_n, sizeof *w->words, by_hash)
               : NULL;
}

/* A repeated number is not a subject. */
static bool is_number(const char *word)
{
    return word[strspn(word, "0123456789")] == '\0';
}

static void count_words(struct work *w)
{
    AUTO_STRBUF all;
    strbuf_init(&all, BAG_TEXT_MAX);
    for (size_t i = w->n; i > 0 && !all.failed; i--) { /* the newest, up to the limit */
        strbuf_addstr(&all, w->s[i - 1].text);
        strbuf_addc(&all, '\n');
    }
    struct bag bag = bag_of(w->arena, strbuf_str(&all));
    w->words = ARENA_ARRAY(w->arena, struct weight, bag.n + 1);
    w->words_n = bag.n;
    for (size_t i = 0; i < bag.n; i++)
        w->words[i] = (struct weight){.hash = bag.words[i].hash,
            .count = bag.words[i].count,
            .value = is_number(bag.words[i].word) ? 1 : 1 + log(bag.words[i].count),
            .word = bag.words[i].word,
            .order = i};
    qsort(w->words, w->words_n, sizeof *w->words, by_hash);
}

/* ---- selection ---- */

static void score(const struct work *w, struct sentence *s)
{
    struct str rest = s->text;
    struct term t;
    double sum = 0;
    size_t n = 0;
    while (term_next(&rest, &t)) {
        if (term_is_stop(t.word))
            continue;
        const struct weight *word = find_word(w, term_hash(t.stem, t.stem_len));
        sum += word ? word->value : 0;
        n++;
    }
    double full = n >= SENTENCE_FULL ? 1 : (double)n / SENTENCE_FULL;
    s->score = n ? s->factor * full * sum / (double)n : 0;
}

static void take(struct work *w, struct sentence *s)
{
    struct str rest = s->text;
    struct term t;
    s->taken = true;
    while (term_next(&rest, &t)) {
        struct weight *word = find_word(w, term_hash(t.stem, t.stem_len));
        if (word)
            word->value *= SAID_ALREADY;
    }
}

enum speaker { ANYBODY, THE_USER };

/* The sentence with the highest score that is not taken yet. */
static struct sentence *best(struct work *w, enum speaker speaker)
{
    struct sentence *found = NULL;
    for (size_t i = 0; i < w->n; i++) {
        struct sentence *s = &w->s[i];
        if (s->taken || (speaker == THE_USER && s->alfred))
            continue;
        score(w, s);
        if (!found || s->score > found->score)
            found = s;
    }
    return found;
}

/* Normalises to " we will meet ": lower-case words between single blanks, so that strstr() finds phrases. */
static void as_words(struct str text, struct strbuf *out)
{
    strbuf_clear(out);
    strbuf_addc(out, ' ');
    for (size_t i = 0; i < text.len && i < SENTENCE_MAX; i++) {
        char c = text.s[i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (unsigned char)c >= 0x80)
            strbuf_addc(out, c);
        else if (out->s[out->len - 1] != ' ')
            strbuf_addc(out, ' ');
    }
    strbuf_addc(out, ' ');
}

static bool says(struct str text, const char *const *phrases)
{
    AUTO_STRBUF words;
    strbuf_init(&words, SENTENCE_MAX + 2);
    as_words(text, &words);
    for (; *phrases; phrases++)
        if (strstr(words.s, *phrases))
            return true;
    return false;
}

static const char *const deciding[] = {" decided ", " decide to ", " agreed ", " we will ", " i will ",
    " i ll ", " we ll ", " let s ", " lets ", " going with ", " go with ", " chose ", " settled on ",
    " the plan is ", " from now on ", " booked ", " entschieden ", " beschlossen ", " wir nehmen ",
    " ich nehme ", " machen wir ", NULL};
static const char *const leaving_open[] = {" todo ", " to do ", " need to ", " needs to ", " have to ",
    " must ", " remind ", " later ", " tomorrow ", " next week ", " not sure ", " waiting for ",
    " follow up ", " unclear ", " open question ", " still missing ", " noch nicht ", " muss noch ",
    " erinnere ", " morgen ", NULL};

static void add_line(struct extractive_summary_part *p, const struct sentence *s)
{
    p->alfred[p->n] = s->alfred;
    p->lines[p->n++] = s->text;
}

static struct extractive_summary_part part(struct arena *a, size_t most)
{
    return (struct extractive_summary_part){ARENA_ARRAY(a, struct str, most), ARENA_ARRAY(a, bool, most), 0};
}

/* The newest sentences of the user that contain one of the phrases. */
static struct extractive_summary_part announced(struct work *w, const char *const *phrases, size_t most)
{
    struct extractive_summary_part p = part(w->arena, most);
    size_t found = 0, from = w->n;
    while (from > 0 && found < most) {
        struct sentence *s = &w->s[--from];
        s->score = 0;
        if (s->alfred || s->taken || !says(s->text, phrases))
            continue;
        s->score = 1;
        found++;
    }
    for (size_t i = from; i < w->n; i++)
        if (w->s[i].score > 0 && p.n < most) {
            add_line(&p, &w->s[i]);
            take(w, &w->s[i]);
        }
    return p;
}

static struct extractive_summary_part about(struct work *w)
{
    struct sentence *chosen[EXTRACTIVE_ABOUT];
    struct extractive_summary_part p = part(w->arena, EXTRACTIVE_ABOUT);
    size_t n = 0;
    for (struct sentence *s; n < EXTRACTIVE_ABOUT && (s = best(w, ANYBODY)) && s->score > 0; n++) {
        chosen[n] = s;
        take(w, s);
    }
    for (size_t i = 0; i < w->n; i++)
        for (size_t k = 0; k < n; k++)
            if (chosen[k] == &w->s[i])
                add_line(&p, &w->s[i]);
    return p;
}

/* ---- keywords ---- */

static bool is_keyword(const char *word)
{
    return strlen(word) >= KEYWORD_MIN && !is_number(word);
}

/* The most frequent words. Among equals the first one counted is first. */
static void keywords(const struct work *w, struct extractive_summary *out)
{
    bool *used = ARENA_ARRAY(w->arena, bool, w->words_n + 1);
    while (out->keywords_n < EXTRACTIVE_KEYWORDS) {
        size_t at = w->words_n;
        for (size_t i = 0; i < w->words_n; i++) {
            const struct weight *x = &w->words[i], *y = &w->words[at];
            if (used[i] || !is_keyword(x->word))
                continue;
            if (at == w->words_n || x->count > y->count || (x->count == y->count && x->order < y->order))
                at = i;
        }
        if (at == w->words_n)
            return;
        used[at] = true;
        out->keywords[out->keywords_n++] = w->words[at].word;
    }
}

struct extractive_summary extractive_summary_of(struct arena *a, const struct message *path, size_t n)
{
    struct extractive_summary out = {0};
    struct work w = {.arena = a, .s = ARENA_ARRAY(a, struct sentence, EXTRACTIVE_SENTENCES)};
    bool first = true;
    for (size_t i = 0; i < n; i++) {
        if (!counts(&path[i]) || is_errand(path, n, i))
            continue;
        bool user = path[i].role == ROLE_USER;
        split(&w, &path[i], !user ? ALFRED_SAID : first ? FIRST_QUESTION : 1);
        first = first && !user;
    }
    unroll(&w);
    count_words(&w);
    keywords(&w, &out);
    const struct sentence *topic = best(&w, THE_USER);
    if (topic)
        out.topic = topic->text;
    out.decisions = announced(&w, deciding, EXTRACTIVE_DECISIONS);
    out.open = announced(&w, leaving_open, EXTRACTIVE_OPEN);
    out.about = about(&w);
    return out;
}
