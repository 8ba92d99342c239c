-- The title of a new session enters the index of titles when its first answer has ended, in the transaction that stores the
-- answer, so that the first token does not wait for it. store/session/session_filter.c adds the sessions that wait.
DROP TRIGGER session_subject_insert;
DROP TRIGGER session_subject_delete;
DROP TRIGGER session_subject_update;

INSERT INTO session_subject (session_subject, rowid, subject)
SELECT 'delete', h.id, h.subject FROM session s JOIN session_head h ON h.id = s.id WHERE s.running_turns > 0 AND s.message_count <= 2;

DROP VIEW session_head;
CREATE VIEW session_head AS
    SELECT id, coalesce(title, '') || char(10) || coalesce(topic, '') || char(10) || coalesce(keywords, '') AS subject FROM session
    WHERE coalesce(title, topic, keywords) IS NOT NULL AND NOT (running_turns > 0 AND message_count <= 2);

CREATE TRIGGER session_subject_insert AFTER INSERT ON session
WHEN coalesce(new.title, new.topic, new.keywords) IS NOT NULL AND NOT (new.running_turns > 0 AND new.message_count <= 2) BEGIN
    INSERT INTO session_subject (rowid, subject)
    VALUES (new.id, coalesce(new.title, '') || char(10) || coalesce(new.topic, '') || char(10) || coalesce(new.keywords, ''));
END;
CREATE TRIGGER session_subject_delete AFTER DELETE ON session
WHEN coalesce(old.title, old.topic, old.keywords) IS NOT NULL AND NOT (old.running_turns > 0 AND old.message_count <= 2) BEGIN
    INSERT INTO session_subject (session_subject, rowid, subject)
    VALUES ('delete', old.id, coalesce(old.title, '') || char(10) || coalesce(old.topic, '') || char(10) || coalesce(old.keywords, ''));
END;
-- One trigger: the order of several is not defined.
CREATE TRIGGER session_subject_update AFTER UPDATE OF title, topic, keywords, running_turns, message_count ON session
WHEN old.title IS NOT new.title OR old.topic IS NOT new.topic OR old.keywords IS NOT new.keywords
    OR (old.running_turns > 0 AND old.message_count <= 2) <> (new.running_turns > 0 AND new.message_count <= 2) BEGIN
    INSERT INTO session_subject (session_subject, rowid, subject)
    SELECT 'delete', old.id, coalesce(old.title, '') || char(10) || coalesce(old.topic, '') || char(10) || coalesce(old.keywords, '')
    WHERE coalesce(old.title, old.topic, old.keywords) IS NOT NULL AND NOT (old.running_turns > 0 AND old.message_count <= 2);
    INSERT INTO session_subject (rowid, subject)
    SELECT new.id, coalesce(new.title, '') || char(10) || coalesce(new.topic, '') || char(10) || coalesce(new.keywords, '')
    WHERE coalesce(new.title, new.topic, new.keywords) IS NOT NULL AND NOT (new.running_turns > 0 AND new.message_count <= 2);
END;

-- "id IN (old.owner, new.owner)" made a table for its two values.
DROP TRIGGER session_sidebar_update;
CREATE TRIGGER session_sidebar_update
AFTER UPDATE OF owner, title, running_turns, active_at, seen_at, pinned, archived_by_user ON session
WHEN (old.owner, old.title, old.running_turns, old.active_at, old.seen_at, old.pinned, old.archived_by_user)
    IS NOT (new.owner, new.title, new.running_turns, new.active_at, new.seen_at, new.pinned, new.archived_by_user)
BEGIN
    UPDATE user SET sidebar_changes = sidebar_changes + 1 WHERE id = new.owner;
END;
CREATE TRIGGER session_sidebar_leave AFTER UPDATE OF owner ON session WHEN old.owner IS NOT new.owner
BEGIN
    UPDATE user SET sidebar_changes = sidebar_changes + 1 WHERE id = old.owner;
END;
