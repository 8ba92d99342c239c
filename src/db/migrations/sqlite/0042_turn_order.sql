-- Orders of other programs to `stream` for turns (store/message/turn_order.h). The transaction that adds the turn removes
-- the row.
CREATE TABLE turn_order (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    owner      INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    session_id INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    kind       TEXT    NOT NULL CHECK (kind IN ('send', 'regenerate', 'continue')),
    message_id INTEGER,                               -- 'regenerate', 'continue': the answer
    text       TEXT    NOT NULL,                      -- 'send': the question
    client_id  TEXT    NOT NULL,                      -- of the question, or of the turn
    channel    TEXT    NOT NULL,                      -- of its messages
    purpose    TEXT    NOT NULL,                      -- who is told of a refusal
    purpose_id INTEGER NOT NULL,
    error      TEXT,                                  -- refused: why, as base/said.h stores it; null: it waits
    created_at INTEGER NOT NULL,
    UNIQUE (owner, client_id)
);
CREATE INDEX turn_order_session ON turn_order (session_id, id);
CREATE INDEX turn_order_refused ON turn_order (purpose, id) WHERE error IS NOT NULL;
