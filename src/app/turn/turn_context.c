/* The context of the turn's model: the system prompt with the workspace's files and the newest compaction,
 * the path from there to the question, and after it what changes from turn to turn: relevant facts, the
 * session's focus, that the web access is off, and the messages that do not fit, in short.
 *
 * It is built in an arena of its own. A turn lives as long as its answer streams, so it keeps only a copy of
 * the messages that are sent. */

#include "app/context/context.h"
#include "app/context/data_block.h"
#include "app/context/instructions.h"
#include "app/context/message_files.h"
#include "app/context/prompt.h"
#include "app/context/workspace_files.h"
#include "app/memory/memory.h"
#include "app/session/workspace.h"
#include "app/summary/compact.h"
#include "app/tools/context_override.h"
#include "app/tools/discourse_focus.h"
#include "app/turn/turn_private.h"
#include "codec/base64.h"
#include "codec/web_address.h"

#define MESSAGES_MORE 4 /* room for added messages: a step has at least two */

struct reading {
    struct db *db;
    struct turn *t;
    struct arena *arena; /* for the time of building */
    struct str files;    /* the block about those of the workspace */
    bool files_listed;   /* it lacks texts */
    const struct turn_asked *asked;
    const char *const *settings;
    struct context_frame frame;
    struct message *path; /* its last message is the question */
    size_t n;
};

/* The compaction that replaces the older part of the path; id 0: none. A repeated question is never in the
 * replaced part, because the model must read it. */
static enum rc read_compaction(const struct reading *r, struct compaction *out, struct err *e)
{
    const struct turn_asked *asked = r->asked;
    *out = (struct compaction){0};
    if (!asked->parent_id)
        return RC_OK;
    enum rc rc =
        store_compaction_on_path(r->db, r->arena, asked->owner, asked->session_id, asked->parent_id, out, e);
    if (rc != RC_OK && rc != RC_NOT_FOUND)
        return rc;
    if (asked->question_id && out->last_id >= asked->question_id)
        *out = (struct compaction){0};
    r->t->context.compaction_id = out->id;
    return RC_OK;
}

/* A continued answer has steps before it: what their tools returned counts as if this turn had called them.
 */
static void note_earlier_steps(const struct reading *r)
{
    for (size_t i = r->n; i > 0 && r->path[i - 1].role != ROLE_USER; i--) {
        const struct message *m = &r->path[i - 1];
        if (m->role == ROLE_TOOL && m->tool && (!tool_is_own(m->tool) || tool_is_untrusted(m->tool)))
            turn_note_untrusted(r->t, NULL);
    }
}

/* The path to the question from the border on, and the question. */
static enum rc read_path(struct reading *r, int64_t border, struct err *e)
{
    const struct turn_asked *asked = r->asked;
    struct arena *a = r->arena;
    struct message *path = NULL;
    size_t n = 0;
    enum rc rc = RC_OK;
    if (asked->parent_id)
        rc = store_message_path(r->db, a,
            &(struct path_query){.owner = asked->owner,
                .session_id = asked->session_id,
                .head = asked->parent_id,
                .below = border},
            &path, &n, e);
    if (rc != RC_OK)
        return rc;
    if (n)
        n = context_without_refused(path, n);
    r->path = ARENA_ARRAY(a, struct message, n + 1);
    if (n)
        memcpy(r->path, path, n * sizeof *path);
    if (asked->text.s)
        r->path[n++] = (struct message){.role = ROLE_USER,
            .text = asked->text,
            .pictures = asked->pictures,
            .pictures_n = asked->pictures_n,
            .created_at = asked->now};
    r->n = n;
    note_earlier_steps(r);
    return RC_OK;
}

/* ---- blocks of data ---- */

/* Tokens that are free for the path above the question. */
static int64_t room_left(const struct reading *r)
{
    int64_t room = context_room(r->t->en->set.config, &r->frame) - context_tokens(r->path[r->n - 1].text);
    return room > 0 ? room : 0;
}

static size_t block_bytes(const struct reading *r)
{
    return (size_t)(room_left(r) / CONTEXT_SHARE_BLOCK) * CONTEXT_BYTES_PER_TOKEN;
}

static void add_block(struct reading *r, struct str block)
{
    data_block_append(r->arena, &r->frame.aside, block);
}

static void use_memories(struct turn *t, const int64_t *ids, size_t n)
{
    t->context.memories = ARENA_ARRAY(t->arena, int64_t, n);
    t->context.memories_n = n;
    for (size_t i = 0; i < n; i++)
        t->context.memories[i] = ids[i];
}

