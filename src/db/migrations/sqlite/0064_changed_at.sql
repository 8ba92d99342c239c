-- The last change of what the calendar shows of a task or a reminder; 0: not since it was made. Triggers set it, so that no
-- writer can forget it. A series stays the same when its next occurrence moves on.
ALTER TABLE task ADD COLUMN changed_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE reminder ADD COLUMN changed_at INTEGER NOT NULL DEFAULT 0;

CREATE TRIGGER task_changed AFTER UPDATE OF text, due, done_at, deleted_at ON task
WHEN (old.text, old.due, old.done_at, old.deleted_at) IS NOT (new.text, new.due, new.done_at, new.deleted_at)
BEGIN
    UPDATE task SET changed_at = unixepoch() * 1000 WHERE id = new.id;
END;

CREATE TRIGGER reminder_changed
AFTER UPDATE OF text, task_id, zone, start, rule, next_at, snooze_at, paused_at, deleted_at ON reminder
WHEN (old.text, old.task_id, old.zone, old.start, old.rule, old.paused_at, old.deleted_at)
     IS NOT (new.text, new.task_id, new.zone, new.start, new.rule, new.paused_at, new.deleted_at)
     OR (new.rule IS NULL AND (old.next_at, old.snooze_at) IS NOT (new.next_at, new.snooze_at))
BEGIN
    UPDATE reminder SET changed_at = unixepoch() * 1000 WHERE id = new.id;
END;
