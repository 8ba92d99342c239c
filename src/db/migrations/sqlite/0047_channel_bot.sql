-- Our own account on a channel, as its server last described it: how people and links name it.
CREATE TABLE channel_bot (
    channel     TEXT    PRIMARY KEY,
    external_id TEXT    NOT NULL,
    username    TEXT    NOT NULL,
    name        TEXT    NOT NULL,
    checked_at  INTEGER NOT NULL
) WITHOUT ROWID;
