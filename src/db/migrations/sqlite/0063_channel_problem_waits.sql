-- A channel whose server refuses our credentials, per task (sending, fetching). The server is asked again at next_at.
-- The helper deletes all rows when it starts, so none is carried over.
DROP TABLE channel_problem;
CREATE TABLE channel_problem (
    channel TEXT    NOT NULL,
    task    TEXT    NOT NULL DEFAULT 'send',
    error   TEXT    NOT NULL,
    at      INTEGER NOT NULL,
    next_at INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (channel, task)
) WITHOUT ROWID;
