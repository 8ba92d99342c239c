-- What a model thought before an answer. It is not searched, summarised or exported.
ALTER TABLE message ADD COLUMN reasoning TEXT;       -- for the user to read
ALTER TABLE message ADD COLUMN reasoning_ms INTEGER; -- how long it took
ALTER TABLE message ADD COLUMN opaque TEXT;          -- JSON that the provider wants back with the answer
