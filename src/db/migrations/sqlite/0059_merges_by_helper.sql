-- FTS5 merges segments inside of the transaction that fills them: 64 pages or a multiple of it, about 50 ms.
-- The helper merges them instead, a few pages per transaction (store/search/text_merge.h).
INSERT INTO message_text (message_text, rank) VALUES ('automerge', 0);
INSERT INTO message_pair (message_pair, rank) VALUES ('automerge', 0);
INSERT INTO session_subject (session_subject, rank) VALUES ('automerge', 0);
INSERT INTO summary_text (summary_text, rank) VALUES ('automerge', 0);
INSERT INTO memory_text (memory_text, rank) VALUES ('automerge', 0);

-- In the order of the purge, which sorted all erased entries for each one that it removed.
DROP INDEX trash_erased;
CREATE INDEX trash_erased ON trash (from_id IS NULL, session_id) WHERE erased = 1;
