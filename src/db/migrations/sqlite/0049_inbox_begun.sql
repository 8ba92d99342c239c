-- A command of a chat that has begun. Its effects are in other transactions, so after a crash it is not run twice.
ALTER TABLE inbox ADD COLUMN begun INTEGER NOT NULL DEFAULT 0;

-- Bytes of the text that the user typed, before what a chat quotes; NULL: all.
ALTER TABLE turn_order ADD COLUMN pasted_from INTEGER;
