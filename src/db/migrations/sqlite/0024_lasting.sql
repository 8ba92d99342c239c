-- The failure of an answer lasts: the same request fails again.
ALTER TABLE message ADD COLUMN lasting INTEGER NOT NULL DEFAULT 0;
