-- The older part of a path, replaced in the context (never in the store) by a summary.
CREATE TABLE compaction (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id    INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    first_id      INTEGER NOT NULL,               -- it stands for the messages of one path from here
    last_id       INTEGER NOT NULL,               -- to here; the context goes on below this one
    messages      INTEGER NOT NULL,               -- how many these are
    tokens_before INTEGER NOT NULL,               -- of the context, estimated as in app/context/context.h
    tokens_after  INTEGER NOT NULL,
    keep          TEXT    NOT NULL,               -- what the user wanted kept, in his words; ''
    text          TEXT    NOT NULL,               -- the summary, Markdown
    facts         TEXT    NOT NULL,               -- JSON array of strings
    transcript    TEXT    NOT NULL,               -- name of the JSONL file below data/transcripts
    provider      TEXT    NOT NULL,               -- 'offline': by rule
    model         TEXT    NOT NULL,
    created_at    INTEGER NOT NULL
);
CREATE INDEX compaction_session ON compaction (session_id, id);

-- Asked for by the user or by the length of the path, and not done yet.
CREATE TABLE compaction_request (
    session_id INTEGER PRIMARY KEY REFERENCES session (id) ON DELETE CASCADE,
    head_id    INTEGER NOT NULL,                  -- the end of the path it is about
    keep       TEXT    NOT NULL,
    by_user    INTEGER NOT NULL,                  -- 0: the path grew too long
    error      TEXT,                              -- the sentence for the user, once it has failed for good
    asked_at   INTEGER NOT NULL
);

-- How full the model's window is: what the next context takes, and of how much. 0: not known.
ALTER TABLE session ADD COLUMN context_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN context_window INTEGER NOT NULL DEFAULT 0;
