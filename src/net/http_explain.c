/* The cause of a failed call as a sentence for users: our own cause when we ended the call, else from
 * curl's code and the progress of the call. */
#include "net/http_private.h"

#include <stdio.h>
#include <string.h>

#define PROXY_NEEDS_LOGIN 407

/* Results of OpenSSL's check of a certificate (x509_vfy.h). libcurl sets the first one before the handshake,
 * and leaves it when its own check of the name fails. */
enum { UNSPECIFIED = 1, NOT_YET_VALID = 9, EXPIRED = 10, FIRST_UNTRUSTED = 18, LAST_UNTRUSTED = 21 };

static enum rc explain_certificate(const struct http_call *call, const char *with_host, struct err *e)
{
    long result = UNSPECIFIED;
    curl_easy_getinfo(call->easy, CURLINFO_SSL_VERIFYRESULT, &result);
    if (result <= UNSPECIFIED)
        return err_say(e, RC_UPSTREAM, "server.other_certificate", arg_text("server", with_host));
    const char *key = result == EXPIRED || result == NOT_YET_VALID            ? "server.old_certificate"
                      : result >= FIRST_UNTRUSTED && result <= LAST_UNTRUSTED ? "server.unknown_authority"
                                                                              : "server.bad_certificate";
    return err_say(e, RC_UPSTREAM, key, arg_text("server", call->server));
}

/* The proxy's answer to CONNECT; RC_OK: it made the connection, or was not asked. */
static enum rc explain_proxy(const struct http_call *call, struct err *e)
{
    long status = 0;
    curl_easy_getinfo(call->easy, CURLINFO_HTTP_CONNECTCODE, &status);
    if (call->sent || status < 300)
        return RC_OK;
    if (status == PROXY_NEEDS_LOGIN)
        return err_say(e, RC_UPSTREAM, "server.proxy_login", arg_text("server", call->server));
    return err_say(
        e, RC_UPSTREAM, "server.proxy_refused", arg_text("server", call->server), arg_int("status", status));
}

enum rc http_explain(const struct http_call *call, CURLcode code, struct err *e)
{
    const char *where = call->server;
    char with_host[2 * ADDRESS_WHERE_MAX + 4]; /* where the host is to be corrected */
    bool named = strcmp(where, call->where) != 0;
    snprintf(with_host, sizeof with_host, named ? "%s (%s)" : "%s", where, call->where);
    switch (call->verdict) {
    case STOPPED_BY_READER: return err_set(e, RC_CANCELLED, "the reader stopped the answer of %s", where);
    case BODY_TOO_BIG: return err_say(e, RC_TOO_BIG, "server.answer_too_long", arg_text("server", where));
    case HEADERS_TOO_BIG: return err_say(e, RC_TOO_BIG, "server.too_many_headers", arg_text("server", where));
    case NOT_WATCHED:
        return err_set(e, RC_UNAVAILABLE, "the connection to %s cannot be watched: %s", where,
            strerror(call->not_watched));
    case NO_VERDICT: break;
    }
    enum rc rc = explain_proxy(call, e);
    if (rc != RC_OK)
        return rc;
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
        return err_say(e, RC_UNAVAILABLE, "server.no_address", arg_text("server", with_host));
    case CURLE_OPERATION_TIMEDOUT:
        if (!call->sent)
            return err_say(e, RC_TIMEOUT, "server.slow_connect", arg_text("server", where));
        return err_say(e, RC_TIMEOUT, "server.slow_answer", arg_text("server", where));
    case CURLE_SSL_CONNECT_ERROR: return err_say(e, RC_UPSTREAM, "server.no_tls", arg_text("server", where));
    case CURLE_PEER_FAILED_VERIFICATION: return explain_certificate(call, with_host, e);
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_INVALIDCERTSTATUS:
        return err_say(e, RC_UPSTREAM, "server.bad_certificate", arg_text("server", where));
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
        return err_say(e, RC_UPSTREAM, "server.no_http", arg_text("server", where));
    case CURLE_COULDNT_RESOLVE_PROXY:
        return err_say(e, RC_UNAVAILABLE, "server.no_proxy", arg_text("server", where));
    case CURLE_COULDNT_CONNECT:
        if (call->proxied)
            return err_say(e, RC_UNAVAILABLE, "server.no_proxy", arg_text("server", where));
        if (call->refused_n && !call->opened_n)
            return err_say(e, RC_FORBIDDEN, "server.private_address", arg_text("server", with_host));
        return err_say(e, RC_UNAVAILABLE, "server.no_connection", arg_text("server", where));
    default: break;
    }
    if (call->answered)
        return err_say(e, RC_UPSTREAM, "server.broke_off", arg_text("server", where));
    if (call->sent)
        return err_say(e, RC_UNAVAILABLE, "server.closed", arg_text("server", where));
    return err_say(e, RC_UNAVAILABLE, "server.no_connection", arg_text("server", where));
}
