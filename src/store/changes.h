/*
 * Reports changed rows to the other programs after a commit: the kind, the id and the owner of each changed
 * row that pages show.
 *
 * Temporary triggers of the writing connection collect the changes, so that no writer can forget to report
 * one. After the commit they are sent as one datagram to the program `stream` (base/local_socket.h), which
 * passes them to the browsers (web/stream/live.h). A transaction that was rolled back reports nothing.
 * Changes of a closure that failed beside others may be reported, because a change is only a hint to read
 * again.
 *
 * Datagrams of one sender are numbered. A missing number means that changes were lost: the receiver must
 * treat everything as changed. A datagram that the receiver's queue did not take is followed by an empty one
 * as soon as there is room.
 */
#ifndef ALFRED_STORE_CHANGES_H
#define ALFRED_STORE_CHANGES_H

#include "base/id.h"
#include "db/db.h"

#define CHANGES_SOCKET "live.sock"
#define CHANGES_MAX    128 /* in one datagram */

enum change_kind {
    CHANGE_ALL, /* more of the owner's rows than fit; owner 0: of all users */
    CHANGE_SESSION,
    CHANGE_TASK,
    CHANGE_SUGGESTION,
    CHANGE_TRANSFER,
    CHANGE_MEMORY,
    CHANGE_INDEX, /* progress of the search index; owner 0: of all users */
    CHANGE_REMINDER,
    CHANGE_LOGIN,   /* a login, API token or user (id 0) that may have become invalid; not for browsers */
    CHANGE_CHOICE,  /* model, effort or persona of a session */
    CHANGE_PERSONA, /* owner 0: a shared one, of all users */
    CHANGE_FILE,    /* of a workspace */
    CHANGE_KINDS
};

struct change {
    int64_t owner, id;
    int64_t value; /* CHANGE_SESSION: its last message, 0: empty, CHANGE_GONE: it was deleted */
    int kind;
    char pub[ID_SIZE]; /* public id, where it has one */
};
#define CHANGE_GONE (-1)

struct changes_datagram {
    uint64_t sender; /* of one opened store; random */
    uint64_t number; /* 1, 2, 3, ... */
    uint32_t size;   /* of struct change: datagrams of another version have another size */
    uint32_t n;
    struct change list[CHANGES_MAX];
};

/* Adds a change to d->list. An earlier change of the same row is replaced. When the list is full, the owner's
 * changes become CHANGE_ALL. */
void changes_add(struct changes_datagram *d, const struct change *c);

/* Reads a datagram. False: it is not of this version. */
bool changes_parse(const void *bytes, size_t len, struct changes_datagram *out);

/* ---- for the thread that has the store's writing connection ---- */

struct changes;

/* Makes the triggers. `database`: its path; the socket is in the folder run/ beside it. */
enum rc changes_new(struct db *db, const char *database, struct changes **out, struct err *e);
void changes_free(struct changes *c);    /* NULL is fine */
void changes_publish(struct changes *c); /* after a commit */
void changes_drop(struct changes *c);    /* after a rollback */
/* Changes were lost, and the receiver does not know yet; changes_publish() tries again. */
bool changes_owed(const struct changes *c);

#endif
