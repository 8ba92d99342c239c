-- What a user wants models to know in one workspace. It stays when the last session leaves the workspace.
CREATE TABLE workspace_instruction (
    owner     INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    workspace TEXT    NOT NULL COLLATE NOCASE,
    text      TEXT    NOT NULL,
    PRIMARY KEY (owner, workspace)
) WITHOUT ROWID;

-- Personas and prompts (store/library.h).
CREATE TABLE library (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    owner       INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    kind        TEXT    NOT NULL CHECK (kind IN ('persona', 'prompt')),
    shared      INTEGER NOT NULL DEFAULT 0,   -- all users can use it
    name        TEXT    NOT NULL COLLATE NOCASE,
    text        TEXT    NOT NULL,             -- a persona's instructions, or the prompt
    choice      TEXT,                         -- a persona's model: value of a provider choice
    temperature INTEGER,                      -- a persona's, in hundredths
    tools       TEXT,                         -- a persona's groups of tools; NULL: all
    UNIQUE (owner, kind, name)
);
CREATE INDEX library_shared ON library (kind, name) WHERE shared = 1;

ALTER TABLE session ADD COLUMN persona_id INTEGER REFERENCES library (id) ON DELETE SET NULL;
ALTER TABLE session ADD COLUMN temperature INTEGER;   -- in hundredths; NULL: the persona's or the provider's
ALTER TABLE session ADD COLUMN answer_tokens INTEGER; -- limit of an answer; NULL: that of the server
CREATE INDEX session_persona ON session (persona_id) WHERE persona_id IS NOT NULL;
