/* A user's own words in a message, sentence by sentence, without text that another author may have
 * written. */
#include "app/memory/facts.h"

#include "base/utf8.h"
#include "codec/words/sentence.h"
#include "codec/words/tokenizer.h"

#define WRAP_MIN      60 /* bytes: a shorter line was ended by its author, a longer one may have been wrapped */
#define CODE_SIGNS    "{}<>=|\\`$"
#define ASKING        "?"
#define SECRET_DIGITS 13 /* a card's or an account's number; a telephone number has fewer */
#define SENTENCE_ROOM ((size_t)4 * FACTS_CHARS_MAX)

/* Words that announce a text by another author. */
static const char *const foreign[] = {"translate", "translation", "proofread", "rephrase", "rewrite",
    "reword", "summarize", "summarise", "paraphrase", "pretend", "imagine", "roleplay", "story", "poem",
    "lyrics", "dialogue", "essay", "draft", "letter", "forwarded", "fwd", "wrote", "writes", "ubersetze",
    "ubersetzen", "ubersetzung", "korrigiere", "umformulieren", "formuliere", "zusammenfassen", "gedicht",
    "geschichte", "brief", "weitergeleitet", "weitergeleitete", "schrieb", "schreibt", "stell"};

/* Words of sentences that are secrets and must not be suggested as facts. */
static const char *const secret[] = {"password", "passwords", "passcode", "passphrase", "passwort",
    "passworter", "kennwort", "kennworter", "pin", "pincode", "tan", "puk", "token", "secret", "secrets",
    "credential", "credentials", "apikey", "cvv", "cvc", "iban", "otp", "ssn", "geheim", "geheimnis",
    "zugangsdaten", "kreditkarte", "kreditkartennummer"};

static bool has_one_of(struct str text, const char *const *words, size_t n)
{
    struct term t;
    while (term_next(&text, &t))
        if (str_in_list(str_of(t.word), words, n))
            return true;
    return false;
}

bool facts_is_secret(struct str text)
{
    size_t digits = 0;
    for (size_t i = 0; i < text.len; i++)
        digits += text.s[i] >= '0' && text.s[i] <= '9';
    return digits >= SECRET_DIGITS || has_one_of(text, secret, ARRAY_LEN(secret));
}

/* ---- sentences ---- */

struct walk {
    struct strbuf *out;
    struct strbuf sentence;
    struct quotation quotation;
    bool quotes; /* the sentence contains a quotation */
    bool over;   /* the rest of the message is not the user's own */
};

static void end_sentence(struct walk *w)
{
    struct str s = str_trim(strbuf_str(&w->sentence)), rest = s;
    struct term t;
    bool fits = !w->sentence.failed && s.len && utf8_count(s) <= FACTS_CHARS_MAX && term_next(&rest, &t);
    bool said = fits && !w->quotes && !w->quotation.open;
    for (size_t i = 0; said && i < s.len; i++)
        said = strchr(ASKING CODE_SIGNS, s.s[i]) == NULL;
    if (said && !facts_is_secret(s)) {
        strbuf_addstr(w->out, s);
        strbuf_addc(w->out, '\n');
    }
    strbuf_clear(&w->sentence);
    w->quotes = w->quotation.open;
}

static void add_line(struct walk *w, struct str line)
{
    bool after_blank = true;
    for (struct str rest = line; rest.len && !w->over;) {
        struct str at = rest;
        bool bad = false;
        uint32_t c = utf8_next(&rest, &bad);
        bool ends_word = rest.len == 0 || rest.s[0] == ' ' || rest.s[0] == '\t';
        w->quotes |= quotation_step(&w->quotation, c, after_blank, rest);
        if (c == ':' && ends_word && !w->quotation.open) {
            w->over = true;
            return;
        }
        bool stop = sentence_ends(strbuf_str(&w->sentence), c, rest);
        strbuf_add(&w->sentence, at.s, (size_t)(rest.s - at.s));
        if (stop && !w->quotation.open)
            end_sentence(w);
        after_blank = c == ' ' || c == '\t' || c == '(';
    }
    if (line.len < WRAP_MIN && !w->quotation.open)
        end_sentence(w);
    else
        strbuf_addc(&w->sentence, ' ');
}

/* ---- lines ---- */

static bool is_fence(struct str s)
{
    return str_starts(s, STR("```")) || str_starts(s, STR("~~~"));
}

static bool is_indented(struct str line)
{
    return str_starts(line, STR("\t")) || str_starts(line, STR("    "));
}

static struct str without_bullet(struct str s)
{
    if (s.len > 1 && strchr("-*+", s.s[0]) && s.s[1] == ' ')
        return str_trim(str_from(s, 2));
    return s;
}

void facts_own_words(struct str message, struct strbuf *out)
{
    struct walk w = {.out = out};
    bool code = false, quoted = false;
    if (message.len > FACTS_MESSAGE_MAX || has_one_of(message, foreign, ARRAY_LEN(foreign)))
        return;
    strbuf_init(&w.sentence, SENTENCE_ROOM);
    while (message.s && !w.over) {
        struct str line = str_cut(&message, '\n'), text = str_trim(line);
        if (is_fence(text))
            code = !code;
        /* A quotation ends at the next empty line, as in Markdown. */
        quoted = text.len && (quoted || text.s[0] == '>');
        if (str_starts(text, STR("---")) || str_starts(text, STR("___")))
            w.over = true; /* the text below such a line is forwarded */
        else if (text.len == 0 || code || is_fence(text) || quoted || is_indented(line))
            end_sentence(&w);
        else
            add_line(&w, without_bullet(text));
    }
    if (!w.over)
        end_sentence(&w);
    strbuf_release(&w.sentence);
}