/* Adds the facts that are relevant for the question. */
static enum rc add_memories(struct reading *r, struct err *e)
{
    struct memory_block facts;
    if (r->asked->temporary)
        return RC_OK;
    const struct memory_query q = {r->asked->owner, r->path[r->n - 1].text, r->asked->now};
    enum rc rc = memory_block_for(r->db, r->arena, &q, block_bytes(r), &facts, e);
    if (rc != RC_OK)
        return rc;
    use_memories(r->t, facts.ids, facts.n);
    add_block(r, facts.text);
    return RC_OK;
}

/* Adds the contents that the model requested in the turn before, instead of the usual ones. */
static enum rc add_override(struct reading *r, struct err *e)
{
    struct context_override_text override;
    struct context_override_owner who = {.owner = r->asked->owner,
        .session_id = r->asked->session_id,
        .parent_id = r->asked->parent_id,
        .room = room_left(r),
        .now = r->asked->now};
    enum rc rc = context_override_read(r->db, r->arena, &who, r->path, r->n, &override, e);
    if (rc != RC_OK)
        return rc;
    if (override.sets_memories)
        use_memories(r->t, override.memories, override.memories_n);
    else if ((rc = add_memories(r, e)) != RC_OK)
        return rc;
    add_block(r, override.text);
    r->t->context.overridden = override.present;
    r->path += override.from;
    r->n -= override.from;
    return RC_OK;
}

static enum rc add_focus(struct reading *r, struct err *e)
{
    struct str block;
    enum rc rc = discourse_focus_prompt(
        r->db, r->arena, r->asked->owner, r->asked->session_id, r->asked->now, block_bytes(r), &block, e);
    if (rc == RC_OK)
        add_block(r, block);
    return rc;
}

/* The newest message has the address of a page, which the model could read if the user had switched the web
 * access on. It could only say that it cannot open links. */
static void add_web_off(struct reading *r)
{
    const struct turn *t = r->t;
    const struct lang *l = t->lang ? t->lang : lang_english();
    size_t n = r->n;
    while (n > 0 && r->path[n - 1].role != ROLE_USER)
        n--;
    if (!turn_lacks_web(t) || r->frame.text_only || !n ||
        !web_address_any(message_own_text(r->path[n - 1].text)))
        return;
    add_block(
        r, str_of(arena_printf(r->arena,
               "You cannot read the web page whose address is in the user's message, because the user's "
               "setting \"%s\" is off. If the user wants it to be read, say that this setting can be "
               "switched on, on the page [%s](/settings).",
               lang_text(l, "settings.web_search"), lang_text(l, "settings.title"))));
}

/* Messages that do not fit, and that no compaction covers yet. */
static void add_left_out(struct reading *r)
{
    int64_t share = r->frame.window / COMPACT_LEFT_OUT_SHARE, left = room_left(r);
    struct context_span s = context_span(r->t->en->set.config, &r->frame, r->path, r->n);
    if (s.from == s.wanted)
        return;
    share = share < left ? share : left;
    r->frame.reserve = share > COMPACT_LEFT_OUT_LEAST ? share : COMPACT_LEFT_OUT_LEAST;
    s = context_span(r->t->en->set.config, &r->frame, r->path, r->n);
    struct str block = compact_left_out(r->arena, r->path + s.wanted, s.from - s.wanted, r->frame.reserve);
    r->frame.reserve = 0;
    add_block(r, block);
}

/* Tokens of the messages that steps have added after the context. */
static int64_t added_tokens(const struct turn *t)
{
    return context_sent(t->context.messages + t->context.built_n, t->context.messages_n - t->context.built_n);
}

enum context_pictures turn_pictures_of(const struct provider_choice *c)
{
    return c->images == LLM_NO ? CONTEXT_PICTURES_NONE : CONTEXT_PICTURES_RECENT;
}

/* Anthropic takes thinking of earlier turns only behind exactly the same system prompt, tools and messages
 * (https://platform.claude.com/docs/build-with-claude/preserved-thinking). Ours change: they have facts that
 * fit the newest question, and instructions that the user may edit. */
void turn_frame_model(const struct turn *t, struct context_frame *f)
{
    if (t->model.without_blocks || strcmp(t->model.choice->kind, "anthropic") == 0)
        return;
    f->provider = t->model.choice->name;
    f->model = t->model.choice->model;
}

