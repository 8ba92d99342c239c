-- Sign-in with a second step (store/account/second_step.h). The secret is as it is, because codes are computed from it.
CREATE TABLE second_step (
    user_id   INTEGER PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE,
    secret    BLOB    NOT NULL,
    login_id  INTEGER NOT NULL,           -- that began to set it up
    begun_at  INTEGER NOT NULL,
    active_at INTEGER,                    -- NULL: not confirmed by a code yet
    last_step INTEGER NOT NULL DEFAULT 0  -- of the last accepted code
);

CREATE TABLE recovery_code (
    user_id INTEGER NOT NULL REFERENCES second_step (user_id) ON DELETE CASCADE,
    hash    BLOB    NOT NULL,
    PRIMARY KEY (user_id, hash)
) WITHOUT ROWID;

-- Sign-ins whose password was right and whose code is awaited. The cookie of the browser has the token.
CREATE TABLE signin_begun (
    token_hash BLOB PRIMARY KEY,
    user_id    INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    expires_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX signin_begun_user ON signin_begun (user_id);
