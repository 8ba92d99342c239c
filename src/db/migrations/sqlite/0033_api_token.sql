-- Secrets for programs. A revoked or ended token has no row.
CREATE TABLE api_token (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    pub        TEXT    NOT NULL UNIQUE,           -- tok_...
    user_id    INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    token_hash BLOB    NOT NULL UNIQUE,           -- the token itself is shown once and not stored
    name       TEXT    NOT NULL,
    begins     TEXT    NOT NULL,                  -- its first characters, by which people recognise it
    scopes     INTEGER NOT NULL,                  -- bits of enum api_scope
    use_memory INTEGER NOT NULL,                  -- /v1: Alfred's memory is in the context
    use_tools  INTEGER NOT NULL,                  -- /v1: the model is offered Alfred's tools
    created_at INTEGER NOT NULL,
    used_at    INTEGER,                           -- written at most once a minute
    address    TEXT    NOT NULL DEFAULT '',       -- of that use
    expires_at INTEGER
);
CREATE INDEX api_token_user ON api_token (user_id, id);
