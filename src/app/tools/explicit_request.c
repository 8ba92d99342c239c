#include "app/tools/explicit_request.h"

#include "app/memory/memory.h"
#include "base/utf8.h"
#include "codec/words/quoted_reply.h"
#include "codec/words/sentence.h"
#include "codec/words/tokenizer.h"

#define WORDS_MAX     128
#define LEADS_MAX     8 /* polite phrases before a request */
#define GREETINGS_MAX 3 /* sentences that are only a greeting */
#define MARKUP_SIGNS  "<>|{}`\t"

/* ---- the tables ---- */

/*
 * Syntax of a form: words separated by blanks. "a|b" is either word. "*" is any words, as few as the rest
 * needs. Words are written as codec/words/tokenizer.h folds them: lower case, "don't" is "don t", "ändere" is
 * "andere".
 */

/* Phrases that may precede a request. Those that begin a question allow a question mark. */
static const struct {
    const char *form;
    bool asks;
} leads[] = {
    {"thank you", false},
    {"can|could|would|will you", true},
    {"i want|need you to", false},
    {"i d|would like you to", false},
    {"you should|must", false},
    {"let s", false},
    {"guten tag|morgen|abend", false},
    {"good morning|afternoon|evening", false},
    {"vielen dank", false},
    {"danke schon", false},
    {"kannst|konntest|wurdest|magst du", true},
    {"ich mochte dass du", false},
    {"du sollst|solltest", false},
    {"please|bitte|kindly|alfred|hi|hey|hello|hallo|moin|servus|thanks|danke|ok|okay|great|super|nice|"
     "perfect|"
     "good|gut|sure|right|alright|yes|ja|well|oh|so|now|also|then|just|and|und|dann|mal|doch|jetzt|noch",
        false},
};

struct form {
    enum request_action action;
    const char *words;
};

