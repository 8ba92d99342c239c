-- Two models answer one question at the same time. Slot 1 is the second turn of such a pair.
ALTER TABLE turn ADD COLUMN slot INTEGER NOT NULL DEFAULT 0;
DROP INDEX turn_running;
CREATE UNIQUE INDEX turn_running ON turn (session_id, coalesce(thread_id, 0), slot) WHERE status = 'running';

-- The column (1 or 2) of an answer in the session's open comparison (store/message/comparison.h).
ALTER TABLE message ADD COLUMN compared INTEGER;
CREATE UNIQUE INDEX message_compared ON message (session_id, compared) WHERE compared IS NOT NULL;
