-- Counts what changes the list of sessions beside every page. A program that has that list as HTML knows by this number,
-- which it reads with the login, whether the list is still so, whichever program changed it.
ALTER TABLE user ADD COLUMN sidebar_changes INTEGER NOT NULL DEFAULT 0;

CREATE TRIGGER session_sidebar_insert AFTER INSERT ON session
BEGIN
    UPDATE user SET sidebar_changes = sidebar_changes + 1 WHERE id = new.owner;
END;

CREATE TRIGGER session_sidebar_delete AFTER DELETE ON session
BEGIN
    UPDATE user SET sidebar_changes = sidebar_changes + 1 WHERE id = old.owner;
END;

CREATE TRIGGER session_sidebar_update
AFTER UPDATE OF owner, title, running_turns, active_at, seen_at, pinned, archived_at ON session
WHEN (old.owner, old.title, old.running_turns, old.active_at, old.seen_at, old.pinned, old.archived_at)
    IS NOT (new.owner, new.title, new.running_turns, new.active_at, new.seen_at, new.pinned, new.archived_at)
BEGIN
    UPDATE user SET sidebar_changes = sidebar_changes + 1 WHERE id IN (old.owner, new.owner);
END;
