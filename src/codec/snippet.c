#include "codec/snippet.h"

#include "base/utf8.h"

#define HITS_MAX 256 /* in one text; what comes later is neither looked at nor marked */
#define LEAD     48  /* bytes shown before the first hit */

struct hit {
    size_t at, len;
    uint64_t hash;
};

static size_t find_hits(struct str text, const struct bag *words, struct hit hits[HITS_MAX])
{
    struct str rest = text;
    struct term t;
    size_t n = 0;
    while (n < HITS_MAX && term_next(&rest, &t)) {
        const struct bag_word *w = bag_find(words, t.stem);
        if (w)
            hits[n++] = (struct hit){(size_t)(t.source.s - text.s), t.source.len, w->hash};
    }
    return n;
}

/* The hit from which on the window holds the most different words, then the most words. */
static size_t best_start(const struct hit *hits, size_t n, size_t bytes)
{
    size_t best = 0, most = 0;
    for (size_t i = 0; i < n; i++) {
        size_t worth = 0;
        for (size_t j = i; j < n && hits[j].at + hits[j].len <= hits[i].at + bytes - LEAD; j++) {
            bool again = false;
            for (size_t k = i; k < j && !again; k++)
                again = hits[k].hash == hits[j].hash;
            worth += again ? 1 : HITS_MAX;
        }
        if (worth > most) {
            most = worth;
            best = i;
        }
    }
    return best;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t';
}

/* Forward to the next word, if one begins soon; never inside a character. */
static size_t to_word(struct str text, size_t at, size_t limit)
{
    if (at == 0)
        return 0;
    for (size_t i = at; i < limit; i++)
        if (is_blank(text.s[i - 1]) && !is_blank(text.s[i]))
            return i;
    return utf8_cut_bytes(text, at);
}

/* Back to the end of a word. */
static size_t to_end(struct str text, size_t at, size_t limit)
{
    if (at >= text.len)
        return text.len;
    for (size_t i = at; i > limit; i--)
        if (is_blank(text.s[i]))
            return i;
    return utf8_cut_bytes(text, at);
}

struct snippet snippet_of(struct arena *a, struct str text, const struct bag *words, size_t bytes)
{
    struct hit hits[HITS_MAX];
    if (bytes < 2 * LEAD)
        bytes = 2 * LEAD;
    size_t n = find_hits(text, words, hits), first = n ? best_start(hits, n, bytes) : 0;
    size_t at = n ? hits[first].at : 0, begin = at > LEAD && text.len > bytes ? at - LEAD : 0;
    if (text.len > bytes && text.len - begin < bytes)
        begin = text.len - bytes;
    begin = to_word(text, begin, at > begin ? at : begin);
    size_t end = to_end(text, begin + bytes, begin + bytes / 2);
    struct snippet s = {.pieces = ARENA_ARRAY(a, struct snippet_piece, 2 * n + 1),
        .whole = {text.s + begin, end - begin},
        .cut_head = begin > 0,
        .cut_end = end < text.len};
    size_t done = begin;
    for (size_t i = 0; i < n; i++) {
        if (hits[i].at < done || hits[i].at + hits[i].len > end)
            continue;
        if (hits[i].at > done)
            s.pieces[s.n++] = (struct snippet_piece){{text.s + done, hits[i].at - done}, false};
        s.pieces[s.n++] = (struct snippet_piece){{text.s + hits[i].at, hits[i].len}, true};
        done = hits[i].at + hits[i].len;
    }
    if (done < end)
        s.pieces[s.n++] = (struct snippet_piece){{text.s + done, end - done}, false};
    return s;
}
