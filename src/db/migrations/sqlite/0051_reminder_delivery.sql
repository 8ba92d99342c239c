-- Due reminders that wait for the end of a turn (store/reminder_delivery.h).
CREATE TABLE reminder_delivery (
    due_id     INTEGER PRIMARY KEY REFERENCES reminder_due (id) ON DELETE CASCADE,
    owner      INTEGER NOT NULL,
    step       TEXT    NOT NULL CHECK (step IN ('message', 'asked', 'retry')),
    session_id INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    asked_id   INTEGER,                      -- the question of a schedule
    attempt    INTEGER NOT NULL DEFAULT 0,
    run_at     INTEGER NOT NULL              -- of a retry
);
CREATE INDEX reminder_delivery_session ON reminder_delivery (session_id);

-- The session for reminders whose own session is gone.
CREATE TABLE reminder_home (
    owner      INTEGER PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE,
    session_id INTEGER NOT NULL UNIQUE REFERENCES session (id) ON DELETE CASCADE
);
