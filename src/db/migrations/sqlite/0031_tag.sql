-- Tags of sessions. `folded` is the name without the difference of upper and lower case; a name has no comma.
CREATE TABLE tag (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    owner      INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    name       TEXT    NOT NULL,
    folded     TEXT    NOT NULL,
    colour     INTEGER NOT NULL,                  -- 0 to 7
    created_at INTEGER NOT NULL,
    UNIQUE (owner, folded)
);
CREATE TABLE session_tag (
    tag_id     INTEGER NOT NULL REFERENCES tag (id) ON DELETE CASCADE,
    session_id INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    PRIMARY KEY (tag_id, session_id)
) WITHOUT ROWID;
CREATE INDEX session_tag_session ON session_tag (session_id, tag_id);

-- Where the session began: the channel of its first message.
ALTER TABLE session ADD COLUMN channel TEXT;
UPDATE session SET channel = (SELECT m.channel FROM message m WHERE m.session_id = session.id ORDER BY m.id LIMIT 1);

-- The list by creation. The other two serve the menus of the list and filters that few sessions pass.
CREATE INDEX session_created ON session (owner, pinned, created_at, id, archived_by_user, archived_at);
CREATE INDEX session_model ON session (owner, model) WHERE model IS NOT NULL;
CREATE INDEX session_channel ON session (owner, channel) WHERE channel IS NOT NULL;
