-- People of channels: who a sender is.
CREATE TABLE channel_identity (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    channel     TEXT    NOT NULL,                 -- "telegram"
    external_id TEXT    NOT NULL,                 -- of the person there
    name        TEXT    NOT NULL,                 -- as the channel showed it last
    user_id     INTEGER REFERENCES user (id) ON DELETE CASCADE, -- NULL: asks to be admitted
    created_at  INTEGER NOT NULL,
    linked_at   INTEGER,
    UNIQUE (channel, external_id)
);
CREATE INDEX channel_identity_user ON channel_identity (user_id, id);

-- Codes with which a user links an account of a channel. A used or ended code has no row.
CREATE TABLE link_code (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    code_hash  BLOB    NOT NULL UNIQUE,
    expires_at INTEGER NOT NULL
);
CREATE INDEX link_code_user ON link_code (user_id, id);

-- Wrong codes of the last hour.
CREATE TABLE link_try (
    sender BLOB    NOT NULL, -- hash of channel and person
    at     INTEGER NOT NULL
);
CREATE INDEX link_try_sender ON link_try (sender, at);
