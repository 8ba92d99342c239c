-- The zone of a suggested reminder's time, which is in `due`.
ALTER TABLE suggestion ADD COLUMN zone TEXT;
