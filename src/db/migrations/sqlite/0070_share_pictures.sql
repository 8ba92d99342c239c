-- Shared copies have the pictures of their messages.
ALTER TABLE share_message ADD COLUMN pictures TEXT; -- as in message
CREATE TABLE share_picture (
    share_id   INTEGER NOT NULL REFERENCES share (id) ON DELETE CASCADE,
    pub        TEXT NOT NULL, -- as in share_message.pictures
    media_type TEXT NOT NULL,
    data       BLOB NOT NULL,
    PRIMARY KEY (share_id, pub)
);
