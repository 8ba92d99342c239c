#include "web/http/route.h"

static const char *const methods[] = {"GET", "POST", "PATCH", "DELETE"};

enum http_method http_method_parse(const char *name)
{
    if (name && strcmp(name, "HEAD") == 0)
        return HTTP_GET;
    for (int m = HTTP_GET; m < HTTP_OTHER; m++)
        if (name && strcmp(name, methods[m]) == 0)
            return (enum http_method)m;
    return HTTP_OTHER;
}

const char *http_method_name(enum http_method m)
{
    return m < HTTP_OTHER ? methods[m] : "other";
}

enum surface surface_of(struct str path)
{
    return str_starts(path, STR("/api/"))    ? SURFACE_API
           : str_starts(path, STR("/v1/"))   ? SURFACE_V1
           : str_starts(path, STR("/page/")) ? SURFACE_SCRIPT
                                             : SURFACE_PAGE;
}

static bool is_param(struct str part)
{
    return part.len > 2 && part.s[0] == '{' && part.s[part.len - 1] == '}';
}

static enum field param_field(struct str part)
{
    return field_by_name((struct str){part.s + 1, part.len - 2});
}

static enum rc check_one(const struct route *r, struct err *e)
{
    const char *method = http_method_name(r->method);
    if (r->access == ACCESS_UNDECLARED)
        return err_set(e, RC_INTERNAL, "route %s %s declares no access level", method, r->path);
    if (r->surface != surface_of(str_of(r->path)))
        return err_set(e, RC_INTERNAL, "route %s %s has the path of another surface", method, r->path);
    bool safe = r->method == HTTP_GET;
    if (r->csrf == CSRF_UNDECLARED || (r->csrf == CSRF_SAFE) != safe)
        return err_set(e, RC_INTERNAL, "route %s %s declares no fitting CSRF rule", method, r->path);
    if (!r->scopes || (r->scopes & SCOPE_LOGIN && r->scopes != SCOPE_LOGIN))
        return err_set(e, RC_INTERNAL, "route %s %s declares no scope", method, r->path);
    if (!r->handler)
        return err_set(e, RC_INTERNAL, "route %s %s has no handler", method, r->path);
    size_t params = 0;
    for (struct str rest = str_of(r->path); rest.s;) {
        struct str part = str_cut(&rest, '/');
        if (!is_param(part))
            continue;
        const struct field_rule *rule = field_rule_find(r->fields, param_field(part));
        if (!rule || !rule->required || ++params > ROUTE_PARAMS_MAX)
            return err_set(
                e, RC_INTERNAL, "route %s %s: no required field for %.*s", method, r->path, STR_FMT(part));
    }
    return RC_OK;
}

enum rc routes_check(struct route_table t, struct err *e)
{
    for (size_t i = 0; i < t.n; i++) {
        enum rc rc = check_one(&t.routes[i], e);
        if (rc != RC_OK)
            return rc;
    }
    return RC_OK;
}

static bool path_matches(const struct route *r, struct str path, struct route_match *m)
{
    struct str pattern = str_of(r->path);
    m->params_n = 0;
    while (pattern.s && path.s) {
        struct str want = str_cut(&pattern, '/'), have = str_cut(&path, '/');
        if (is_param(want)) {
            if (have.len == 0)
                return false;
            m->params[m->params_n].field = param_field(want);
            m->params[m->params_n++].raw = have;
        } else if (!str_eq(want, have)) {
            return false;
        }
    }
    return !pattern.s && !path.s;
}

enum rc route_find(
    struct route_table t, enum http_method method, struct str path, struct route_match *out, struct err *e)
{
    out->methods = 0;
    for (size_t i = 0; i < t.n; i++) {
        const struct route *r = &t.routes[i];
        if (!path_matches(r, path, out))
            continue;
        if (r->method == method) {
            out->route = r;
            return RC_OK;
        }
        out->methods |= 1u << r->method;
    }
    if (out->methods)
        return err_set(e, RC_METHOD, "the path has other methods");
    return err_set(e, RC_NOT_FOUND, "there is nothing at this address");
}
