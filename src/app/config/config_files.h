/*
 * The files that the settings name. They are checked by `alfred serve` at its start and by `alfred config
 * check`, because nginx and libcurl would report a missing one late, and without the name of its setting.
 */
#ifndef ALFRED_APP_CONFIG_CONFIG_FILES_H
#define ALFRED_APP_CONFIG_CONFIG_FILES_H

#include "app/config/config.h"

/* RC_NOT_FOUND: a file is missing or cannot be read. The sentence names the setting, the file and the reason.
 */
enum rc config_files_check(const struct config *c, struct err *e);

#endif
