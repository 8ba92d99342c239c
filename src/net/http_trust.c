#include <unistd.h>

#include "net/http_private.h"

#define CACHE_S 600 /* after this time the file is read again */

void http_trust(CURL *h, const char *ca_file)
{
    const char *file = ca_file;
    if (ca_file)
        curl_easy_setopt(h, CURLOPT_CAINFO, ca_file);
    else if (curl_easy_getinfo(h, CURLINFO_CAINFO, &file) != CURLE_OK || !file || access(file, R_OK) != 0)
        return; /* this system has only a folder */
    curl_easy_setopt(h, CURLOPT_CAPATH, NULL);
    curl_easy_setopt(h, CURLOPT_CA_CACHE_TIMEOUT, (long)CACHE_S);
}