/* A temporary chat is in no workspace. */
static enum rc read_files(struct reading *r, enum workspace_files_reader reader, struct err *e)
{
    struct workspace_files_scope scope = {.owner = r->asked->owner,
        .workspace = r->asked->temporary ? NULL : r->asked->workspace,
        .window = r->t->model.window};
    return workspace_files_block(r->db, r->arena, &scope, reader, &r->files, &r->files_listed, e);
}

static enum rc read_frame(struct reading *r, const struct compaction *before, struct err *e)
{
    struct turn *t = r->t;
    r->frame.pictures = t->model.pictures;
    r->frame.window = t->context.window;
    turn_frame_model(t, &r->frame);
    r->frame.answer = turn_answer_limit(t);
    r->frame.tools_tokens = t->context.tools_tokens;
    r->frame.text_only = t->context.tools_tokens == 0;
    r->frame.reads_files = t->context.reads_files && !r->frame.text_only;
    enum rc rc = prompt_load(r->arena, t->en->set.config, &r->frame.prompt, e);
    struct instruction_scope scope = {.owner = r->asked->owner,
        .workspace = r->asked->workspace,
        .persona_id = r->asked->persona_id,
        .window = t->model.window,
        .settings = r->settings};
    if (rc == RC_OK)
        rc = instructions_append(r->db, r->arena, &scope, &r->frame.prompt, e);
    if (rc != RC_OK)
        return rc;
    data_block_append(r->arena, &r->frame.prompt, workspace_prompt(r->arena, r->asked->workspace));
    if (r->files_listed && r->frame.text_only)
        rc = read_files(r, WORKSPACE_FILES_BARE, e);
    if (rc != RC_OK)
        return rc;
    data_block_append(r->arena, &r->frame.prompt, r->files);
    if (before->id)
        data_block_append(r->arena, &r->frame.prompt, compact_block(r->arena, before, t->model.window));
    rc = add_override(r, e);
    if (rc == RC_OK)
        rc = add_focus(r, e);
    if (rc != RC_OK)
        return rc;
    add_web_off(r);
    add_left_out(r);
    return RC_OK;
}

struct llm_tool *turn_offer_tools(const struct turn *t, struct arena *a, size_t *n)
{
    *n = 0;
    if (t->model.without_tools)
        return NULL;
    if (t->given)
        return turn_given_tools(t, a, n);
    unsigned denied = turn_denied_tools(t) | (t->context.reads_files ? 0 : TOOL_SET_FILES);
    return t->en->set.config->turn.tool_calls_max > 0
               ? tools_offered_with(a, t->context.window, denied, &t->connected, n)
               : NULL;
}

static struct str copy_str(struct arena *a, struct str s)
{
    return s.len ? arena_str(a, s) : STR("");
}

struct llm_message turn_copy_message(struct arena *a, const struct llm_message *m)
{
    struct llm_message to = *m;
    struct llm_picture *pictures = ARENA_ARRAY(a, struct llm_picture, m->pictures_n);
    struct llm_tool_call *calls = ARENA_ARRAY(a, struct llm_tool_call, m->calls_n);
    for (size_t i = 0; i < m->pictures_n; i++) {
        pictures[i] = m->pictures[i];
        pictures[i].media_type = arena_strdup(a, m->pictures[i].media_type);
        pictures[i].base64 = copy_str(a, m->pictures[i].base64);
        pictures[i].id = arena_strdup(a, m->pictures[i].id);
    }
    for (size_t i = 0; i < m->calls_n; i++)
        calls[i] = (struct llm_tool_call){arena_strdup(a, m->calls[i].id), arena_strdup(a, m->calls[i].name),
            arena_strdup(a, m->calls[i].args)};
    to.text = copy_str(a, m->text);
    to.pictures = pictures;
    to.aside = copy_str(a, m->aside);
    to.calls = calls;
    to.opaque = copy_str(a, m->opaque);
    to.call_id = arena_strdup(a, m->call_id);
    return to;
}

void turn_set_context(struct turn *t, const struct llm_message *context, size_t n)
{
    size_t added = t->context.messages_n - t->context.built_n;
    struct llm_message *all = ARENA_ARRAY(t->arena, struct llm_message, n + added);
    memcpy(all, context, n * sizeof *all);
    if (added)
        memcpy(all + n, t->context.messages + t->context.built_n, added * sizeof *all);
    t->context.messages = all;
    t->context.built_n = n;
    t->context.messages_n = t->context.messages_room = n + added;
}

