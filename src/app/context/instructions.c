#include "app/context/instructions.h"

#include "app/context/context.h"
#include "app/context/data_block.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "store/account/library.h"
#include "store/account/setting.h"
#include "store/session/workspace.h"

#define TEXT_MAX ((size_t)256 * 1024)
#define CUT_MARK "\n[\xE2\x80\xA6 cut: the model's window is small]"

static const struct {
    const char *tag, *says;
} parts[INSTRUCTION_COUNT] = {
    [INSTRUCTION_ABOUT_ME] = {"about_the_user", "The user says about themself:"},
    [INSTRUCTION_ANSWER_STYLE] = {"how_to_answer", "The user wants answers of this kind:"},
    [INSTRUCTION_PERSONA] = {"persona", "In this conversation the user has chosen this role for you:"},
    [INSTRUCTION_WORKSPACE] = {"workspace_instructions",
        "For the workspace of this conversation the user says:"},
};

enum rc instructions_read(struct db *db, struct arena *a, const struct instruction_scope *scope,
    struct instructions *out, struct err *e)
{
    const char *read[SETTING_COUNT];
    const char *const *settings = scope->settings ? scope->settings : read;
    *out = (struct instructions){0};
    enum rc rc = scope->settings ? RC_OK : store_setting_all(db, a, scope->owner, read, e);
    if (rc != RC_OK)
        return rc;
    if (settings[SETTING_ABOUT_ME])
        out->text[INSTRUCTION_ABOUT_ME] = str_of(settings[SETTING_ABOUT_ME]);
    if (settings[SETTING_ANSWER_STYLE])
        out->text[INSTRUCTION_ANSWER_STYLE] = str_of(settings[SETTING_ANSWER_STYLE]);
    if (scope->persona_id) {
        struct library_entry p;
        struct err why = ERR_INIT;
        rc = store_library_get(db, a, scope->owner, LIBRARY_PERSONA, scope->persona_id, &p, &why);
        if (rc == RC_OK) {
            out->text[INSTRUCTION_PERSONA] = p.text;
            out->persona = p.name;
        } else if (rc != RC_NOT_FOUND) {
            *e = why;
            return rc;
        }
    }
    if (!scope->workspace)
        return RC_OK;
    return store_workspace_instruction(
        db, a, scope->owner, scope->workspace, &out->text[INSTRUCTION_WORKSPACE], e);
}

/* A text that contains the end of its own part would end it early. */
static void add_text(struct strbuf *out, struct str text, const char *tag)
{
    AUTO_STRBUF end;
    strbuf_init(&end, 64);
    strbuf_addf(&end, "</%s", tag);
    for (size_t i = 0; i < text.len; i++) {
        struct str rest = {text.s + i, text.len - i};
        if (str_starts(rest, strbuf_str(&end)))
            strbuf_adds(out, "&lt;");
        else
            strbuf_addc(out, text.s[i]);
    }
}

struct str instructions_text(struct arena *a, const struct instructions *x, int64_t window)
{
    size_t all = 0, room = (size_t)(window / INSTRUCTIONS_SHARE) * CONTEXT_BYTES_PER_TOKEN;
    for (size_t i = 0; i < INSTRUCTION_COUNT; i++)
        all += x->text[i].len;
    if (all == 0)
        return STR("");
    AUTO_STRBUF out;
    strbuf_init(&out, TEXT_MAX);
    for (size_t i = 0; i < INSTRUCTION_COUNT; i++) {
        struct str text = x->text[i];
        if (text.len == 0)
            continue;
        bool cut = all > room;
        if (cut)
            text.len = utf8_cut_bytes(text, (size_t)((double)text.len * (double)room / (double)all));
        strbuf_addf(&out, "%s%s\n<%s>\n", out.len ? "\n\n" : "", parts[i].says, parts[i].tag);
        add_text(&out, text, parts[i].tag);
        strbuf_addf(&out, "%s\n</%s>", cut ? CUT_MARK : "", parts[i].tag);
    }
    return arena_str(a, strbuf_str(&out));
}

enum rc instructions_append(
    struct db *db, struct arena *a, const struct instruction_scope *scope, struct str *prompt, struct err *e)
{
    struct instructions x;
    enum rc rc = instructions_read(db, a, scope, &x, e);
    if (rc == RC_OK)
        data_block_append(a, prompt, instructions_text(a, &x, scope->window));
    return rc;
}
