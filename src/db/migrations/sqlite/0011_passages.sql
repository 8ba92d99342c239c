-- A row may have several vectors, one for each passage of its text: they stand one after another in `v` of
-- vector_<layer>_<model id>, with one `scale`. In a pack the row's id and scale are repeated.

-- What the provider of a model was seen to accept, 0: not known. A longer text is cut into passages of this size.
ALTER TABLE embedding_model ADD COLUMN passage_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE embedding_model ADD COLUMN batch_texts   INTEGER NOT NULL DEFAULT 0;

-- Vectors made so far are one per text. Under a prefix that no configuration has, their model goes on serving while the
-- helper builds the configured model anew beside it.
UPDATE embedding_model SET prefix = prefix || char(10) || '(one vector per text)';

-- Rows that a model makes no vector of. They do not keep the others waiting.
CREATE TABLE embedding_skip (
    layer    TEXT    NOT NULL,
    id       INTEGER NOT NULL,
    model_id INTEGER NOT NULL REFERENCES embedding_model (id) ON DELETE CASCADE,
    reason   TEXT,              -- a word of store/vector_skip.c; NULL: it is to be tried again
    PRIMARY KEY (layer, id, model_id)
) WITHOUT ROWID;
CREATE INDEX embedding_skip_model ON embedding_skip (model_id);

CREATE TRIGGER message_skip_gone AFTER DELETE ON message
BEGIN
    DELETE FROM embedding_skip WHERE layer = 'message' AND id = OLD.id;
END;
CREATE TRIGGER summary_skip_gone AFTER DELETE ON summary
BEGIN
    DELETE FROM embedding_skip WHERE layer = 'summary' AND id = OLD.id;
END;
CREATE TRIGGER memory_skip_gone AFTER DELETE ON memory
BEGIN
    DELETE FROM embedding_skip WHERE layer = 'memory' AND id = OLD.id;
END;
