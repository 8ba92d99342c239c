-- Its chat was told that the order waits for the end of a turn.
ALTER TABLE turn_order ADD COLUMN told INTEGER NOT NULL DEFAULT 0;
