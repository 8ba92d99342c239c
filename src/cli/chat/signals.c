#include "cli/chat/signals.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t interrupts;
static struct loop *volatile wake;
static void (*restore)(void);

static void on_interrupt(int sig)
{
    (void)sig;
    interrupts = interrupts + 1;
    if (wake)
        loop_stop(wake);
}

/* SA_RESETHAND: the second one is the default action. */
static void on_end(int sig)
{
    if (restore)
        restore();
    raise(sig);
}

static void handle(int sig, void (*fn)(int), int flags)
{
    struct sigaction a = {.sa_handler = fn, .sa_flags = flags};
    sigemptyset(&a.sa_mask);
    sigaction(sig, &a, NULL);
}

void signals_init(void (*fn)(void))
{
    restore = fn;
    handle(SIGPIPE, SIG_IGN, 0);
    handle(SIGINT, on_interrupt, 0);
    handle(SIGTERM, on_end, (int)SA_RESETHAND);
    handle(SIGHUP, on_end, (int)SA_RESETHAND);
}

void signals_wake(struct loop *l)
{
    wake = l;
}

int signals_interrupts(void)
{
    return interrupts;
}

void signals_forget(void)
{
    interrupts = 0;
}
