-- Reminders and schedules (store/reminder.h). reminder.id is (owner << 32) | n like a task's.
ALTER TABLE user ADD COLUMN reminder_seq INTEGER NOT NULL DEFAULT 0;     -- the last n given to a reminder
ALTER TABLE user ADD COLUMN reminder_due_seq INTEGER NOT NULL DEFAULT 0; -- the last n given to an occurrence

CREATE TABLE reminder (
    id         INTEGER PRIMARY KEY,
    owner      INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE CHECK (owner = id >> 32),
    kind       TEXT    NOT NULL CHECK (kind IN ('remind', 'prompt')),
    text       TEXT    NOT NULL,                  -- '' for one of a task, which has the text
    task_id    INTEGER UNIQUE REFERENCES task (id) ON DELETE CASCADE,
    session_id INTEGER REFERENCES session (id) ON DELETE SET NULL, -- where it is delivered
    source_id  INTEGER REFERENCES message (id) ON DELETE SET NULL, -- the user's message that it comes from
    zone       TEXT    NOT NULL,                  -- '': the zone of the server
    start      TEXT    NOT NULL,                  -- local: '2026-12-01T17:00'; '2026-12-01': repeats, never tells
    rule       TEXT,                              -- RFC 5545 RRULE without the name; NULL: once
    next_at    INTEGER,                           -- the next occurrence; NULL: none
    snooze_at  INTEGER,                           -- also tells then
    paused_at  INTEGER,
    told_at    INTEGER,                           -- the last time that it was told
    created_at INTEGER NOT NULL,
    deleted_at INTEGER,                           -- can be undone until it is swept
    fires_at   INTEGER GENERATED ALWAYS AS (CASE WHEN paused_at IS NULL AND deleted_at IS NULL
        THEN min(coalesce(next_at, snooze_at), coalesce(snooze_at, next_at)) END) VIRTUAL
);
CREATE INDEX reminder_owner ON reminder (owner, id);
CREATE INDEX reminder_fires ON reminder (fires_at) WHERE fires_at IS NOT NULL;
CREATE INDEX reminder_session ON reminder (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX reminder_source ON reminder (source_id) WHERE source_id IS NOT NULL;
CREATE INDEX reminder_deleted ON reminder (deleted_at) WHERE deleted_at IS NOT NULL;

-- One row for each time that a reminder was told.
CREATE TABLE reminder_due (
    id          INTEGER PRIMARY KEY,              -- (owner << 32) | n
    owner       INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE CHECK (owner = id >> 32),
    reminder_id INTEGER NOT NULL REFERENCES reminder (id) ON DELETE CASCADE,
    due_at      INTEGER NOT NULL,                 -- the last occurrence that it stands for
    told_at     INTEGER NOT NULL,
    missed      INTEGER NOT NULL DEFAULT 0,       -- earlier occurrences that it stands for, too
    state       TEXT    NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'done', 'snoozed')),
    answered_at INTEGER
);
CREATE INDEX reminder_due_reminder ON reminder_due (reminder_id, id);
CREATE INDEX reminder_due_open ON reminder_due (owner, id) WHERE state = 'open';
CREATE INDEX reminder_due_answered ON reminder_due (answered_at) WHERE answered_at IS NOT NULL;

-- The task that was opened when one that repeats was done. Its reminder moves with it.
ALTER TABLE task ADD COLUMN next_id INTEGER REFERENCES task (id) ON DELETE SET NULL;
CREATE INDEX task_next ON task (next_id) WHERE next_id IS NOT NULL;

-- A deleted task takes its reminder along, and brings it back.
CREATE TRIGGER task_reminder AFTER UPDATE OF deleted_at ON task
BEGIN
    UPDATE reminder SET deleted_at = new.deleted_at WHERE task_id = new.id;
END;

-- What a suggested reminder repeats by. Its time is in `due`.
ALTER TABLE suggestion ADD COLUMN rule TEXT;