static const struct form forms[] = {
    {REQUEST_REMEMBER, "remember|memorize|memorise"},
    {REQUEST_REMEMBER, "keep|bear in mind"},
    {REQUEST_REMEMBER, "do not|never forget"},
    {REQUEST_REMEMBER, "don t forget"},
    {REQUEST_REMEMBER, "make|take a note"},
    {REQUEST_REMEMBER, "note|jot|write down"},
    {REQUEST_REMEMBER, "note"},
    {REQUEST_REMEMBER, "save|store|keep|add|put * memory"},
    {REQUEST_REMEMBER, "merk|merke|notier|notiere dir"},
    {REQUEST_REMEMBER, "merk|merke|notier|notiere|speicher|speichere"},
    {REQUEST_REMEMBER, "behalt|behalte"},
    {REQUEST_REMEMBER, "vergiss nicht"},
    {REQUEST_REMEMBER, "denk|denke daran"},
    {REQUEST_REMEMBER, "schreib|schreibe dir * auf"},
    {REQUEST_REMEMBER, "dir * merken|notieren"},

    {REQUEST_ADD_TASK, "add|put * list|lists|task|tasks|todo|todos"},
    {REQUEST_ADD_TASK, "add|create|make|set a|new|an|another task|todo|reminder"},
    {REQUEST_ADD_TASK, "add|create task|todo|reminder"},
    {REQUEST_ADD_TASK, "new task|todo|reminder"},
    {REQUEST_ADD_TASK, "task|todo|aufgabe"},
    {REQUEST_ADD_TASK, "to do"},
    {REQUEST_ADD_TASK, "remind me"},
    {REQUEST_ADD_TASK, "remember to"},
    {REQUEST_ADD_TASK, "don t forget to"},
    {REQUEST_ADD_TASK, "don t let me forget"},
    {REQUEST_ADD_TASK, "i need|have to remember to"},
    {REQUEST_ADD_TASK, "erinner|erinnere mich"},
    {REQUEST_ADD_TASK, "mich * erinnern"},
    {REQUEST_ADD_TASK, "setz|setze|schreib|schreibe|pack|packe|nimm|fug|fuge|trag|trage "
                       "* liste|aufgabenliste|einkaufsliste|aufgaben|todos"},
    {REQUEST_ADD_TASK, "* liste|aufgabenliste|einkaufsliste setzen|schreiben|packen|nehmen|hinzufugen"},
    {REQUEST_ADD_TASK, "leg|lege|erstell|erstelle eine aufgabe|erinnerung"},
    {REQUEST_ADD_TASK, "neue aufgabe|erinnerung"},
    {REQUEST_ADD_TASK, "denk|denke daran"},
    {REQUEST_ADD_TASK, "vergiss nicht"},

    {REQUEST_REMIND, "remind|tell|wake|notify|ping|alert me"},
    {REQUEST_REMIND, "wake me up"},
    {REQUEST_REMIND, "let me know"},
    {REQUEST_REMIND, "set|create|add|make a|an|another reminder|alarm|timer"},
    {REQUEST_REMIND, "don t let me forget"},
    {REQUEST_REMIND, "every|each|daily|weekly|monthly * remind me"},
    {REQUEST_REMIND, "erinner|erinnere|weck|wecke mich"},
    {REQUEST_REMIND, "sag|sage mir"},
    {REQUEST_REMIND, "gib|gebe mir bescheid"},
    {REQUEST_REMIND, "mich * erinnern|wecken"},
    {REQUEST_REMIND, "jeden|jede|jedes|alle|taglich|wochentlich * erinner|erinnere mich"},
    {REQUEST_REMIND, "stell|stelle|erstell|erstelle|setz|setze eine|einen erinnerung|wecker|timer"},

    {REQUEST_SCHEDULE, "every|each|daily|weekly|monthly|hourly"},
    {REQUEST_SCHEDULE, "schedule"},
    {REQUEST_SCHEDULE, "on weekdays|weekends"},
    {REQUEST_SCHEDULE, "jeden|jede|jedes|alle|taglich|wochentlich|monatlich|werktags|morgens|abends"},
    {REQUEST_SCHEDULE, "plan|plane"},

    {REQUEST_COMPLETE_TASK, "check|tick|cross off"},
    {REQUEST_COMPLETE_TASK, "mark|set * as done|complete|completed|finished"},
    {REQUEST_COMPLETE_TASK, "mark|set|check|tick|cross * done|complete|completed|finished|off"},
    {REQUEST_COMPLETE_TASK, "complete|finish"},
    {REQUEST_COMPLETE_TASK, "i finished|completed|did"},
    {REQUEST_COMPLETE_TASK, "i have|ve finished|completed|done|did"},
    {REQUEST_COMPLETE_TASK, "i am|m done with"},
    {REQUEST_COMPLETE_TASK, "im|m done with"},
    {REQUEST_COMPLETE_TASK, "done with"},
    {REQUEST_COMPLETE_TASK, "* is done|finished|complete|completed"},
    {REQUEST_COMPLETE_TASK, "* s done"},
    {REQUEST_COMPLETE_TASK, "markier|markiere * als erledigt|fertig"},
    {REQUEST_COMPLETE_TASK, "hak|hake * ab"},
    {REQUEST_COMPLETE_TASK, "streich|streiche * von|aus"},
    {REQUEST_COMPLETE_TASK, "erledigt"},
    {REQUEST_COMPLETE_TASK, "ich habe|hab * erledigt|gemacht"},
    {REQUEST_COMPLETE_TASK, "* ist erledigt|fertig"},

    {REQUEST_WORKSPACE, "put|move|add|set|assign|file|take|remove|change|switch|use * workspace|project"},
    {REQUEST_WORKSPACE,
        "verschieb|verschiebe|leg|lege|setz|setze|nimm|pack|packe|benutz|benutze|nutze|wechsle "
        "* arbeitsbereich|workspace|projekt"},
    {REQUEST_WORKSPACE, "* arbeitsbereich|workspace|projekt verschieben|legen|setzen|nehmen|packen"},
};

/* "Remember when we met?" and "remember me to her" do not ask to store anything. */
static const char *const not_behind_remember[] = {
    "when", "what", "how", "who", "where", "why", "whether", "if", "which", "me"};

/* A sentence may continue with another request after these. */
static const char *const conjunctions[] = {"and", "und", "then", "dann", "plus", "also", "sowie"};

/* Words that a stored text may have although the request lacks them: they have no content. */
static const char *const free_words[] = {"a", "an", "the", "is", "are", "was", "were", "am", "be", "has",
    "have", "had", "do", "does", "did", "i", "me", "my", "you", "your", "he", "she", "it", "they", "we",
    "his", "her", "its", "their", "our", "s", "to", "of", "in", "on", "at", "for", "with", "by", "as", "and",
    "that", "this", "user", "users", "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen",
    "einem", "einer", "ist", "sind", "war", "hat", "habe", "haben", "ich", "mich", "mir", "mein", "meine",
    "meinen", "meinem", "meiner", "er", "sie", "es", "sein", "seine", "ihr", "ihre", "wir", "unser", "unsere",
    "zu", "zum", "zur", "von", "vom", "im", "am", "an", "fur", "mit", "und", "dass", "nutzer", "nutzers",
    "benutzer", "benutzers"};

