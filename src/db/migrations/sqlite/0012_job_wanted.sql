-- Jobs that somebody waits for run before the others, the one wanted last first.
ALTER TABLE job ADD COLUMN wanted_at INTEGER NOT NULL DEFAULT 0; -- when somebody last waited for it; 0: nobody does
CREATE INDEX job_wanted ON job (wanted_at DESC, run_at, id) WHERE state = 'ready' AND wanted_at > 0;
