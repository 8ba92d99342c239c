/*
 * Loads libcurl at the first request (base/shared_library.h). It needs about thirty libraries (TLS, Kerberos,
 * LDAP, ...), which cost a process 1.2 MB of private memory and 10 ms. Most processes never send a request.
 *
 * curl_load.c defines the functions of curl.h that Alfred uses and calls the loaded ones, so the other files
 * of net/ use curl as if it were linked. None of them may be called before curl_load() returned RC_OK.
 */
#ifndef ALFRED_NET_CURL_LOAD_H
#define ALFRED_NET_CURL_LOAD_H

#include <curl/curl.h>

#include "base/err.h"

/* Any thread. RC_UNAVAILABLE: the library is missing or too old; each call reports it. */
enum rc curl_load(struct err *e);

/* curl_url_get(), which has different types in different versions of curl. */
CURLUcode curl_load_url_get(CURLU *u, CURLUPart what, char **part, unsigned flags);

#endif
