-- What an export has: the reasoning of models; all sessions or those of the list.
ALTER TABLE transfer ADD COLUMN reasoning INTEGER NOT NULL DEFAULT 0;
ALTER TABLE transfer ADD COLUMN selected INTEGER NOT NULL DEFAULT 0;
CREATE TABLE transfer_session (
    transfer_id INTEGER NOT NULL REFERENCES transfer (id) ON DELETE CASCADE,
    session_id  INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    PRIMARY KEY (transfer_id, session_id)
) WITHOUT ROWID;
CREATE INDEX transfer_session_session ON transfer_session (session_id);
