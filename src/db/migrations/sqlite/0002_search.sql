-- Search by likeness. The vectors of a layer (messages, ...) and a model stand in a table of their own, made when the
-- model is first used: vector_<layer>_<model id> (id INTEGER PRIMARY KEY, scale REAL, v BLOB), where id is the row that
-- the vector is of, so that one user's vectors are one range, like the messages.
CREATE TABLE embedding_model (
    id         INTEGER PRIMARY KEY AUTOINCREMENT, -- part of tables' names: never given twice
    provider   TEXT    NOT NULL,                  -- 'offline', or the NAME of [provider.NAME]
    model      TEXT    NOT NULL,
    prefix     TEXT    NOT NULL,                  -- what was put before each document
    dimension  INTEGER NOT NULL,
    state      TEXT    NOT NULL CHECK (state IN ('building', 'serving')),
    created_at INTEGER NOT NULL,
    UNIQUE (provider, model, prefix, dimension)
);
CREATE UNIQUE INDEX embedding_model_serving ON embedding_model (state) WHERE state = 'serving';

-- How far the rows of an owner are embedded without a gap, so that the next one is found without a walk over all.
CREATE TABLE embedding_progress (
    model_id INTEGER NOT NULL REFERENCES embedding_model (id) ON DELETE CASCADE,
    layer    TEXT    NOT NULL,
    owner    INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    done_to  INTEGER NOT NULL,                    -- every row up to this id has its vector, or needs none
    PRIMARY KEY (model_id, layer, owner)
);

-- Dates as filters of a search.
CREATE INDEX message_created ON message ((id >> 32), created_at);
