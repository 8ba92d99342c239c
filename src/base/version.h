/* The version of Alfred, defined only here. */
#ifndef ALFRED_BASE_VERSION_H
#define ALFRED_BASE_VERSION_H

#define ALFRED_VERSION "0.7.0"

#endif
