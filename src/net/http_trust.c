#include <unistd.h>

#include "base/fs.h"
#include "net/http_private.h"

#define CACHE_S   600 /* after this time the file is read again */
#define TRUST_MAX ((size_t)8 * 1024 * 1024)

static const char *system_file(CURL *h)
{
    const char *file;
    return curl_easy_getinfo(h, CURLINFO_CAINFO, &file) == CURLE_OK && file && access(file, R_OK) == 0 ? file
                                                                                                       : NULL;
}

/* libcurl takes one file, and with it the system's folder if it has one. A file that cannot be read adds
 * nothing: then its certificates are refused. */
static void trust_both(CURL *h, const char *ca_file)
{
    const char *files[] = {system_file(h), ca_file};
    AUTO_STRBUF all;
    strbuf_init(&all, TRUST_MAX);
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        if (files[i])
            fs_read(files[i], &all, NULL);
        strbuf_adds(&all, "\n");
    }
    struct curl_blob blob = {.data = all.s, .len = all.len, .flags = CURL_BLOB_COPY};
    curl_easy_setopt(h, CURLOPT_CAINFO_BLOB, &blob);
}

void http_trust(CURL *h, const char *ca_file, bool system_too)
{
    if (ca_file && system_too) {
        trust_both(h, ca_file);
        return;
    }
    if (ca_file)
        curl_easy_setopt(h, CURLOPT_CAINFO, ca_file);
    else if (!system_file(h))
        return; /* this system has only a folder */
    curl_easy_setopt(h, CURLOPT_CAPATH, NULL);
    curl_easy_setopt(h, CURLOPT_CA_CACHE_TIMEOUT, (long)CACHE_S);
}
