#include "app/suggestion/typed_answer.h"

#include "base/strbuf.h"
#include "codec/words/tokenizer.h"
#include "store/message/message.h"

#define BARE_MAX         64  /* bytes of a bare yes or no */
#define NAMED_MAX        40  /* words of a message that names an action */
#define ASKING_MAX       160 /* words of an answer that asks nothing else */
#define SUBJECT_MAX      120 /* words */
#define ANSWER_STEPS_MAX 64  /* messages of one answer */

/* ---- words ---- */

enum typed_word { TYPED_OTHER, TYPED_YES, TYPED_NO };

static bool is_word(const char *list, const char *word)
{
    struct str rest = str_of(list);
    while (rest.s)
        if (str_is(str_cut(&rest, ' '), word))
            return true;
    return false;
}

/* Reads a message that is only a yes or a no. */
static enum typed_word typed_bare(struct str text)
{
    static const char *const yes[] = {"yes", "yes please", "yes do it", "do it", "do it please",
        "please do it", "please do", "go ahead", "yes go ahead", "yep", "yeah", "sure", "ok", "okay",
        "confirm", "confirmed", "ja", "ja bitte", "ja gerne", "mach das", "ja mach das"};
    static const char *const no[] = {"no", "no thanks", "no thank you", "cancel", "no cancel", "cancel it",
        "cancel that", "nope", "no don t", "don t", "don t do it", "do not", "never mind", "nevermind",
        "stop", "abort", "nein", "nein danke", "abbrechen", "lieber nicht"};
    AUTO_STRBUF words;
    strbuf_init(&words, BARE_MAX);
    struct term t;
    while (!words.failed && term_next(&text, &t))
        strbuf_addf(&words, "%s%s", words.len ? " " : "", t.word);
    if (words.failed || words.len == 0)
        return TYPED_OTHER;
    if (STR_IN(str_of(words.s), yes))
        return TYPED_YES;
    return STR_IN(str_of(words.s), no) ? TYPED_NO : TYPED_OTHER;
}

/* The words of a kind, folded as by codec/words/tokenizer.h. */
struct vocabulary {
    const char *kind;
    const char *does; /* verbs that mean: do it */
    const char *dont; /* verbs that mean: do not do it */
    const char *nouns;
    const char *asking; /* further words of its question */
};

#define DELETES        "delete remove erase losche loschen entferne entfernen"
#define KEEPS          "keep leave behalte behalten lass"
#define ADDS           "add create keep set setze setzen anlegen erstelle erstellen"
#define CHAT_NOUNS     "session chat conversation sitzung unterhaltung gesprach"
#define TASK_NOUNS     "task todo aufgabe"
#define REMINDER_NOUNS "reminder schedule erinnerung zeitplan"
#define MEMORY_NOUNS   "fact memory note fakt tatsache erinnerung notiz"

static const struct vocabulary vocabularies[] = {
    {SUGGESTION_REMEMBER, "remember keep store save merk merke merken behalte behalten speichere speichern",
        "dismiss discard forget verwirf verwerfen", MEMORY_NOUNS, "in your for dir mir das"},
    {SUGGESTION_CHANGE_MEMORY,
        "change update replace andere andern ersetze ersetzen aktualisiere aktualisieren", KEEPS,
        MEMORY_NOUNS, "to in zu"},
    {SUGGESTION_FORGET, "forget delete remove erase vergiss vergessen losche loschen", KEEPS " remember",
        MEMORY_NOUNS, "from von"},
    {SUGGESTION_ADD_TASK, ADDS " hinzufugen", "dismiss discard verwirf verwerfen", TASK_NOUNS,
        "to on your list auf deine liste due today tomorrow"},
    {SUGGESTION_COMPLETE_TASK, "complete mark finish erledige erledigen markiere markieren", KEEPS " dismiss",
        TASK_NOUNS, "as done completed als erledigt"},
    {SUGGESTION_DELETE_TASK, DELETES, KEEPS, TASK_NOUNS,
        "from your list von deiner liste due today tomorrow overdue"},
    {SUGGESTION_ADD_REMINDER, ADDS " remind erinnere erinnern", "dismiss discard verwirf verwerfen",
        REMINDER_NOUNS, "me mich at um today tomorrow heute morgen"},
    {SUGGESTION_ADD_SCHEDULE, ADDS " run", "dismiss discard verwirf verwerfen", REMINDER_NOUNS,
        "at um today tomorrow heute morgen"},
    {SUGGESTION_DELETE_REMINDER, DELETES " cancel", KEEPS, REMINDER_NOUNS, "your deine"},
    {SUGGESTION_DELETE_SESSION, DELETES, KEEPS, CHAT_NOUNS,
        "with all its messages mit allen ihren seinen nachrichten"},
    {SUGGESTION_WORKSPACE, "move put set verschiebe verschieben", KEEPS " dismiss",
        "chat session conversation workspace sitzung unterhaltung arbeitsbereich",
        "to into in the workspace den arbeitsbereich"},
};

