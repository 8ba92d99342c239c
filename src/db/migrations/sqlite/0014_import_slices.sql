-- A conversation that is imported takes several transactions. Until all its messages are there its session belongs to
-- this row, which is nobody: no list, search, page or tool of its owner finds it.
INSERT INTO user (id, name, role, password, disabled_at, created_at) VALUES (0, '', 'member', '', 1, 1);

CREATE TABLE import_draft (
    session_id  INTEGER PRIMARY KEY REFERENCES session (id) ON DELETE CASCADE,
    owner       INTEGER NOT NULL,                 -- the user it is for; no reference, so that the sweep finds a deleted user's
    transfer_id INTEGER NOT NULL,                 -- 0: the command line
    outer_id    TEXT    NOT NULL,                 -- as in imported
    digest      INTEGER NOT NULL,                 -- of its messages: another version of the conversation is another draft
    done        INTEGER NOT NULL,                 -- parts that are stored: messages, then summaries, facts and tasks
    abandoned   INTEGER NOT NULL DEFAULT 0,       -- 1: to be removed
    created_at  INTEGER NOT NULL
);
CREATE UNIQUE INDEX import_draft_outer ON import_draft (owner, outer_id) WHERE abandoned = 0;
CREATE INDEX import_draft_abandoned ON import_draft (session_id) WHERE abandoned = 1;

-- Where the next slice of an import begins to read.
ALTER TABLE transfer ADD COLUMN position INTEGER NOT NULL DEFAULT 0;   -- bytes of the unpacked file
ALTER TABLE transfer ADD COLUMN in_list INTEGER NOT NULL DEFAULT 0;    -- 1: it lies between elements of a JSON list
ALTER TABLE transfer ADD COLUMN counted INTEGER NOT NULL DEFAULT 0;    -- conversations the first look has passed; -1: it is over
ALTER TABLE transfer ADD COLUMN loose_facts INTEGER NOT NULL DEFAULT 0; -- facts without a session it has come to