/* "Add milk to my list" may become the task "Buy milk". */
static const char *const free_task_words[] = {"buy", "get", "kaufen", "besorgen"};

/* Words of an object that do not distinguish tasks. */
static const char *const task_words[] = {"task", "tasks", "todo", "item", "entry", "list", "my", "the",
    "that", "off", "from", "as", "done", "already", "please", "it", "to", "on", "of", "now", "aufgabe",
    "eintrag", "liste", "die", "den", "das", "der", "von", "meiner", "meine", "mein", "meinen", "bitte",
    "schon", "als"};

/* ---- the sentence ---- */

/* Cuts the first sentence of `*rest`, without its end mark; `asks`: the mark is a question mark. */
static struct str cut_sentence(struct str *rest, bool *asks)
{
    *rest = str_trim(*rest);
    struct str all = *rest, left = all;
    struct quotation q = {0};
    bool after_blank = true;
    *asks = false;
    while (left.len) {
        struct str before = {all.s, all.len - left.len};
        uint32_t c = utf8_next(&left, NULL);
        quotation_step(&q, c, after_blank, left);
        bool ends = !q.open && sentence_ends(before, c, left);
        if (ends || c == '\n') {
            *asks = c == '?';
            *rest = left;
            return before;
        }
        after_blank = c == ' ' || c == '(';
    }
    *rest = left;
    return all;
}

static bool is_plain(struct str s)
{
    if (s.len == 0 || utf8_count(s) > EXPLICIT_REQUEST_CHARS)
        return false;
    while (s.len) {
        uint32_t c = utf8_next(&s, NULL);
        bool invisible = (c >= 0x200B && c <= 0x200F) || c == 0x2060 || c == 0xFEFF || c == 0xAD;
        if (invisible || utf8_is_control(c) || c == UTF8_REPLACEMENT ||
            (c < 0x80 && strchr(MARKUP_SIGNS, (int)c)))
            return false;
    }
    return true;
}

/* A copy with quotations replaced by blanks. An unclosed quotation ends with the text. */
static struct str without_quotations(struct arena *a, struct str s)
{
    char *to = arena_strndup(a, s.s, s.len);
    struct quotation q = {0};
    bool after_blank = true;
    for (struct str left = s; left.len;) {
        size_t at = s.len - left.len;
        uint32_t c = utf8_next(&left, NULL);
        bool mark = quotation_step(&q, c, after_blank, left);
        if (mark || q.open)
            memset(to + at, ' ', s.len - left.len - at);
        after_blank = c == ' ' || c == '(';
    }
    return (struct str){to, s.len};
}

/* ---- forms ---- */

struct words {
    struct term t[WORDS_MAX];
    size_t n;
};

static bool word_fits(struct str token, const char *word)
{
    while (token.s)
        if (str_is(str_cut(&token, '|'), word))
            return true;
    return false;
}

struct match {
    size_t content, object, object_end; /* words */
    size_t end;                         /* after the last word of the form */
};

/* True when the form matches at `at`. */
static bool fits(const struct words *w, size_t at, struct str form, struct match *m)
{
    bool starred = false;
    *m = (struct match){.content = at, .object_end = w->n};
    while (form.s) {
        struct str token = str_cut(&form, ' ');
        if (!str_is(token, "*")) {
            if (at >= w->n || !word_fits(token, w->t[at].word))
                return false;
            at++;
            continue;
        }
        struct match rest;
        size_t k = at;
        while (k <= w->n && !fits(w, k, form, &rest))
            k++;
        if (k > w->n)
            return false;
        m->content = m->object = at;
        m->object_end = k;
        at = rest.end;
        starred = true;
        break;
    }
    m->end = at;
    if (!starred)
        m->content = m->object = at;
    return true;
}

/* The number of polite words at `at`. `asks`: one of them begins a question. */
static size_t skip_leads(const struct words *w, size_t at, bool *asks)
{
    struct match m;
    for (int i = 0; i < LEADS_MAX; i++) {
        size_t before = at;
        for (size_t k = 0; k < ARRAY_LEN(leads) && at == before; k++)
            if (fits(w, at, str_of(leads[k].form), &m)) {
                *asks |= leads[k].asks;
                at = m.end;
            }
        if (at == before)
            break;
    }
    return at;
}

static bool is_request(const struct words *w, size_t at, const struct form *f, struct match *m)
{
    if (!fits(w, at, str_of(f->words), m))
        return false;
    bool remembers = strcmp(w->t[at].word, "remember") == 0 && m->end == at + 1;
    return !remembers || m->end >= w->n || !STR_IN(str_of(w->t[m->end].word), not_behind_remember);
}

