/* The cause of a failed call as a sentence for users: our own cause when we ended the call, else from
 * curl's code and the progress of the call. */
#include "net/http_private.h"

enum rc http_explain(const struct http_call *call, CURLcode code, struct err *e)
{
    const char *where = call->target.where;
    switch (call->verdict) {
    case STOPPED_BY_READER: return err_set(e, RC_CANCELLED, "the reader stopped the answer of %s", where);
    case BODY_TOO_BIG: return err_tell(e, RC_TOO_BIG, "The answer of %s is too long.", where);
    case HEADERS_TOO_BIG:
        return err_tell(e, RC_TOO_BIG, "The answer of %s has too many header lines.", where);
    case NO_VERDICT: break;
    }
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
        return err_tell(
            e, RC_UNAVAILABLE, "The address of %s could not be found: is the name right, is DNS up?", where);
    case CURLE_OPERATION_TIMEDOUT:
        if (!call->sent)
            return err_tell(e, RC_TIMEOUT, "Connecting to %s took too long.", where);
        return err_tell(e, RC_TIMEOUT, "The answer of %s took too long.", where);
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_INVALIDCERTSTATUS:
        return err_tell(
            e, RC_UPSTREAM, "No secure connection to %s: its certificate or TLS was not accepted.", where);
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
        return err_tell(e, RC_UPSTREAM, "The server at %s does not speak HTTP.", where);
    case CURLE_COULDNT_CONNECT:
        if (call->refused_n && !call->opened_n)
            return err_tell(e, RC_FORBIDDEN,
                "%s is at a private address: list the host as allowed if it is yours.", where);
        return err_tell(e, RC_UNAVAILABLE, "Could not connect to %s.", where);
    default: break;
    }
    if (call->answered)
        return err_tell(e, RC_UPSTREAM, "%s broke off in the middle of its answer.", where);
    if (call->sent)
        return err_tell(e, RC_UNAVAILABLE, "%s closed the connection without an answer.", where);
    return err_tell(e, RC_UNAVAILABLE, "Could not connect to %s.", where);
}
