-- How much a model reasons in a session; NULL: as its provider decides.
ALTER TABLE session ADD COLUMN effort TEXT CHECK (effort IN ('low', 'medium', 'high'));