static const struct vocabulary *vocabulary_of(const char *kind)
{
    for (size_t i = 0; i < ARRAY_LEN(vocabularies); i++)
        if (strcmp(vocabularies[i].kind, kind) == 0)
            return &vocabularies[i];
    return NULL;
}

/* ---- a message that names an action ---- */

#define YES_WORDS    "yes yep yeah sure ok okay ja"
#define NO_WORDS     "no nope nein"
#define POLITE_WORDS "please bitte"
#define ARTICLES     "the this that my der die das den dem dies diese dieses diesen mein meine meinen"
#define NAMING       "called named titled about namens mit dem titel uber"

struct reader {
    struct term t[NAMED_MAX];
    size_t n, at;
};

static bool take(struct reader *r, const char *list)
{
    bool is = r->at < r->n && is_word(list, r->t[r->at].word);
    r->at += is;
    return is;
}

static void take_all(struct reader *r, const char *list)
{
    while (take(r, list))
        ;
}

static bool take_two(struct reader *r, const char *first, const char *second)
{
    bool are =
        r->at + 1 < r->n && strcmp(r->t[r->at].word, first) == 0 && strcmp(r->t[r->at + 1].word, second) == 0;
    r->at += are ? 2 : 0;
    return are;
}

/* True when the rest is empty or the whole text of the subject. */
static bool ends_with_subject(struct reader *r, struct str subject)
{
    struct term t;
    take_all(r, NAMING);
    if (r->at == r->n)
        return true;
    while (term_next(&subject, &t))
        if (r->at >= r->n || strcmp(r->t[r->at++].word, t.word) != 0)
            return false;
    return r->at == r->n;
}

/* "the task", "die Aufgabe" */
static bool take_noun(struct reader *r, const struct vocabulary *v)
{
    take_all(r, ARTICLES);
    return take(r, v->nouns) || take_two(r, "to", "do");
}

/* Reads "delete the task", "die Aufgabe löschen". `*does`: the verb means to do it. */
static bool take_action(struct reader *r, const struct vocabulary *v, bool *does)
{
    size_t start = r->at;
    bool verb = false;
    for (int noun_first = 0; noun_first < 2 && !verb; noun_first++) {
        r->at = start;
        if (noun_first && !take_noun(r, v))
            continue;
        *does = r->at < r->n && is_word(v->does, r->t[r->at].word);
        verb = (*does || (r->at < r->n && is_word(v->dont, r->t[r->at].word))) && ++r->at &&
               (noun_first || take_noun(r, v));
    }
    return verb;
}

/* Reads the words without polite ones at the end. False: none, or too many. */
static bool read_words(struct reader *r, struct str text)
{
    r->n = r->at = 0;
    while (r->n < NAMED_MAX && term_next(&text, &r->t[r->n]))
        r->n++;
    bool all = r->n < NAMED_MAX;
    while (r->n && is_word(POLITE_WORDS, r->t[r->n - 1].word))
        r->n--;
    return all && r->n;
}

/* Reads one that names the action and refers to its subject by a pronoun: "yes, delete it". */
static enum typed_word typed_pointing(struct str text, const char *kind)
{
    const struct vocabulary *v = vocabulary_of(kind);
    struct reader r;
    if (!v || !read_words(&r, text))
        return TYPED_OTHER;
    bool yes = take(&r, YES_WORDS), no = !yes && take(&r, NO_WORDS);
    take_all(&r, POLITE_WORDS);
    bool negated = take_two(&r, "don", "t") || take_two(&r, "do", "not");
    bool idle =
        !yes && r.at < r.n && strcmp(r.t[r.at].word, "forget") == 0; /* "forget it" means "never mind" */
    bool does = take(&r, v->does), dont = !does && take(&r, v->dont);
    if (!(does || dont) || idle || !take(&r, "it that this es das sie ihn"))
        return TYPED_OTHER;
    negated |= take(&r, "nicht");
    if (r.at < r.n || (does && no && !negated) || (yes && (dont || negated)) || (dont && negated))
        return TYPED_OTHER;
    return does && !negated ? TYPED_YES : TYPED_NO;
}

