/*
 * The program `hooks` receives updates from servers of channels and stores them. The helper processes them.
 *
 * A request is checked in this order: address, method, secret, length. The body is neither read to its end
 * nor parsed before the secret is right. The answer is sent after the commit: 200 without a body, also for an
 * update that was stored before or is of an unknown kind, because the sender would repeat it for hours. A
 * failure of the store is 503, so it is repeated.
 *
 * A channel that is not configured has no address: 404, and the program opens no database. It holds no
 * template, no provider and few threads.
 */
#ifndef ALFRED_WEB_HOOKS_HOOKS_H
#define ALFRED_WEB_HOOKS_HOOKS_H

/* The nice value of the program: its work is small, and the sender waits. Most users may not set it, which is
 * harmless. */
#define HOOK_NICE (-5)

#define HOOK_THREADS  4             /* commits of updates that arrive together share one fsync */
#define HOOK_BODY_MAX (1024 * 1024) /* longest update; Telegram's are below 100 KB */
/* Longer bodies are read by the handler's thread, after the check of the secret. */
#define HOOK_BODY_COLLECTED (64 * 1024)

int hooks_main(void); /* the exit code */

#endif
