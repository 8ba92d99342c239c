-- An action on many sessions at once, with what it needs to be undone (store/session/batch.h). Kept for a day.
CREATE TABLE batch (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    pub        TEXT    NOT NULL UNIQUE,             -- bat_...
    owner      INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    action     TEXT    NOT NULL,
    workspace  TEXT,                                -- of the action 'workspace'; NULL: none
    tag_id     INTEGER,                             -- of 'tag' and 'untag'
    undoing    INTEGER NOT NULL DEFAULT 0,          -- 1: the sessions get back what they had
    total      INTEGER NOT NULL,                    -- sessions
    done       INTEGER NOT NULL DEFAULT 0,          -- of them, in this direction
    changed    INTEGER NOT NULL DEFAULT 0,
    absent     INTEGER NOT NULL DEFAULT 0,          -- were gone, or never the owner's
    upto       INTEGER NOT NULL DEFAULT 0,          -- the last session that was handled
    created_at INTEGER NOT NULL,
    ended_at   INTEGER                              -- NULL: it is running
);
CREATE INDEX batch_owner ON batch (owner, id);
CREATE INDEX batch_created ON batch (created_at);

CREATE TABLE batch_item (
    batch_id   INTEGER NOT NULL REFERENCES batch (id) ON DELETE CASCADE,
    session_id INTEGER NOT NULL,                    -- may be gone
    changed    INTEGER NOT NULL DEFAULT 0,          -- 1: the action changed it; the columns below have what was there
    pinned     INTEGER,
    archived_at INTEGER,
    archived_by_user INTEGER,
    workspace  TEXT,
    PRIMARY KEY (batch_id, session_id)
) WITHOUT ROWID;
