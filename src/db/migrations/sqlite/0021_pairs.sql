-- Words of scripts without blanks between them, and of Korean: pairs of neighbouring characters, each as one word of ASCII
-- (codec/words/tokenizer.h). A message has a row only if it has such a pair.
CREATE VIRTUAL TABLE message_pair USING fts5 (pairs, content = '', contentless_delete = 1, detail = 'none', tokenize = 'ascii');

CREATE TRIGGER message_pair_gone AFTER DELETE ON message
BEGIN
    DELETE FROM message_pair WHERE rowid = OLD.id;
END;

-- The vocabulary of the text index, for words that were mistyped.
CREATE VIRTUAL TABLE message_vocabulary USING fts5vocab (message_text, 'row');
CREATE VIRTUAL TABLE message_instance USING fts5vocab (message_text, 'instance');

-- The helper adds what is stored already.
INSERT INTO job (kind, owner, subject, state, attempts, run_at, created_at)
SELECT 'index_pairs', NULL, 0, 'ready', 0, 0, 0 WHERE EXISTS (SELECT 1 FROM message);
