-- Requests of programs with an Idempotency-Key, and their answers (store/account/idempotency.h). Kept for a day.
CREATE TABLE idempotency (
    owner      INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    key_hash   BLOB    NOT NULL,
    request    BLOB    NOT NULL,                      -- hash of method, address and fields
    status     INTEGER,                               -- of the answer; null: it runs, or was cut off
    body       TEXT,                                  -- JSON; null: it is not kept
    created_at INTEGER NOT NULL,
    PRIMARY KEY (owner, key_hash)
) WITHOUT ROWID;
CREATE INDEX idempotency_created ON idempotency (created_at);
