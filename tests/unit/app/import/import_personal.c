/* Personas of our own export. */
#include "import_home.h"

static void import_persona(const struct home *h, const char *name, const char *choice, const char *tools)
{
    AUTO_STRBUF b;
    strbuf_init(&b, 1 << 20);
    strbuf_addf(&b,
        "{\"type\":\"header\",\"format\":\"alfred\",\"version\":1,\"sessions\":0}\n"
        "{\"type\":\"persona\",\"name\":\"%s\",\"text\":\"You cook.\",\"choice\":\"%s\",\"tools\":\"%s\"}\n",
        name, choice, tools);
    imports(h, b.s);
}

TEST(import_keeps_model_and_tools_of_a_persona)
{
    struct home h = home();
    import_persona(&h, "Cook", "local/qwen3", "memory tasks");
    import_persona(&h, "Bare", "local/qwen3", "");
    assert_int_equal(number(&h, "SELECT count(*) FROM library WHERE choice = 'local/qwen3' AND "
                                "tools = CASE name WHEN 'Cook' THEN 'memory tasks' ELSE '' END"),
        2);
    leave(&h);
}

/* Each page that names personas reads all of them. */
TEST(import_leaves_out_a_model_and_tools_of_a_persona_that_are_too_long)
{
    struct home h = home();
    AUTO_STRBUF choice, tools;
    strbuf_init(&choice, 1 << 20);
    strbuf_init(&tools, 1 << 20);
    for (int i = 0; i < 10000; i++) {
        strbuf_adds(&choice, "model");
        strbuf_adds(&tools, "memory ");
    }
    import_persona(&h, "Cook", choice.s, tools.s);
    assert_int_equal(number(&h, "SELECT count(*) FROM library WHERE name = 'Cook' AND choice IS NULL AND "
                                "tools IS NULL"),
        1);
    leave(&h);
}
