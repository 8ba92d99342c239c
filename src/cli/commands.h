/* The commands of the program `alfred`. */
#ifndef ALFRED_CLI_COMMANDS_H
#define ALFRED_CLI_COMMANDS_H

#include "cli/command.h"

extern const struct command commands[];
extern const size_t commands_n;

#endif
