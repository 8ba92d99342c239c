-- The user's own time zone ("Europe/Berlin"), as a browser of theirs has said. NULL: that of the server.
ALTER TABLE user ADD COLUMN time_zone TEXT;
