-- Temporary chats (store/session/temporary.h).
CREATE TABLE temporary (
    session_id INTEGER PRIMARY KEY REFERENCES session (id) ON DELETE CASCADE,
    lives_ms   INTEGER NOT NULL,  -- after its last message
    ends_at    INTEGER NOT NULL   -- not before its running turn has ended
);
CREATE INDEX temporary_ends ON temporary (ends_at);

-- One that was kept appears in the lists.
CREATE TRIGGER temporary_kept AFTER DELETE ON temporary
BEGIN
    UPDATE user SET sidebar_changes = sidebar_changes + 1
    WHERE id = (SELECT owner FROM session WHERE id = old.session_id);
END;
