-- Where the conversation of a program (/v1) continues. The key is the hash of its messages so far, or the
-- program's own name for it.
CREATE TABLE history_place (
    owner      INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    key        TEXT    NOT NULL,
    session_id INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    message_id INTEGER NOT NULL,                  -- may be deleted meanwhile
    PRIMARY KEY (owner, key)
) WITHOUT ROWID;
CREATE INDEX history_place_session ON history_place (session_id);
