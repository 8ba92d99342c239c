/* The version of Alfred. No other file has it. */
#ifndef ALFRED_BASE_VERSION_H
#define ALFRED_BASE_VERSION_H

#define ALFRED_VERSION "0.7.0"

#endif
