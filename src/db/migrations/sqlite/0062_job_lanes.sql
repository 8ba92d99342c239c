-- The waiting jobs that ask no provider. With thousands of jobs about sessions before them, as after an import, they were
-- found by reading all of these. The lane's statements (store/job.c) have the same words.
CREATE INDEX job_upkeep ON job (run_at, id) WHERE state = 'ready' AND kind NOT IN ('title', 'summarise', 'topic', 'compact', 'facts', 'sweep_transcripts', 'embed');
