/*
 * The framing of FastCGI (specification 1.0, 3.3 and 8): a connection carries records of a header and its
 * content.
 */
#ifndef ALFRED_WEB_FCGI_FCGI_RECORD_H
#define ALFRED_WEB_FCGI_FCGI_RECORD_H

#include <stddef.h>

#define FCGI_RECORD_HEADER  8
#define FCGI_RECORD_VERSION 1
#define FCGI_RECORD_MAX     65528 /* the largest multiple of 8 that fits a record's length field */

enum fcgi_record {
    FCGI_RECORD_BEGIN = 1,
    FCGI_RECORD_ABORT = 2,
    FCGI_RECORD_END = 3,
    FCGI_RECORD_PARAMS = 4,
    FCGI_RECORD_STDIN = 5,
    FCGI_RECORD_STDOUT = 6
};

/* The content of FCGI_RECORD_END: appStatus 0, FCGI_REQUEST_COMPLETE. */
#define FCGI_RECORD_COMPLETE ((struct str){"\0\0\0\0\0\0\0", 8})

static inline void fcgi_record_header(
    unsigned char h[FCGI_RECORD_HEADER], enum fcgi_record type, int request_id, size_t len)
{
    h[0] = FCGI_RECORD_VERSION;
    h[1] = (unsigned char)type;
    h[2] = (unsigned char)(request_id >> 8);
    h[3] = (unsigned char)request_id;
    h[4] = (unsigned char)(len >> 8);
    h[5] = (unsigned char)len;
    h[6] = 0; /* padding */
    h[7] = 0;
}

#endif
