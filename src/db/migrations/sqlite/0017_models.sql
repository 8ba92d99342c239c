-- What providers said about their models when they were last asked, and what was learned from their refusals.
CREATE TABLE model_list (
    provider  TEXT PRIMARY KEY,           -- name of the provider
    base_url  TEXT    NOT NULL,           -- a list of another address is not used
    server    TEXT    NOT NULL,           -- "Ollama", "llama.cpp", ...; '': not recognised
    digest    INTEGER NOT NULL,           -- of the list: an equal one is not written again
    asked_at  INTEGER NOT NULL,
    listed_at INTEGER NOT NULL,           -- when a list last came; 0: never
    failure   TEXT                        -- of the last time; NULL: a list came
) WITHOUT ROWID;

-- Facts are 0: not known, 1: yes, 2: no.
CREATE TABLE model (
    provider    TEXT    NOT NULL,
    name        TEXT    NOT NULL,
    position    INTEGER NOT NULL,         -- in the provider's list
    chat        INTEGER NOT NULL,         -- 0: an embedding, audio or image model
    window      INTEGER NOT NULL,         -- tokens; 0: not known
    window_from TEXT,                     -- who says so
    tools       INTEGER NOT NULL,
    images      INTEGER NOT NULL,
    reasoning   INTEGER NOT NULL,
    created     INTEGER NOT NULL,         -- seconds since 1970, as the provider says; 0: not known
    loaded      INTEGER NOT NULL,         -- 1: in memory
    PRIMARY KEY (provider, name)
) WITHOUT ROWID;

CREATE TABLE model_learned (
    provider TEXT    NOT NULL,
    name     TEXT    NOT NULL,
    base_url TEXT    NOT NULL,            -- as in model_list
    window   INTEGER NOT NULL,            -- tokens; 0: nothing learned
    tools    INTEGER NOT NULL,            -- a fact
    at       INTEGER NOT NULL,
    PRIMARY KEY (provider, name)
) WITHOUT ROWID;

-- Counts the changes of the three tables, so that every program sees cheaply whether its copy is current.
CREATE TABLE model_change (n INTEGER NOT NULL);
INSERT INTO model_change (n) VALUES (1);
