-- Vectors of what has settled stand many in a row, in a table pack_<layer>_<model id> beside vector_<layer>_<model id>; store/vector_pack.h
-- says how. A message that is deleted is noted here until the helper has taken its vector out of the pack.
ALTER TABLE embedding_progress ADD COLUMN packed_to INTEGER NOT NULL DEFAULT 0; -- no id in a pack is larger

CREATE TABLE vector_gone (id INTEGER PRIMARY KEY);

CREATE TRIGGER message_vector_gone AFTER DELETE ON message
WHEN EXISTS (SELECT 1 FROM embedding_model m JOIN embedding_progress p ON p.model_id = m.id
             WHERE p.layer = 'message' AND p.owner = OLD.id >> 32 AND p.packed_to >= OLD.id)
BEGIN
    INSERT OR IGNORE INTO vector_gone (id) VALUES (OLD.id);
END;
