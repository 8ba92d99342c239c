#include "app/search/document_vectors.h"

#include <math.h>

#include "base/utf8.h"
#include "codec/words/passages.h"

/* A document with its passages and the vectors received so far. */
struct entry {
    struct document *doc;
    struct str *passages;
    size_t passages_n, passage_bytes;
    float *vectors; /* [vectors_room * dimension] */
    size_t vectors_n, vectors_room;
    enum vector_skip why; /* reason of the last refusal */
    int refusals;
    bool too_long; /* the model refused a passage as too long; smaller ones may be accepted */
};

struct run {
    struct document_embedder *m;
    struct arena *a;
    size_t dimension;
    int refusals; /* refusals in all requests */
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- passages ---- */

/* Large enough that VECTOR_PASSAGES_MAX passages cover the text, but no larger than the model accepts. */
static size_t size_for(const struct document_embedder *m, size_t len)
{
    size_t most = m->limits.passage_bytes ? m->limits.passage_bytes : m->text_bytes_max;
    size_t size = len / (VECTOR_PASSAGES_MAX - VECTOR_PASSAGES_MAX / 8) + 1; /* they overlap by an eighth */
    size = size > m->passage_bytes ? size : m->passage_bytes;
    return smaller(size, most);
}

static void cut(struct run *r, struct entry *d, size_t size)
{
    if (!d->passages)
        d->passages = ARENA_ARRAY(r->a, struct str, VECTOR_PASSAGES_MAX);
    d->passage_bytes = size > PASSAGE_SIZE_MIN ? size : PASSAGE_SIZE_MIN;
    d->passages_n = passages_of(d->doc->text, d->passage_bytes, VECTOR_PASSAGES_MAX, d->passages);
    d->vectors_n = 0;
}

/* ---- vectors ---- */

static void make_room(struct run *r, struct entry *d)
{
    const float *old = d->vectors;
    d->vectors_room = d->vectors_room ? 2 * d->vectors_room : d->passages_n;
    d->vectors = ARENA_ARRAY(r->a, float, d->vectors_room * r->dimension);
    if (old)
        memcpy(d->vectors, old, d->vectors_n * r->dimension * sizeof *old);
}

/* Similarity is the angle, so all vectors are scaled to length 1. Most models do that themselves. */
static void keep_vector(struct run *r, struct entry *d, const float *v)
{
    double sum = 0;
    if (d->vectors_n == VECTOR_PASSAGES_MAX)
        return;
    if (d->vectors_n == d->vectors_room)
        make_room(r, d);
    float *to = d->vectors + d->vectors_n++ * r->dimension;
    for (size_t i = 0; i < r->dimension; i++)
        sum += (double)v[i] * (double)v[i];
    float length = sum > 0 ? (float)sqrt(sum) : 1;
    for (size_t i = 0; i < r->dimension; i++)
        to[i] = v[i] / length;
}

static void finish(struct run *r, struct entry *d)
{
    struct vector_set *set = &d->doc->set;
    size_t n = d->vectors_n * r->dimension;
    int8_t *v = arena_alloc(r->a, n + 1);
    *set = (struct vector_set){v, d->vectors_n, r->dimension, 0};
    bool embedded = n && vec8_quantise(d->vectors, n, v, &set->scale);
    d->doc->state = embedded ? DOCUMENT_EMBEDDED : DOCUMENT_SKIPPED;
    d->doc->why = d->passages_n ? d->why : SKIP_EMPTY;
}

/* ---- requests ---- */

static enum vector_skip reason_of(enum rc rc)
{
    switch (rc) {
    case RC_TOO_BIG: return SKIP_TOO_LONG;
    case RC_UPSTREAM: return SKIP_NO_VECTOR;
    default: return SKIP_REFUSED;
    }
}

struct reply {
    float *vectors;
    bool refused; /* although the provider works */
    enum rc rc;   /* code of the refusal */
};

/* RC_OK: answered or refused. */
static enum rc ask(struct run *r, const struct str *texts, size_t n, struct reply *out, struct err *e)
{
    struct err why = ERR_INIT;
    struct str harmless = STR(DOCUMENT_HARMLESS);
    float *ignored;
    *out = (struct reply){0};
    out->rc = r->m->request(r->m->arg, r->a, texts, n, &out->vectors, &r->dimension, &why);
    if (out->rc == RC_OK)
        return RC_OK;
    if (out->rc == RC_RATE_LIMITED || out->rc == RC_CANCELLED) {
        if (e)
            *e = why;
        return out->rc;
    }
    r->refusals++;
    out->refused = true;
    return r->m->request(r->m->arg, r->a, &harmless, 1, &ignored, &r->dimension, e);
}

static size_t request_texts(const struct document_embedder *m)
{
    size_t known = m->limits.request_texts;
    return known ? smaller(known, DOCUMENT_REQUEST_TEXTS) : DOCUMENT_REQUEST_TEXTS;
}

/* Called when a request of n texts was refused and its halves were accepted. A limit that was learned from
 * the halves is smaller and stays. */
static void learn_request_texts(struct run *r, const struct reply *refused, size_t n)
{
    size_t known = r->m->limits.request_texts, half = (n + 1) / 2;
    if ((refused->rc == RC_TOO_BIG || refused->rc == RC_BAD_INPUT) && (!known || half < known))
        r->m->limits.request_texts = half;
}

/* ---- one document ---- */

static enum rc split(struct run *r, struct entry *d, struct str passage, struct err *e);

/* Handles a passage that was refused when it was sent alone. */
static enum rc blame(struct run *r, struct entry *d, struct str passage, enum rc why, struct err *e)
{
    d->why = reason_of(why);
    d->refusals++;
    d->too_long = why == RC_TOO_BIG && passage.len / 2 >= DOCUMENT_PASSAGE_MIN;
    return d->too_long ? RC_OK : split(r, d, passage, e);
}

/* Embeds two overlapping halves, or the first half of a passage that is too small to split. */
static enum rc split(struct run *r, struct entry *d, struct str passage, struct err *e)
{
    struct str parts[2] = {{passage.s, utf8_cut_bytes(passage, passage.len / 2)}};
    size_t n = passage.len > DOCUMENT_PASSAGE_MIN ? passages_of(passage, passage.len * 9 / 16, 2, parts)
                                                  : parts[0].len > 0;
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < n && d->refusals < DOCUMENT_REFUSALS_MAX; i++) {
        struct reply reply;
        rc = ask(r, &parts[i], 1, &reply, e);
        if (rc != RC_OK)
            return rc;
        if (!reply.refused) {
            keep_vector(r, d, reply.vectors);
            continue;
        }
        d->why = reason_of(reply.rc);
        d->refusals++;
        if (passage.len > DOCUMENT_PASSAGE_MIN)
            rc = split(r, d, parts[i], e);
    }
    return rc;
}