/* Reads one that names the action of `kind` and the kind of its subject; `subject` is its text. */
static enum typed_word typed_named(struct str text, const char *kind, struct str subject)
{
    const struct vocabulary *v = vocabulary_of(kind);
    struct reader r;
    bool does = false;
    if (!v || !read_words(&r, text))
        return TYPED_OTHER;
    bool yes = take(&r, YES_WORDS);
    if (!yes)
        take(&r, NO_WORDS);
    take_all(&r, POLITE_WORDS);
    bool negated = take_two(&r, "don", "t") || take_two(&r, "do", "not");
    if (!take_action(&r, v, &does))
        return TYPED_OTHER;
    negated |= take(&r, "nicht");
    if (strcmp(kind, SUGGESTION_COMPLETE_TASK) == 0)
        take_all(&r, "as done completed als erledigt");
    if (!ends_with_subject(&r, subject))
        return TYPED_OTHER;
    if (yes)
        return does && !negated ? TYPED_YES : TYPED_OTHER;
    if (negated)
        return does ? TYPED_NO : TYPED_OTHER;
    return does ? TYPED_OTHER : TYPED_NO; /* "delete the task" alone may be about another one */
}

/* ---- answers that ask ---- */

/* A text of these words can ask about the one action and for a yes or no, and nothing else. Words that
 * invert a question ("not"; "no" outside of "yes or no") and words that name other things are missing on
 * purpose. */
#define ASKING                                                                                           \
    "shall should may can do would you like want me to i really sure is are it this that the your say "  \
    "please confirm answer reply with just here a one found have soll darf ich mochtest willst du dass " \
    "den die das der dem diese dieses diesen deine deinen dein wirklich sag sage bitte bestatige "       \
    "antworte mit einfach hier ist"

/* Statements that point to the question ask nothing. */
#define NEUTRAL                                                                                          \
    "ok okay very well certainly of course alright right i ve asked above below use press click button " \
    "buttons message box confirmation decide decision waiting waits gut gerne klar naturlich oben knopf"

#define QUESTION_WORDS "shall should may can do would want like soll darf mochtest willst"
#define SENTENCE_ENDS  ".!?\n"
#define ASKING_AGAIN   "are you really sure is this it wirklich bist du sicher yes ja please bitte"

struct asking {
    struct str text;
    struct term t[ASKING_MAX];
    bool covered[ASKING_MAX]; /* part of a phrase that is allowed as a whole */
    size_t n;
};

static bool words_stand_at(const struct asking *q, size_t at, const struct term *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (at + i >= q->n || strcmp(q->t[at + i].word, words[i].word) != 0)
            return false;
    return true;
}

static void cover(struct asking *q, struct arena *a, struct str words)
{
    struct term *t = ARENA_ARRAY(a, struct term, SUBJECT_MAX);
    size_t n = 0;
    while (n < SUBJECT_MAX && term_next(&words, &t[n]))
        n++;
    for (size_t at = 0; n && n < SUBJECT_MAX && at < q->n; at++)
        if (words_stand_at(q, at, t, n))
            memset(q->covered + at, true, n);
}

static bool is_number(const char *word)
{
    return word[strspn(word, "0123456789")] == '\0';
}

/* True when each sentence that may be a question names the action, or asks for the answer once more ("Are
 * you sure?"). */
static bool questions_name_action(const struct asking *q, const struct vocabulary *v)
{
    size_t i = 0;
    for (const char *at = q->text.s, *end = at + q->text.len; at < end; at++) {
        bool asks = false, names = false, again = true;
        while (at < end && !strchr(SENTENCE_ENDS, *at))
            at++;
        asks = at < end && *at == '?';
        for (; i < q->n && q->t[i].source.s < at; i++) {
            const char *word = q->t[i].word;
            asks |= !q->covered[i] && is_word(QUESTION_WORDS, word);
            names |= !q->covered[i] && is_word(v->does, word);
            again &= q->covered[i] || is_word(ASKING_AGAIN, word);
        }
        if (asks && !names && !again)
            return false;
    }
    return true;
}

/* Question marks of other scripts: Greek, Arabic, full-width. */
static bool has_foreign_mark(struct str text)
{
    static const char *const marks[] = {"\u037E", "\u061F", "\uFF1F"};
    for (size_t i = 0; i < ARRAY_LEN(marks); i++)
        if (memmem(text.s, text.len, marks[i], strlen(marks[i])))
            return true;
    return false;
}

