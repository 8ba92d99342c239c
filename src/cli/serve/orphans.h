/*
 * nginx processes of an earlier start. The programs and nginx's master end with their supervisor. When both
 * are killed at the same moment, nginx's workers survive and keep the ports.
 */
#ifndef ALFRED_CLI_SERVE_ORPHANS_H
#define ALFRED_CLI_SERVE_ORPHANS_H

#include "base/err.h"

#define ORPHANS_END_MS 5000 /* longest wait for all of them to end */

/*
 * Kills them and waits for their end. The caller holds the lock of the data folder. An orphan is therefore
 * every process whose program is `nginx` and whose working directory is `run_dir`, where only our nginx is
 * started. A process whose files in /proc cannot be read is ignored. RC_TIMEOUT: one did not end.
 */
enum rc orphans_end(const char *run_dir, const char *nginx, struct err *e);

#endif
