/*
 * The program `models` asks providers for their lists of models, or MCP servers for their lists of tools,
 * stores them and ends. The helper starts it. libcurl and its libraries take about 7 MB of a process until
 * the process ends, and the helper is idle most of the time.
 *
 * Its arguments are the names of providers, and of servers as "mcp.NAME". It asks all of them at the same
 * time. At the end it writes one byte to standard output per name, in their order: MODELS_ASKED, or
 * MODELS_ABSENT for one that did not answer (model_lists_ask()).
 */
#ifndef ALFRED_HELPER_MODELS_PROGRAM_H
#define ALFRED_HELPER_MODELS_PROGRAM_H

#include "app/models/providers.h"
#include "base/clock.h"

#define MODELS_PROGRAM        "models"
#define MODELS_ASKED          'y'
#define MODELS_ABSENT         'n'
#define MODELS_SILENCE_MAX_MS (10 * MS_PER_MIN) /* a longer wait ends the program */

/* Runs the program from start to end. Returns the exit code. */
int models_main(char **argv);

/* Starts the program with `n` names and waits for its end; answered[i] is true for MODELS_ASKED. Kills it
 * when `stop_fd` is readable, which is no failure. RC_INTERNAL: it cannot be started, or ended early. */
enum rc models_program_run(const char *const *names, size_t n, int stop_fd, bool *answered, struct err *e);

#endif
