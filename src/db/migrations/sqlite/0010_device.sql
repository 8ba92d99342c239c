-- Browsers that have signed in before. Guesses of strangers do not make them wait. The token is only in the cookie; one
-- browser may know several accounts.
CREATE TABLE device (
    token_hash BLOB    NOT NULL,
    user_id    INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    used_at    INTEGER NOT NULL,                  -- the last sign-in
    PRIMARY KEY (token_hash, user_id)
) WITHOUT ROWID;
CREATE INDEX device_user ON device (user_id, used_at);
CREATE INDEX device_used ON device (used_at);
