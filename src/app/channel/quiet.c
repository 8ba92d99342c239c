#include "app/channel/quiet.h"

static int64_t window_after(const struct quiet_piece *p)
{
    return p->may_go_on ? QUIET_PIECE_MS : QUIET_MS;
}

/* The channel's times tell apart what was sent at different times and arrives together after an outage. */
static bool sent_apart(const struct quiet_piece *last, const struct quiet_piece *next)
{
    return last->sent_at && next->sent_at &&
           next->sent_at - last->sent_at - QUIET_SENT_STEP_MS >= window_after(last);
}

size_t quiet_take(const struct quiet_piece *p, size_t n, int64_t now, int64_t *wait_ms)
{
    size_t took = 1;
    if (!p[0].joins || !p[0].for_us)
        return 1;
    for (; took < n && took < QUIET_PIECES; took++) {
        const struct quiet_piece *last = &p[took - 1], *next = &p[took];
        if (!next->joins || !(next->for_us || last->may_go_on) ||
            next->received_at - last->received_at > window_after(last) || sent_apart(last, next))
            return took;
    }
    if (took == QUIET_PIECES)
        return took;
    /* the clock may have been set back: no wait is longer than a window */
    int64_t window = window_after(&p[took - 1]), passed = now - p[took - 1].received_at;
    *wait_ms = passed < 0 ? window : window - passed;
    return *wait_ms > 0 ? 0 : took;
}
