-- The first claim of a job since it was added or retried by an admin: how long it waits for a provider or a disk counts
-- from here. An import plans jobs days ahead, so their creation says nothing about it.
ALTER TABLE job ADD COLUMN tried_at INTEGER;
