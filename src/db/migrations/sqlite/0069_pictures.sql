-- Pictures in messages of users. One is uploaded before its message is sent, and has no message until then.
CREATE TABLE picture (
    id         INTEGER PRIMARY KEY,
    pub        TEXT NOT NULL UNIQUE,
    owner      INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    message_id INTEGER REFERENCES message (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    media_type TEXT NOT NULL,
    width      INTEGER NOT NULL,          -- pixels
    height     INTEGER NOT NULL,
    data       BLOB NOT NULL
);
CREATE INDEX picture_message ON picture (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX picture_unsent ON picture (owner, created_at) WHERE message_id IS NULL;

ALTER TABLE message ADD COLUMN pictures TEXT; -- JSON, what is shown of them without their bytes (store/message/picture.h)
ALTER TABLE model_learned ADD COLUMN images INTEGER NOT NULL DEFAULT 0; -- 2: the model refused a picture
ALTER TABLE turn_order ADD COLUMN pictures TEXT; -- ids, with blanks between them
