/* A FastCGI connection. The result does not depend on how the bytes are cut into pieces. Every parameter
 * is a terminated string. */
#include <stdlib.h>
#include <string.h>

#include "web/fcgi/fcgi_input.h"

#define BODY_MAX ((size_t)4096)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fcgi_input whole, bytes;
    fcgi_input_init(&whole, BODY_MAX);
    fcgi_input_init(&bytes, BODY_MAX);
    enum rc rc = fcgi_input_feed(&whole, (struct str){(const char *)data, size}, NULL), other = RC_OK;
    for (size_t i = 0; i < size && other == RC_OK; i++)
        other = fcgi_input_feed(&bytes, (struct str){(const char *)data + i, 1}, NULL);
    if (rc != other || whole.request_id != bytes.request_id || whole.params_done != bytes.params_done ||
        whole.body_done != bytes.body_done)
        abort();
    if (rc == RC_OK && (!str_eq(strbuf_str(&whole.body), strbuf_str(&bytes.body)) ||
                           !str_eq(strbuf_str(&whole.params), strbuf_str(&bytes.params))))
        abort();
    if (rc == RC_OK && whole.params_done) {
        const char *value = fcgi_input_param(&whole, "REQUEST_URI");
        if (value && strlen(value) > whole.params.len)
            abort();
    }
    fcgi_input_release(&whole);
    fcgi_input_release(&bytes);
    return 0;
}
