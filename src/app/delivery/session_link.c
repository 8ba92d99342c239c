#include "app/delivery/session_link.h"

#include <string.h>

/* The default address is that of this machine, and apps of people are elsewhere. Telegram makes no link of a
 * host without a dot. */
static bool opens_elsewhere(const char *url)
{
    return str_starts(str_of(url), STR("https://")) && strchr(url, '.');
}

const char *session_link(
    struct arena *a, const struct lang *l, const struct config *config, const struct channel_chat *c)
{
    const char *url = config->server.public_url;
    if (!c->session || c->grouped || !opens_elsewhere(url))
        return "";
    return arena_printf(a, "\n[%s](%s/s/%s)", lang_text(l, "channel.open_session"), url, c->session);
}
