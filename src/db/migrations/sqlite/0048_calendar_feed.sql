-- The secret address of a user's calendar (store/account/calendar_feed.h).
CREATE TABLE calendar_feed (
    owner      INTEGER PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE,
    hash       BLOB NOT NULL UNIQUE,  -- of the token
    created_at INTEGER NOT NULL,
    read_at    INTEGER
);
