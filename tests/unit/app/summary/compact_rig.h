/* Shared by the tests of compactions. */
#ifndef ALFRED_TESTS_APP_SUMMARY_COMPACT_RIG_H
#define ALFRED_TESTS_APP_SUMMARY_COMPACT_RIG_H

#include "migrated.h"

#include "app/summary/compact.h"

#define NOW INT64_C(1700000000000)

static struct message said(int64_t id, enum message_role role, const char *text)
{
    return (struct message){.id = id,
        .parent_id = id - 1,
        .role = role,
        .status = MESSAGE_DONE,
        .text = str_of(text),
        .created_at = NOW};
}

#endif
