-- The end of a pause of the memory is one number of the user, instead of a change in each of their sessions.
ALTER TABLE user ADD COLUMN facts_after INTEGER NOT NULL DEFAULT 0; -- messages up to this id are not searched for facts
