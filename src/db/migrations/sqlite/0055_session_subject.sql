-- Parts of words in titles, topics and keywords: sequences of three characters, so that a list of 100,000 sessions can be
-- searched while a user types. store/session/session_filter.c compares the rows that it finds.
CREATE VIEW session_head AS
    SELECT id, coalesce(title, '') || char(10) || coalesce(topic, '') || char(10) || coalesce(keywords, '') AS subject FROM session
    WHERE coalesce(title, topic, keywords) IS NOT NULL;

CREATE VIRTUAL TABLE session_subject USING fts5 (subject, content = 'session_head', content_rowid = 'id', tokenize = 'trigram');
-- They are short: words of a title that was replaced or deleted leave the index at once.
INSERT INTO session_subject (session_subject, rank) VALUES ('secure-delete', 1);
INSERT INTO session_subject (rowid, subject) SELECT id, subject FROM session_head;

CREATE TRIGGER session_subject_insert AFTER INSERT ON session
WHEN coalesce(new.title, new.topic, new.keywords) IS NOT NULL BEGIN
    INSERT INTO session_subject (rowid, subject)
    VALUES (new.id, coalesce(new.title, '') || char(10) || coalesce(new.topic, '') || char(10) || coalesce(new.keywords, ''));
END;
CREATE TRIGGER session_subject_delete AFTER DELETE ON session
WHEN coalesce(old.title, old.topic, old.keywords) IS NOT NULL BEGIN
    INSERT INTO session_subject (session_subject, rowid, subject)
    VALUES ('delete', old.id, coalesce(old.title, '') || char(10) || coalesce(old.topic, '') || char(10) || coalesce(old.keywords, ''));
END;
-- One trigger: the order of several is not defined.
CREATE TRIGGER session_subject_update AFTER UPDATE OF title, topic, keywords ON session
WHEN old.title IS NOT new.title OR old.topic IS NOT new.topic OR old.keywords IS NOT new.keywords BEGIN
    INSERT INTO session_subject (session_subject, rowid, subject)
    SELECT 'delete', old.id, coalesce(old.title, '') || char(10) || coalesce(old.topic, '') || char(10) || coalesce(old.keywords, '')
    WHERE coalesce(old.title, old.topic, old.keywords) IS NOT NULL;
    INSERT INTO session_subject (rowid, subject)
    SELECT new.id, coalesce(new.title, '') || char(10) || coalesce(new.topic, '') || char(10) || coalesce(new.keywords, '')
    WHERE coalesce(new.title, new.topic, new.keywords) IS NOT NULL;
END;
