-- Why an answer ended before its end, and how much of a request a provider had in its cache.
ALTER TABLE message ADD COLUMN stop TEXT
    CHECK (stop IN ('length', 'window', 'refusal', 'filter', 'rejected', 'paused'));
ALTER TABLE message ADD COLUMN tokens_cached INTEGER; -- of tokens_in
