#include "unit.h"

#include "web/http/route.h"
#include "web/program/program.h"
#include "web/stream/stream.h"

static enum rc nothing(struct req *r, struct resp *out, struct err *e)
{
    (void)r;
    (void)out;
    (void)e;
    return RC_OK;
}

static const struct field_rule session[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true}, {.field = F_NONE}};
static const struct field_rule optional[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION}, {.field = F_NONE}};

static const struct route some[] = {
    {HTTP_GET, "/", nothing, ACCESS_MEMBER, SURFACE_PAGE, CSRF_SAFE, SCOPE_LOGIN, NULL},
    {HTTP_GET, "/s/{session}", nothing, ACCESS_MEMBER, SURFACE_PAGE, CSRF_SAFE, SCOPE_LOGIN, session},
    {HTTP_POST, "/s/{session}/stop", nothing, ACCESS_MEMBER, SURFACE_PAGE, CSRF_TOKEN, SCOPE_LOGIN, session},
    {HTTP_GET, "/s/{session}/stop", nothing, ACCESS_MEMBER, SURFACE_PAGE, CSRF_SAFE, SCOPE_LOGIN, session},
};
static const struct route_table table = {some, ARRAY_LEN(some)};

static enum rc find(enum http_method m, const char *path, struct route_match *out)
{
    return route_find(table, m, str_of(path), out, NULL);
}

TEST(methods_are_known_by_name)
{
    assert_int_equal(http_method_parse("GET"), HTTP_GET);
    assert_int_equal(http_method_parse("HEAD"), HTTP_GET);
    assert_int_equal(http_method_parse("PATCH"), HTTP_PATCH);
    assert_int_equal(http_method_parse("DELETE"), HTTP_DELETE);
    assert_int_equal(http_method_parse("get"), HTTP_OTHER);
    assert_int_equal(http_method_parse("TRACE"), HTTP_OTHER);
    assert_int_equal(http_method_parse(NULL), HTTP_OTHER);
    assert_string_equal(http_method_name(HTTP_OTHER), "other");
}

TEST(a_route_is_found_by_method_and_whole_path)
{
    struct route_match m;
    assert_int_equal(find(HTTP_GET, "/", &m), RC_OK);
    assert_ptr_equal(m.route, &some[0]);
    assert_int_equal(find(HTTP_POST, "/s/ses_1/stop", &m), RC_OK);
    assert_ptr_equal(m.route, &some[2]);
    assert_int_equal(find(HTTP_GET, "/s/ses_1/stop", &m), RC_OK);
    assert_ptr_equal(m.route, &some[3]);
    static const char *const nowhere[] = {
        "", "/s", "/s/", "/s/a/", "/s/a/stop/", "/s/a/stop/b", "//", "s/a", "/S/a"};
    for (size_t i = 0; i < ARRAY_LEN(nowhere); i++)
        assert_int_equal(find(HTTP_GET, nowhere[i], &m), RC_NOT_FOUND);
}

TEST(parts_in_braces_are_handed_over_as_they_came)
{
    struct route_match m;
    assert_int_equal(find(HTTP_GET, "/s/a%2Fb", &m), RC_OK);
    assert_int_equal(m.params_n, 1);
    assert_int_equal(m.params[0].field, F_SESSION);
    assert_true(str_is(m.params[0].raw, "a%2Fb"));
    assert_int_equal(find(HTTP_GET, "/", &m), RC_OK);
    assert_int_equal(m.params_n, 0);
}

TEST(a_path_with_other_methods_says_so)
{
    struct route_match m;
    assert_int_equal(find(HTTP_DELETE, "/s/a", &m), RC_METHOD);
    assert_int_equal(find(HTTP_OTHER, "/", &m), RC_METHOD);
    assert_int_equal(find(HTTP_OTHER, "/none", &m), RC_NOT_FOUND);
}

static enum rc check(struct route r)
{
    return routes_check((struct route_table){&r, 1}, NULL);
}

TEST(a_table_without_every_declaration_does_not_start)
{
    struct route good = some[2];
    assert_int_equal(check(good), RC_OK);
    struct route bad = good;
    bad.access = ACCESS_UNDECLARED;
    assert_int_equal(check(bad), RC_INTERNAL);
    bad = good;
    bad.csrf = CSRF_UNDECLARED;
    assert_int_equal(check(bad), RC_INTERNAL);
    bad = good;
    bad.csrf = CSRF_SAFE;
    assert_int_equal(check(bad), RC_INTERNAL);
    bad = good;
    bad.method = HTTP_GET; /* with a token, which no link can carry */
    assert_int_equal(check(bad), RC_INTERNAL);
    bad = good;
    bad.scopes = 0;
    assert_int_equal(check(bad), RC_INTERNAL);
    bad.scopes = SCOPE_LOGIN | SCOPE_READ;
    assert_int_equal(check(bad), RC_INTERNAL);
    bad = good;
    bad.handler = NULL;
    assert_int_equal(check(bad), RC_INTERNAL);
    bad = good;
    bad.fields = NULL;
    assert_int_equal(check(bad), RC_INTERNAL);
    bad.fields = optional;
    assert_int_equal(check(bad), RC_INTERNAL);
}

