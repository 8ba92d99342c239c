/* The errors of nginx itself, in the forms that people, scripts and programs expect. */
#include "embed_lang.h"

/* nginx's configuration names the files. 502: no program answers, because Alfred starts or upgrades its
 * database. Its page is for GET only and reloads by itself. */
#define STARTING 502
static const struct {
    int file, status, text;           /* text: the status whose title and text it has */
    const char *phrase, *code, *type; /* phrase: of RFC 9110; type: as OpenAI's API names it */
    int retry_after;
} errors[] = {{400, 400, 400, "Bad Request", "bad_input", "invalid_request_error", 0},
    {404, 404, 404, "Not Found", "not_found", "invalid_request_error", 0},
    {405, 405, 400, "Method Not Allowed", "method", "invalid_request_error", 0},
    {413, 413, 413, "Content Too Large", "too_big", "invalid_request_error", 0},
    {414, 414, 413, "URI Too Long", "too_big", "invalid_request_error", 0},
    {421, 421, 421, "Misdirected Request", "misdirected", "invalid_request_error", 0},
    {429, 429, 429, "Too Many Requests", "rate_limited", "rate_limit_error", 5},
    {STARTING, 503, 502, "Service Unavailable", "unavailable", "server_error", 5},
    {503, 503, 503, "Service Unavailable", "unavailable", "server_error", 5}};

static void html_text(FILE *out, const char *s)
{
    for (; *s; s++)
        if (*s == '&' || *s == '<' || *s == '>')
            fprintf(out, "&#%d;", *s);
        else
            fputc(*s, out);
}

static const char *error_text(const struct file *f, const char *key, int status)
{
    char full[64];
    snprintf(full, sizeof full, key, status);
    return json_string_value(text_of(f, full));
}

/* Under a wrong address (421) there are no style sheets either, and a link would lead to it again. */
static void error_page(FILE *out, const struct file *f, size_t i)
{
    int status = errors[i].status, text = errors[i].text;
    bool bare = status == 421;
    fprintf(out, "<!doctype html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n<title>", f->code);
    html_text(out, error_text(f, "nginx.title_%d", text));
    fputs(" – Alfred</title>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n",
        out);
    if (errors[i].file == STARTING)
        fprintf(out, "<meta http-equiv=\"refresh\" content=\"%d\">\n", errors[i].retry_after);
    if (!bare)
        fputs("<link rel=\"stylesheet\" href=\"/static/css/app.css\">\n"
              "<link rel=\"stylesheet\" href=\"/static/css/pages.css\">\n"
              "<link rel=\"icon\" href=\"/static/icons/favicon.svg\" type=\"image/svg+xml\">\n",
            out);
    fputs("</head>\n<body>\n<div class=\"page narrow\">\n<main>\n<div class=\"narrow-card\">\n", out);
    fprintf(out, "<p class=\"status\">%d</p>\n<h1>", status);
    html_text(out, error_text(f, "nginx.title_%d", text));
    fputs("</h1>\n<p class=\"narrow-text\">", out);
    html_text(out, error_text(f, errors[i].file == STARTING ? "nginx.page_%d" : "nginx.text_%d", text));
    fputs("</p>\n", out);
    if (!bare) {
        fputs("<p><a class=\"btn main\" href=\"/\">", out);
        html_text(out, json_string_value(text_of(f, "nginx.back")));
        fputs("</a></p>\n", out);
    }
    fputs("</div>\n</main>\n</div>\n</body>\n</html>\n", out);
}

static void json_text(FILE *out, const struct file *f, const char *name, const char *key, size_t i)
{
    fprintf(out, "\"%s\":\"", name);
    js_bytes(out, str_of(error_text(f, key, errors[i].text)));
    fputc('"', out);
}

/* The member that our own errors have (src/web/http/respond.c). */
static void error_member(FILE *out, const struct file *f, size_t i)
{
    fprintf(out, "\"error\":{\"code\":\"%s\",", errors[i].code);
    json_text(out, f, "message", "nginx.text_%d", i);
    if (errors[i].retry_after)
        fprintf(out, ",\"retry_after\":%d", errors[i].retry_after);
    fputs("}}\n", out);
}

static void error_json(FILE *out, const struct file *f, size_t i)
{
    fputc('{', out);
    error_member(out, f, i);
}

/* RFC 9457. */
static void error_problem(FILE *out, const struct file *f, size_t i)
{
    fprintf(
        out, "{\"type\":\"about:blank\",\"title\":\"%s\",\"status\":%d,", errors[i].phrase, errors[i].status);
    json_text(out, f, "detail", "nginx.text_%d", i);
    fputs(",\"errors\":[],", out);
    error_member(out, f, i);
}

static void error_openai(FILE *out, const struct file *f, size_t i)
{
    bool long_body = errors[i].status == 413; /* has a setting of its own */
    fputs("{\"error\":{", out);
    json_text(out, f, "message", long_body ? "nginx.text_%d_v1" : "nginx.text_%d", i);
    fprintf(out, ",\"type\":\"%s\",\"param\":null,\"code\":\"%s\"}}\n", errors[i].type,
        errors[i].status == 429 ? "rate_limit_exceeded" : errors[i].code);
}

static const struct {
    const char *extension;
    void (*write)(FILE *out, const struct file *f, size_t i);
} error_forms[] = {
    {"html", error_page}, {"json", error_json}, {"problem", error_problem}, {"openai", error_openai}};

void write_errors(const char *folder)
{
    for (size_t i = 0; i < files_n; i++)
        for (size_t k = 0; k < sizeof errors / sizeof errors[0]; k++)
            for (size_t m = 0; m < sizeof error_forms / sizeof error_forms[0]; m++) {
                FILE *out =
                    create("%s/%s/%d.%s", folder, files[i].code, errors[k].file, error_forms[m].extension);
                error_forms[m].write(out, &files[i], k);
                done(out);
            }
}