struct llm_message *turn_add_message(struct turn *t)
{
    if (t->context.messages_n == t->context.messages_room) {
        size_t room = t->context.messages_room + t->context.messages_room / 2 + MESSAGES_MORE;
        struct llm_message *all = ARENA_ARRAY(t->arena, struct llm_message, room);
        if (t->context.messages_n)
            memcpy(all, t->context.messages, t->context.messages_n * sizeof *all);
        t->context.messages = all;
        t->context.messages_room = room;
    }
    return &t->context.messages[t->context.messages_n++];
}

static enum rc read_picture(
    struct db *db, struct turn *t, int64_t owner, struct llm_picture *p, struct err *e)
{
    AUTO(arena) bytes = arena_new();
    struct picture row;
    struct str data;
    enum rc rc = store_picture_get(db, bytes, owner, p->id, &row, &data, e);
    if (rc == RC_OK)
        rc = turn_hold_pictures(t, (int64_t)data.len, e);
    if (rc == RC_OK)
        p->base64 = base64_of(t->arena, data);
    return rc;
}

/* The base64 of a picture in the request before this one; .len 0: it did not have the picture. */
static struct str read_before(const struct turn *t, const char *id)
{
    for (size_t i = 0; i < t->context.built_n; i++)
        for (size_t k = 0; k < t->context.messages[i].pictures_n; k++)
            if (strcmp(t->context.messages[i].pictures[k].id, id) == 0)
                return t->context.messages[i].pictures[k].base64;
    return STR("");
}

/* Reads the bytes of the pictures that the model sees. When the context is built again, the turn uses those
 * that it has read already. */
static enum rc read_pictures(
    struct db *db, struct turn *t, int64_t owner, struct llm_message *list, size_t n, struct err *e)
{
    for (size_t i = 0; i < n; i++) {
        if (!list[i].pictures_n)
            continue;
        struct llm_picture *all = ARENA_ARRAY(t->arena, struct llm_picture, list[i].pictures_n);
        memcpy(all, list[i].pictures, list[i].pictures_n * sizeof *all);
        for (size_t k = 0; k < list[i].pictures_n; k++) {
            all[k].base64 = read_before(t, all[k].id);
            enum rc rc = all[k].base64.len ? RC_OK : read_picture(db, t, owner, &all[k], e);
            if (rc != RC_OK)
                return rc;
        }
        list[i].pictures = all;
    }
    return RC_OK;
}

static enum rc read_context(struct reading *r, struct err *e)
{
    struct turn *t = r->t;
    struct compaction compaction;
    struct llm_message *built;
    size_t n;
    enum rc rc = read_compaction(r, &compaction, e);
    if (rc == RC_OK)
        rc = read_path(r, compaction.last_id, e);
    if (rc != RC_OK)
        return rc;
    t->context.fresh = compact_fresh(&compaction, r->path, r->n);
    if ((rc = read_frame(r, &compaction, e)) != RC_OK ||
        (rc = context_build(r->arena, t->en->set.config, &r->frame, r->path, r->n, &built, &n,
             &t->context.size, e)) != RC_OK)
        return rc;
    for (size_t i = 0; i < n; i++)
        built[i] = turn_copy_message(t->arena, &built[i]);
    rc = read_pictures(r->db, t, r->asked->owner, built, n, e);
    if (rc == RC_OK)
        turn_set_context(t, built, n);
    return rc;
}

/* Whether the model gets read_file for messages. All of the session counts, because a compaction may have
 * replaced a file.
 */
static enum rc find_long(struct db *db, struct turn *t, const struct turn_asked *asked, struct err *e)
{
    int64_t bytes = 0;
    if (t->given)
        return RC_OK;
    enum rc rc = store_message_long_bytes(db, asked->session_id, &bytes, e);
    if (asked->text.len >= MESSAGE_LONG_BYTES)
        bytes += (int64_t)asked->text.len;
    t->context.reads_files = context_wants_files(t->model.window, bytes);
    return rc;
}

enum rc turn_read_context(struct db *db, struct turn *t, const char *const *settings, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct reading r = {.db = db, .t = t, .arena = a, .asked = &t->asked, .settings = settings};
    size_t n;
    enum rc rc = find_long(db, t, &t->asked, e);
    if (rc == RC_OK && !t->given)
        rc = read_files(&r, WORKSPACE_FILES_TOOL, e);
    if (rc != RC_OK)
        return rc;
    t->context.reads_files = t->context.reads_files || r.files_listed;
    t->context.window = t->model.window - added_tokens(t);
    const struct llm_tool *tools = turn_offer_tools(t, a, &n);
    t->context.tools_tokens = context_tools_tokens(tools, n);
    if (t->given)
        return turn_given_context(db, t, e);
    return read_context(&r, e);
}