/* Reads all requests in the words from `at` up to `end`. False: none, or only by a form that may begin
 * with any word; such a form does not confirm a request after it. */
static bool read_requests(
    struct arena *a, const struct words *w, size_t at, size_t end, struct explicit_request *out)
{
    bool any = false;
    struct match m;
    struct words part = *w;
    part.n = end;
    for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
        enum request_action action = forms[i].action;
        if (!is_request(&part, at, &forms[i], &m))
            continue;
        any |= forms[i].words[0] != '*';
        if (out->asks[action])
            continue;
        const char *last = part.t[end - 1].source.s + part.t[end - 1].source.len;
        const char *content = m.content < end ? part.t[m.content].source.s : last;
        const char *object = m.object < end ? part.t[m.object].source.s : last;
        const char *object_end = m.object_end < end ? part.t[m.object_end].source.s : last;
        out->asks[action] = true;
        out->content[action] = str_of(arena_strndup(a, content, (size_t)(last - content)));
        out->object[action] = str_of(arena_strndup(a, object, (size_t)(object_end - object)));
    }
    return any;
}

static bool begins_request(const struct words *w, size_t at)
{
    struct match m;
    for (size_t i = 0; i < ARRAY_LEN(forms); i++)
        if (forms[i].words[0] != '*' && is_request(w, at, &forms[i], &m))
            return true;
    return false;
}

/* The start of the next request, after a conjunction; w->n: none. */
static size_t next_request(const struct words *w, size_t from)
{
    for (size_t i = from; i + 1 < w->n; i++) {
        bool asks = false;
        if (STR_IN(str_of(w->t[i].word), conjunctions) && begins_request(w, skip_leads(w, i + 1, &asks)))
            return i;
    }
    return w->n;
}

void explicit_request_read(struct arena *a, struct str message, int64_t typed, struct explicit_request *out)
{
    *out = (struct explicit_request){0};
    if (typed >= 0 && (uint64_t)typed < message.len)
        message.len = (size_t)typed;
    struct str rest = quoted_reply_own_words(message), sentence;
    struct words *w = arena_alloc(a, sizeof *w);
    bool question = false, may_ask = false;
    size_t at = 0;
    for (int i = 0; i <= GREETINGS_MAX; i++) {
        sentence = cut_sentence(&rest, &question);
        if (!is_plain(sentence))
            return;
        struct str own = without_quotations(a, sentence);
        w->n = 0;
        while (w->n < WORDS_MAX && term_next(&own, &w->t[w->n]))
            w->n++;
        may_ask = false;
        at = skip_leads(w, 0, &may_ask);
        if (at < w->n)
            break;
    }
    if (at >= w->n || w->n == WORDS_MAX || (question && !may_ask))
        return;
    for (bool first = true; at < w->n; first = false) {
        size_t end = next_request(w, at);
        bool any = read_requests(a, w, at, end, out);
        if (end == w->n || (first && !any))
            return;
        at = skip_leads(w, end + 1, &may_ask);
    }
}

/* ---- coverage ---- */

static bool is_free(enum request_action action, const char *word)
{
    return STR_IN(str_of(word), free_words) ||
           (action == REQUEST_ADD_TASK && STR_IN(str_of(word), free_task_words));
}

static bool negates(struct str s)
{
    struct term t;
    while (term_next(&s, &t))
        if (memory_negates(t.word))
            return true;
    return false;
}

bool explicit_request_stores(const struct explicit_request *r, enum request_action action, struct str stored)
{
    if (!r->asks[action] || negates(r->content[action]) != negates(stored))
        return false;
    AUTO(arena) a = arena_new();
    struct bag own = bag_of_all(a, r->content[action]);
    struct term t;
    size_t found = 0;
    for (struct str rest = stored; term_next(&rest, &t);) {
        bool is = bag_find(&own, t.stem) != NULL;
        if (!is && !memory_negates(t.word) && !is_free(action, t.word))
            return false;
        found += is;
    }
    return found > 0;
}

bool explicit_request_names(const struct explicit_request *r, enum request_action action, struct str existing)
{
    if (!r->asks[action])
        return false;
    AUTO(arena) a = arena_new();
    struct bag theirs = bag_of_all(a, existing);
    struct term t;
    size_t found = 0;
    for (struct str rest = r->object[action]; term_next(&rest, &t);) {
        if (STR_IN(str_of(t.word), task_words))
            continue;
        if (!bag_find(&theirs, t.stem))
            return false;
        found++;
    }
    return found > 0;
}