/* ---- the tables of the programs ---- */

static const struct web_program *const programs[] = {&pages_program, &api_program, &stream_program};

static struct route_table routes_of(size_t program)
{
    static struct route routes[ARRAY_LEN(programs)][WEB_ROUTES_MAX];
    struct route_table t;
    assert_int_equal(web_routes(programs[program], routes[program], &t, NULL), RC_OK);
    return t;
}

TEST(the_programs_tables_are_complete)
{
    for (size_t p = 0; p < ARRAY_LEN(programs); p++)
        assert_true(routes_of(p).n > 0);
}

TEST(only_sign_in_health_and_empty_previews_are_public_and_only_users_and_jobs_are_for_admins)
{
    const struct route_table tables[] = {routes_of(0), routes_of(1), routes_of(2)};
    for (size_t t = 0; t < ARRAY_LEN(tables); t++)
        for (size_t i = 0; i < tables[t].n; i++) {
            const struct route *r = &tables[t].routes[i];
            bool for_strangers = strcmp(r->path, "/signin") == 0 || strcmp(r->path, "/signin/code") == 0 ||
                                 strcmp(r->path, "/api/signin") == 0 || strcmp(r->path, "/welcome") == 0 ||
                                 str_starts(str_of(r->path), STR("/share/")) ||
                                 str_starts(str_of(r->path), STR("/calendar/"));
            /* documents without content: the canvas passes it to them in the browser */
            bool preview = strcmp(r->path, "/preview") == 0 || strcmp(r->path, "/preview/scripts") == 0;
            bool health = strcmp(r->path, "/api/health") == 0;
            bool admin = str_starts(str_of(r->path), STR("/admin/")) || strstr(r->path, "/jobs/") ||
                         str_starts(str_of(r->path), STR("/api/outbox")) ||
                         strcmp(r->path, "/api/usage/all") == 0;
            bool file = strcmp(r->path, "/data/import") == 0 || strcmp(r->path, "/api/imports") == 0;
            bool form_files = strcmp(r->path, "/workspace/files") == 0;
            bool picture = strcmp(r->path, "/api/pictures") == 0;
            bool document =
                strcmp(r->path, "/page/documents") == 0 || strcmp(r->path, "/api/workspace/documents") == 0;
            bool speech = strcmp(r->path, "/page/transcriptions") == 0 ||
                          strcmp(r->path, "/v1/audio/transcriptions") == 0;
            assert_int_equal(r->access, for_strangers || preview || health ? ACCESS_PUBLIC
                                        : admin                            ? ACCESS_ADMIN
                                                                           : ACCESS_MEMBER);
            if (r->method != HTTP_GET)
                assert_int_equal(r->csrf, for_strangers ? CSRF_ORIGIN_ONLY
                                          : file        ? CSRF_TOKEN_FILE
                                          : form_files  ? CSRF_TOKEN_FORM
                                          : picture     ? CSRF_TOKEN_PICTURE
                                          : document    ? CSRF_TOKEN_DOCUMENT
                                          : speech      ? CSRF_TOKEN_SPEECH
                                                        : CSRF_TOKEN);
        }
}

TEST(tokens_pass_on_the_api_only_and_never_to_read_with_a_change)
{
    for (size_t p = 0; p < ARRAY_LEN(programs); p++)
        for (size_t i = 0; i < routes_of(p).n; i++) {
            const struct route *r = &routes_of(p).routes[i];
            if (r->surface != SURFACE_API && r->surface != SURFACE_V1)
                assert_int_equal(r->scopes, SCOPE_LOGIN);
            else if (r->method != HTTP_GET)
                assert_int_equal(r->scopes & SCOPE_READ, 0);
        }
}

TEST(no_two_routes_are_the_same)
{
    const struct route_table tables[] = {routes_of(0), routes_of(1), routes_of(2)};
    const struct route *all[512];
    size_t n = 0;
    for (size_t t = 0; t < ARRAY_LEN(tables); t++)
        for (size_t i = 0; i < tables[t].n; i++) {
            assert_true(n < ARRAY_LEN(all));
            all[n++] = &tables[t].routes[i];
        }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            assert_false(all[i]->method == all[k]->method && strcmp(all[i]->path, all[k]->path) == 0);
}
