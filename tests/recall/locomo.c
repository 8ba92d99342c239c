#include "locomo.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"

#define SESSIONS_MAX 200
#define ID_MAX       16

/* "1:56 pm on 8 May, 2023" */
static int64_t read_date(const char *s)
{
    struct tm tm = {0};
    if (!s || !strptime(s, "%I:%M %p on %d %b, %Y", &tm))
        return 0;
    return (int64_t)timegm(&tm) * MS_PER_S;
}

static const char *text_of(struct arena *a, const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return arena_strdup(a, s ? s : "");
}

static void read_session(struct arena *a, const json_t *list, const char *first, struct locomo_session *s)
{
    size_t i;
    json_t *turn;
    s->turns = ARENA_ARRAY(a, struct locomo_turn, json_array_size(list));
    json_array_foreach(list, i, turn)
    {
        const char *speaker = text_of(a, turn, "speaker"), *caption = text_of(a, turn, "blip_caption");
        const char *said = text_of(a, turn, "text");
        s->turns[s->n++] = (struct locomo_turn){
            .id = text_of(a, turn, "dia_id"),
            .text = caption[0] ? arena_printf(a, "%s: %s [shares %s]", speaker, said, caption)
                               : arena_printf(a, "%s: %s", speaker, said),
            .first_speaker = strcmp(speaker, first) == 0,
        };
    }
}

static bool has_turn(const struct locomo_conversation *c, const char *id)
{
    for (size_t s = 0; s < c->sessions_n; s++)
        for (size_t t = 0; t < c->sessions[s].n; t++)
            if (strcmp(c->sessions[s].turns[t].id, id) == 0)
                return true;
    return false;
}

/* Some entries name several turns, or only unknown ones. */
static void read_evidence(
    struct arena *a, const json_t *list, const struct locomo_conversation *c, struct locomo_question *q)
{
    size_t i;
    json_t *entry;
    q->evidence = ARENA_ARRAY(a, const char *, 8 * json_array_size(list) + 1);
    json_array_foreach(list, i, entry)
    {
        const char *p = json_string_value(entry);
        for (int used; p && q->evidence_n < 8 * json_array_size(list); p += used) {
            char id[ID_MAX];
            used = 0;
            if (sscanf(p, "%*[ ;,]%n", &used) == 0 && used)
                continue;
            if (sscanf(p, "%15[^ ;,]%n", id, &used) != 1)
                break;
            if (has_turn(c, id))
                q->evidence[q->evidence_n++] = arena_strdup(a, id);
        }
    }
}

static void read_conversation(struct arena *a, const json_t *o, struct locomo_conversation *c)
{
    const json_t *talk = json_object_get(o, "conversation"), *questions = json_object_get(o, "qa"),
                 *summaries = json_object_get(o, "session_summary");
    const char *first = text_of(a, talk, "speaker_a");
    c->name = text_of(a, o, "sample_id");
    c->sessions = ARENA_ARRAY(a, struct locomo_session, SESSIONS_MAX);
    for (int i = 1; i <= SESSIONS_MAX; i++) {
        char key[64];
        snprintf(key, sizeof key, "session_%d", i);
        const json_t *list = json_object_get(talk, key);
        if (!json_is_array(list))
            continue;
        struct locomo_session *s = &c->sessions[c->sessions_n++];
        snprintf(key, sizeof key, "session_%d_date_time", i);
        s->at = read_date(json_string_value(json_object_get(talk, key)));
        read_session(a, list, first, s);
        snprintf(key, sizeof key, "session_%d_summary", i);
        s->summary = text_of(a, summaries, key);
    }
    size_t i;
    json_t *qa;
    c->questions = ARENA_ARRAY(a, struct locomo_question, json_array_size(questions));
    json_array_foreach(questions, i, qa)
    {
        struct locomo_question *q = &c->questions[c->questions_n];
        q->text = text_of(a, qa, "question");
        q->category = (int)json_integer_value(json_object_get(qa, "category"));
        read_evidence(a, json_object_get(qa, "evidence"), c, q);
        c->questions_n += q->evidence_n > 0;
    }
}

enum rc locomo_read(
    const char *path, struct arena *a, struct locomo_conversation **out, size_t *n, struct err *e)
{
    json_error_t error;
    json_t *all = json_load_file(path, 0, &error);
    if (!all)
        return err_set(e, RC_BAD_INPUT, "%s line %d: %s", path, error.line, error.text);
    size_t i;
    json_t *o;
    *n = json_array_size(all);
    *out = ARENA_ARRAY(a, struct locomo_conversation, *n);
    json_array_foreach(all, i, o)
    {
        read_conversation(a, o, &(*out)[i]);
    }
    json_decref(all);
    return RC_OK;
}
