-- Erasing finds the entries of messages that hang on others without reading those of sessions.
CREATE INDEX trash_messages ON trash (owner) WHERE erased = 0 AND from_id IS NOT NULL;
