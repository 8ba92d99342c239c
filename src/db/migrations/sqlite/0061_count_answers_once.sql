-- session.message_count counts an answer once. Its rows below the results of tools were counted, too.
UPDATE session SET message_count = message_count - more.n
FROM (SELECT m.session_id, count(*) AS n FROM message m JOIN message above ON above.id = m.parent_id
      WHERE m.role = 'assistant' AND above.role = 'tool' GROUP BY m.session_id) AS more
WHERE session.id = more.session_id;
