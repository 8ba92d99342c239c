-- The messages of a long entry leave the text index in steps, and come back in steps before it is restored.
ALTER TABLE trash ADD COLUMN indexed_to INTEGER NOT NULL DEFAULT 0; -- the messages with ids up to this one are in the index
ALTER TABLE trash ADD COLUMN restoring INTEGER NOT NULL DEFAULT 0;  -- 1: they are coming back, so the helper leaves them there
CREATE INDEX trash_indexed ON trash (session_id) WHERE indexed_to > 0 AND restoring = 0;
