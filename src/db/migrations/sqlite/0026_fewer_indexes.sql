-- Each index that a new message changes costs a page of the log. One index serves what several did.

-- The lists of sessions, the foreign key to the user, and the search for idle sessions. The last two columns let a list
-- skip sessions without reading their rows.
DROP INDEX session_owner_active;
DROP INDEX session_order;
DROP INDEX session_listed;
DROP INDEX session_idle;
CREATE INDEX session_order ON session (owner, pinned, active_at, id, archived_by_user, archived_at);

-- The children of a message, also the first messages of a session (parent_id is null).
DROP INDEX message_root;
DROP INDEX message_parent;
CREATE INDEX message_parent ON message (session_id, parent_id, id);

-- The turns of a question are found by its session, those of a runner among the few that run.
DROP INDEX turn_asked;
DROP INDEX turn_runner;

-- The question is added to the text index with its answer, when the turn ends.
ALTER TABLE turn ADD COLUMN indexes_asked INTEGER NOT NULL DEFAULT 0;
