#include "app/context/context_pictures.h"

#define NOTE_TOKENS 14 /* of one picture, with sides of five digits */

struct str context_pictures_note(struct arena *a, const struct message *m)
{
    AUTO_STRBUF note;
    strbuf_init(&note, (size_t)PICTURES_PER_MESSAGE * 64);
    for (size_t i = 0; i < m->pictures_n; i++)
        strbuf_addf(&note, "%s[Picture, %d x %d: not shown here]", i ? "\n" : "", m->pictures[i].width,
            m->pictures[i].height);
    return arena_str(a, strbuf_str(&note));
}

static struct str with_note(struct arena *a, const struct message *m, struct str text)
{
    struct str note = context_pictures_note(a, m);
    return str_of(arena_printf(a, "%.*s%s%.*s", STR_FMT(note), text.len ? "\n\n" : "", STR_FMT(text)));
}

struct str context_text(struct arena *a, const struct message *m)
{
    return m->pictures_n ? with_note(a, m, m->text) : m->text;
}

size_t pictures_of(const struct message *m)
{
    return m->role == ROLE_USER ? m->pictures_n : 0;
}

static int64_t picture_tokens(int width, int height)
{
    int64_t tokens = (int64_t)width * height / CONTEXT_PIXELS_PER_TOKEN + CONTEXT_TOKENS_PER_ENTRY;
    return tokens < CONTEXT_PICTURE_TOKENS_MAX ? tokens : CONTEXT_PICTURE_TOKENS_MAX;
}

int64_t pictures_tokens(const struct message *m, bool shown)
{
    int64_t all = 0;
    if (!shown)
        return (int64_t)pictures_of(m) * NOTE_TOKENS;
    for (size_t i = 0; i < pictures_of(m); i++)
        all += picture_tokens(m->pictures[i].width, m->pictures[i].height);
    return all;
}

int64_t pictures_sent_tokens(const struct llm_message *m)
{
    int64_t all = 0;
    for (size_t i = 0; i < m->pictures_n; i++)
        all += picture_tokens(m->pictures[i].width, m->pictures[i].height);
    return all;
}

size_t pictures_first_shown(enum context_pictures which, const struct message *path, size_t n)
{
    int64_t bytes = 0;
    size_t count = 0, first = n;
    for (size_t i = n; i > 0 && which != CONTEXT_PICTURES_NONE; i--) {
        const struct message *m = &path[i - 1];
        for (size_t k = 0; k < pictures_of(m); k++)
            bytes += m->pictures[k].bytes;
        count += pictures_of(m);
        if (count > CONTEXT_PICTURES_MAX || bytes > CONTEXT_PICTURE_BYTES_MAX)
            break;
        if (pictures_of(m))
            first = i - 1;
        if (pictures_of(m) && which == CONTEXT_PICTURES_NEWEST)
            break;
    }
    return first;
}

void pictures_add(struct arena *a, struct llm_message *to, const struct message *m, bool shown)
{
    if (!pictures_of(m))
        return;
    if (!shown) {
        to->text = with_note(a, m, to->text);
        return;
    }
    struct llm_picture *list = ARENA_ARRAY(a, struct llm_picture, pictures_of(m));
    for (size_t i = 0; i < pictures_of(m); i++)
        list[i] = (struct llm_picture){.media_type = m->pictures[i].media_type,
            .id = m->pictures[i].pub,
            .width = m->pictures[i].width,
            .height = m->pictures[i].height};
    to->pictures = list;
    to->pictures_n = pictures_of(m);
}

void pictures_join(struct arena *a, const struct llm_message *list, size_t n, struct llm_message *one)
{
    size_t all_n = 0, got = 0;
    for (size_t i = 0; i < n; i++)
        all_n += list[i].pictures_n;
    struct llm_picture *all = ARENA_ARRAY(a, struct llm_picture, all_n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < list[i].pictures_n; k++)
            all[got++] = list[i].pictures[k];
    one->pictures = all;
    one->pictures_n = got;
}