bool typed_asks_nothing_else(struct str text, const char *kind, struct str subject, struct str to)
{
    AUTO(arena) a = arena_new();
    const struct vocabulary *v = vocabulary_of(kind);
    struct asking *q = ARENA_ARRAY(a, struct asking, 1);
    q->text = text;
    q->n = 0;
    while (q->n < ASKING_MAX && term_next(&text, &q->t[q->n]))
        q->covered[q->n++] = false;
    if (!v || q->n == ASKING_MAX || has_foreign_mark(q->text))
        return false;
    cover(q, a, subject);
    cover(q, a, to);
    cover(q, a, STR("yes or no"));
    cover(q, a, STR("ja oder nein"));
    for (size_t i = 0; i < q->n; i++) {
        const char *word = q->t[i].word;
        if (!q->covered[i] && !is_word(ASKING, word) && !is_word(NEUTRAL, word) && !is_word(v->does, word) &&
            !is_word(v->nouns, word) && !is_word(v->asking, word) && !is_word("yes ja", word) &&
            !is_number(word))
            return false;
    }
    return questions_name_action(q, v);
}

/* ---- deciding ---- */

/* Checks the whole answer that ends in `m`: the user has also read the text before a tool call. */
static enum rc answer_asks_nothing_else(struct db *db, struct arena *a, int64_t owner, struct message m,
    const struct typed_answer *t, bool *only, struct err *e)
{
    enum rc rc = RC_OK;
    struct str subject = t->look.text.s ? t->look.text : STR("");
    *only = m.status == MESSAGE_DONE;
    for (int i = 0; rc == RC_OK && *only && m.role != ROLE_USER && i < ANSWER_STEPS_MAX; i++) {
        if (m.role == ROLE_ASSISTANT)
            *only = typed_asks_nothing_else(m.text, t->suggestion.kind, subject, t->look.to);
        if (!m.parent_id)
            break;
        rc = store_message_get(db, a, owner, m.parent_id, &m, e);
    }
    return rc;
}

static enum rc read_bare(struct db *db, struct arena *a, const struct typed_message *m,
    struct suggestion *open, size_t n, struct typed_answer *out, struct err *e)
{
    struct message parent;
    size_t shown = 0;
    for (size_t i = 0; i < n; i++)
        if (open[i].message_id == m->parent_id) {
            out->suggestion = open[i];
            shown++;
        }
    if (shown != 1)
        return RC_OK;
    enum rc rc = suggestion_look(db, a, m->owner, &out->suggestion, m->now, &out->look, e);
    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    enum typed_word w = typed_bare(m->text);
    if (w == TYPED_OTHER)
        w = typed_pointing(m->text, out->suggestion.kind);
    if (w == TYPED_OTHER)
        return RC_OK;
    out->keep = w == TYPED_YES;
    rc = store_message_get(db, a, m->owner, m->parent_id, &parent, e);
    return rc == RC_OK ? answer_asks_nothing_else(db, a, m->owner, parent, out, &out->decides, e) : rc;
}

/* True when the message is on the path that ends in the parent. */
static enum rc is_on_branch(
    struct db *db, const struct typed_message *m, int64_t message_id, bool *is, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct message *path;
    size_t n;
    enum rc rc = store_message_path(db, a,
        &(struct path_query){
            .owner = m->owner, .session_id = m->session_id, .head = m->parent_id, .below = message_id - 1},
        &path, &n, e);
    *is = rc == RC_OK && n > 0 && path[0].id == message_id;
    return rc;
}

static enum rc read_named(struct db *db, struct arena *a, const struct typed_message *m,
    const struct suggestion *open, size_t n, struct typed_answer *out, struct err *e)
{
    size_t fits = 0;
    for (size_t i = 0; i < n; i++) {
        struct suggestion_look look;
        bool on_branch;
        enum rc rc = suggestion_look(db, a, m->owner, &open[i], m->now, &look, e);
        if (rc == RC_NOT_FOUND)
            continue;
        if (rc != RC_OK)
            return rc;
        enum typed_word w = typed_named(m->text, open[i].kind, look.text.s ? look.text : STR(""));
        if (w == TYPED_OTHER)
            continue;
        if ((rc = is_on_branch(db, m, open[i].message_id, &on_branch, e)) != RC_OK)
            return rc;
        if (!on_branch)
            continue;
        fits++;
        out->suggestion = open[i];
        out->look = look;
        out->keep = w == TYPED_YES;
    }
    out->decides = fits == 1;
    return RC_OK;
}

enum rc typed_answer_read(
    struct db *db, struct arena *a, const struct typed_message *m, struct typed_answer *out, struct err *e)
{
    struct suggestion *open;
    size_t n;
    *out = (struct typed_answer){0};
    if (!m->session_id || !m->parent_id)
        return RC_OK;
    enum rc rc = store_suggestion_of_session(db, a, m->owner, m->session_id, m->now, &open, &n, e);
    if (rc != RC_OK || n == 0)
        return rc;
    rc = read_bare(db, a, m, open, n, out, e);
    return rc == RC_OK && !out->decides ? read_named(db, a, m, open, n, out, e) : rc;
}
