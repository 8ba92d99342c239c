-- The message says that another one of its chat may be missing. There is none about such a message.
ALTER TABLE outbox ADD COLUMN notice INTEGER NOT NULL DEFAULT 0;
