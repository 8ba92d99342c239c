-- The trash. A session in it belongs to user 0, like a draft of an import: no list, search, page or tool of its owner
-- finds it. Messages in it are in a hidden session of their own, so that no query of their session finds them. Neither
-- is in the text index.
CREATE TABLE trash (
    session_id INTEGER PRIMARY KEY REFERENCES session (id), -- the session, or the hidden one that has the messages
    owner      INTEGER NOT NULL REFERENCES user (id),       -- the user whose trash it is; no cascade: it is emptied first
    from_id    INTEGER REFERENCES session (id),             -- messages: the session that they were in; null: a session
    message_id INTEGER,                                     -- messages: the first; the others are below it
    head_id    INTEGER,                                     -- messages: head of their session after the deletion
    trashed_at INTEGER NOT NULL,
    erased     INTEGER NOT NULL DEFAULT 0                   -- 1: the helper is to erase it; the trash does not show it
);
CREATE INDEX trash_owner ON trash (owner, trashed_at, session_id) WHERE erased = 0;
CREATE INDEX trash_at ON trash (trashed_at) WHERE erased = 0;
CREATE INDEX trash_erased ON trash (session_id) WHERE erased = 1;
CREATE INDEX trash_from ON trash (from_id) WHERE from_id IS NOT NULL;
