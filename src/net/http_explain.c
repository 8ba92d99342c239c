/* The cause of a failed call as a sentence for users: our own cause when we ended the call, else from
 * curl's code and the progress of the call. */
#include "net/http_private.h"

#include <stdio.h>
#include <string.h>

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
    case NO_VERDICT: break;
    }
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
        return err_say(e, RC_UNAVAILABLE, "server.no_address", arg_text("server", with_host));
    case CURLE_OPERATION_TIMEDOUT:
        if (!call->sent)
            return err_say(e, RC_TIMEOUT, "server.slow_connect", arg_text("server", where));
        return err_say(e, RC_TIMEOUT, "server.slow_answer", arg_text("server", where));
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_INVALIDCERTSTATUS:
        return err_say(e, RC_UPSTREAM, "server.bad_certificate", arg_text("server", where));
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
        return err_say(e, RC_UPSTREAM, "server.no_http", arg_text("server", where));
    case CURLE_COULDNT_CONNECT:
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