/* Passages [from, to) of a document, which fit a request. */
static enum rc send_passages(struct run *r, struct entry *d, size_t from, size_t to, struct err *e)
{
    struct reply reply;
    if (d->too_long || d->refusals >= DOCUMENT_REFUSALS_MAX)
        return RC_OK;
    enum rc rc = ask(r, d->passages + from, to - from, &reply, e);
    if (rc != RC_OK)
        return rc;
    if (!reply.refused) {
        for (size_t i = 0; i < to - from; i++)
            keep_vector(r, d, reply.vectors + i * r->dimension);
        return RC_OK;
    }
    if (to - from == 1)
        return blame(r, d, d->passages[from], reply.rc, e);
    int before = r->refusals;
    size_t middle = from + (to - from + 1) / 2;
    rc = send_passages(r, d, from, middle, e);
    if (rc == RC_OK)
        rc = send_passages(r, d, middle, to, e);
    if (rc == RC_OK && r->refusals == before)
        learn_request_texts(r, &reply, to - from);
    return rc;
}

/* The end of the request that begins with passage `from`. */
static size_t request_end(const struct run *r, const struct entry *d, size_t from)
{
    size_t to = from, bytes = 0, most = request_texts(r->m);
    while (to < d->passages_n && to - from < most &&
           (to == from || bytes + d->passages[to].len <= DOCUMENT_REQUEST_BYTES))
        bytes += d->passages[to++].len;
    return to;
}

static enum rc embed_alone(struct run *r, struct entry *d, struct err *e)
{
    enum rc rc = RC_OK;
    size_t size = smaller(d->passage_bytes, d->doc->text.len), known = r->m->limits.passage_bytes;
    if (known && size > known) /* the limit was learned after the document was cut */
        cut(r, d, size = known);
    for (size_t first = size;; size /= 2) {
        d->too_long = false;
        for (size_t from = 0, to; rc == RC_OK && from < d->passages_n && !d->too_long; from = to) {
            to = request_end(r, d, from);
            rc = send_passages(r, d, from, to, e);
        }
        if (rc != RC_OK)
            return rc;
        if (!d->too_long) {
            if (size < first && d->vectors_n)
                r->m->limits.passage_bytes = size;
            finish(r, d);
            return RC_OK;
        }
        cut(r, d, size / 2);
    }
}

/* ---- many documents ---- */

static enum rc send_together(struct run *r, struct entry *d, size_t n, struct err *e)
{
    if (n == 1)
        return embed_alone(r, d, e);
    AUTO(arena) scratch = arena_new();
    struct reply reply = {0};
    size_t texts_n = 0, at = 0;
    struct str *texts = ARENA_ARRAY(scratch, struct str, DOCUMENT_REQUEST_TEXTS);
    for (size_t i = 0; i < n; i++)
        for (size_t p = 0; p < d[i].passages_n; p++)
            texts[texts_n++] = d[i].passages[p];
    enum rc rc = texts_n ? ask(r, texts, texts_n, &reply, e) : RC_OK;
    if (rc != RC_OK)
        return rc;
    if (reply.refused) {
        int before = r->refusals;
        rc = send_together(r, d, (n + 1) / 2, e);
        if (rc == RC_OK)
            rc = send_together(r, d + (n + 1) / 2, n / 2, e);
        if (rc == RC_OK && r->refusals == before)
            learn_request_texts(r, &reply, texts_n);
        return rc;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t p = 0; p < d[i].passages_n; p++, at++)
            keep_vector(r, &d[i], reply.vectors + at * r->dimension);
        finish(r, &d[i]);
    }
    return RC_OK;
}

enum rc document_vectors(
    struct document_embedder *m, struct arena *a, struct document *docs, size_t n, struct err *e)
{
    struct run r = {.m = m, .a = a};
    struct entry *d = ARENA_ARRAY(a, struct entry, n);
    enum rc rc = RC_OK;
    for (size_t from = 0, to; rc == RC_OK && from < n; from = to) {
        size_t texts = 0, bytes = 0;
        for (to = from; to < n; to++) {
            d[to].doc = &docs[to];
            cut(&r, &d[to], size_for(m, docs[to].text.len));
            size_t mine = smaller(d[to].passages_n * d[to].passage_bytes, docs[to].text.len);
            if (to > from &&
                (texts + d[to].passages_n > request_texts(m) || bytes + mine > DOCUMENT_REQUEST_BYTES))
                break;
            texts += d[to].passages_n;
            bytes += mine;
        }
        rc = send_together(&r, d + from, to - from, e);
    }
    return rc;
}
