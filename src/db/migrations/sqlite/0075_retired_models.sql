-- The tables of an embedding model that is no longer used are emptied in steps. Then they are dropped.
CREATE TABLE embedding_retired (model_id INTEGER PRIMARY KEY); -- it is no longer in embedding_model

-- The skip marks of such a model go in steps, too. So they outlive its row in embedding_model.
CREATE TABLE embedding_skip_kept AS SELECT layer, id, model_id, reason FROM embedding_skip;
DROP TABLE embedding_skip;
CREATE TABLE embedding_skip (
    layer    TEXT    NOT NULL,
    id       INTEGER NOT NULL,
    model_id INTEGER NOT NULL, -- of embedding_model or embedding_retired
    reason   TEXT,             -- a word of store/search/vector_skip.c; NULL: it is to be tried again
    PRIMARY KEY (layer, id, model_id)
) WITHOUT ROWID;
CREATE INDEX embedding_skip_model ON embedding_skip (model_id);
INSERT INTO embedding_skip (layer, id, model_id, reason) SELECT layer, id, model_id, reason FROM embedding_skip_kept;
DROP TABLE embedding_skip_kept;
