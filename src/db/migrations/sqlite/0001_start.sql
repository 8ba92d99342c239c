-- Times are integer milliseconds UTC. message.id is (owner << 32) | n, so that one user's messages and text index are
-- one range. AUTOINCREMENT where an id that came back would be dangerous: a user's id is part of message ids, the
-- helper and running turns keep the others over a deletion.
CREATE TABLE user (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    name        TEXT    NOT NULL UNIQUE,          -- lower case, as typed to sign in
    role        TEXT    NOT NULL CHECK (role IN ('admin', 'member')),
    password    TEXT    NOT NULL,                 -- crypto_pwhash_str
    disabled_at INTEGER,
    message_seq INTEGER NOT NULL DEFAULT 0,       -- the last n given to a message
    created_at  INTEGER NOT NULL
);

CREATE TABLE login (
    id         INTEGER PRIMARY KEY,
    pub        TEXT    NOT NULL UNIQUE,           -- lgn_...
    user_id    INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    token_hash BLOB    NOT NULL UNIQUE,           -- the token itself is only in the cookie
    agent      TEXT    NOT NULL,                  -- User-Agent, cut
    address    TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    used_at    INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,                  -- absolute limit; the idle limit is used_at + a setting
    revoked_at INTEGER
);
CREATE INDEX login_user ON login (user_id, id);

-- One-time codes of first-run and invitation links; user_id is null while nobody exists yet.
CREATE TABLE signin_code (
    code_hash  BLOB    PRIMARY KEY,
    user_id    INTEGER REFERENCES user (id) ON DELETE CASCADE,
    expires_at INTEGER NOT NULL,
    used_at    INTEGER
);

CREATE TABLE signin_failure (
    subject TEXT    NOT NULL,                     -- 'name:...' or 'addr:...'
    at      INTEGER NOT NULL
);
CREATE INDEX signin_failure_subject ON signin_failure (subject, at);

CREATE TABLE session (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    pub           TEXT    NOT NULL UNIQUE,        -- ses_...
    owner         INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    title         TEXT,                           -- null until there is one
    titled_by     TEXT    NOT NULL DEFAULT 'none' CHECK (titled_by IN ('none', 'helper', 'user')),
    provider      TEXT,                           -- null: the default at the time of sending
    model         TEXT,
    head_id       INTEGER,                        -- message.id; null while empty
    message_count INTEGER NOT NULL DEFAULT 0,     -- user and assistant messages, all branches
    running_turns INTEGER NOT NULL DEFAULT 0,
    created_at    INTEGER NOT NULL,
    active_at     INTEGER NOT NULL,               -- of the newest message
    seen_at       INTEGER NOT NULL DEFAULT 0,     -- the owner last looked; older than active_at: unread
    pinned        INTEGER NOT NULL DEFAULT 0,
    archived_at   INTEGER
);
CREATE INDEX session_owner_active ON session (owner, active_at, id);

CREATE TABLE thread (
    id         INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    root_id    INTEGER NOT NULL,                  -- the message it grows from
    head_id    INTEGER NOT NULL,
    channel    TEXT    NOT NULL,
    outer_id   TEXT,                              -- the channel's own name for it
    created_at INTEGER NOT NULL
);
CREATE INDEX thread_session ON thread (session_id, id);

CREATE TABLE message (
    id         INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    thread_id  INTEGER REFERENCES thread (id) ON DELETE CASCADE,
    parent_id  INTEGER,
    role       TEXT    NOT NULL CHECK (role IN ('user', 'assistant', 'system', 'tool')),
    status     TEXT    NOT NULL CHECK (status IN ('done', 'running', 'stopped', 'interrupted', 'failed')),
    channel    TEXT    NOT NULL,
    text       TEXT    NOT NULL,
    calls      TEXT,                              -- assistant: JSON array of {id, name, args}
    call_id    TEXT,                              -- tool: the call it answers
    tool       TEXT,                              -- tool: its name
    error      TEXT,                              -- failed: the sentence for the user
    client_id  TEXT,                              -- user: makes a retried send safe
    provider   TEXT,
    model      TEXT,
    tokens_in  INTEGER,
    tokens_out INTEGER,
    created_at INTEGER NOT NULL,
    ended_at   INTEGER
);
CREATE INDEX message_session ON message (session_id, id);
CREATE INDEX message_parent ON message (parent_id, id) WHERE parent_id IS NOT NULL;
CREATE INDEX message_root ON message (session_id, id) WHERE parent_id IS NULL; -- siblings of a session's first message
CREATE INDEX message_thread ON message (thread_id) WHERE thread_id IS NOT NULL; -- for the foreign key
CREATE UNIQUE INDEX message_client ON message ((id >> 32), client_id) WHERE client_id IS NOT NULL;

CREATE VIRTUAL TABLE message_text USING fts5 (text, content = 'message', content_rowid = 'id', tokenize = 'porter unicode61');

CREATE TABLE turn (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    pub        TEXT    NOT NULL UNIQUE,           -- trn_..., also the name of its log
    owner      INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    session_id INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    thread_id  INTEGER REFERENCES thread (id) ON DELETE CASCADE,
    asked_id   INTEGER NOT NULL,                  -- the user's message
    reply_id   INTEGER NOT NULL,                  -- the assistant message being written now
    runner     TEXT    NOT NULL,                  -- 'stream' or 'helper'
    status     TEXT    NOT NULL CHECK (status IN ('running', 'done', 'stopped', 'interrupted', 'failed')),
    started_at INTEGER NOT NULL,
    ended_at   INTEGER
);
CREATE UNIQUE INDEX turn_running ON turn (session_id, coalesce(thread_id, 0)) WHERE status = 'running';
CREATE INDEX turn_runner ON turn (runner, id) WHERE status = 'running';
CREATE INDEX turn_session ON turn (session_id, id);
CREATE INDEX turn_asked ON turn (asked_id, id);
CREATE INDEX turn_thread ON turn (thread_id) WHERE thread_id IS NOT NULL; -- for the foreign key

CREATE TABLE job (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    kind         TEXT    NOT NULL,
    owner        INTEGER REFERENCES user (id) ON DELETE CASCADE,
    subject      INTEGER NOT NULL DEFAULT 0,      -- what it is about: a session's or a message's id
    state        TEXT    NOT NULL CHECK (state IN ('ready', 'leased', 'done', 'dead')),
    attempts     INTEGER NOT NULL DEFAULT 0,      -- counted before it runs
    run_at       INTEGER NOT NULL,
    leased_until INTEGER,
    error        TEXT,
    created_at   INTEGER NOT NULL,
    ended_at     INTEGER
);
CREATE INDEX job_ready ON job (run_at, id) WHERE state = 'ready';
CREATE INDEX job_leased ON job (leased_until) WHERE state = 'leased';
CREATE UNIQUE INDEX job_once ON job (kind, coalesce(owner, 0), subject) WHERE state = 'ready';
CREATE INDEX job_subject ON job (subject);

CREATE TABLE audit (
    id      INTEGER PRIMARY KEY,
    at      INTEGER NOT NULL,
    user_id INTEGER,
    action  TEXT    NOT NULL,                     -- 'signin', 'signin_refused', 'user_disabled', 'session_deleted', ...
    detail  TEXT    NOT NULL,                     -- never a secret or a message's text
    address TEXT    NOT NULL
);
CREATE INDEX audit_at ON audit (at);
