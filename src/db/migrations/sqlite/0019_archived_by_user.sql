-- A session that was idle for long is archived and stays in the lists. One that its user archived leaves them.
ALTER TABLE session ADD COLUMN archived_by_user INTEGER NOT NULL DEFAULT 0;

-- The order of every list: pinned sessions, then the others, the newest first.
DROP INDEX session_active;
DROP INDEX session_archived;
CREATE INDEX session_order ON session (owner, pinned, active_at, id);
CREATE INDEX session_listed ON session (owner, pinned, active_at, id) WHERE archived_by_user = 0;
CREATE INDEX session_hidden ON session (owner, pinned, active_at, id) WHERE archived_by_user = 1;
CREATE INDEX session_idle ON session (active_at) WHERE archived_at IS NULL AND pinned = 0;

-- What the sidebar shows: archiving an idle session changes nothing there.
DROP TRIGGER session_sidebar_update;
CREATE TRIGGER session_sidebar_update
AFTER UPDATE OF owner, title, running_turns, active_at, seen_at, pinned, archived_by_user ON session
WHEN (old.owner, old.title, old.running_turns, old.active_at, old.seen_at, old.pinned, old.archived_by_user)
    IS NOT (new.owner, new.title, new.running_turns, new.active_at, new.seen_at, new.pinned, new.archived_by_user)
BEGIN
    UPDATE user SET sidebar_changes = sidebar_changes + 1 WHERE id IN (old.owner, new.owner);
END;
