#include "app/jobs/helper_notify.h"

#include "base/local_socket.h"

#define SOCKET_NAME "helper.sock"

void helper_notify(const char *data_dir)
{
    local_socket_send(data_dir, SOCKET_NAME, STR("!"));
}

enum rc helper_listen(const char *data_dir, int *out, struct err *e)
{
    return local_socket_listen(data_dir, SOCKET_NAME, out, e);
}

enum rc helper_write(struct store *s, const char *data_dir, store_fn *fn, void *arg, struct err *e)
{
    enum rc rc = store_write(s, fn, arg, e);
    if (rc == RC_OK)
        helper_notify(data_dir);
    return rc;
}
