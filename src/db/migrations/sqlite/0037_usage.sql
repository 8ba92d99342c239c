-- Tokens by user, quarter of an hour and model (store/account/usage.h). A trigger counts when an answer, or a step of one, ends, so that
-- every way to end it is counted once. Deleting messages does not change what they used.
CREATE TABLE usage (
    owner            INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    quarter          INTEGER NOT NULL,           -- of an hour, since 1970
    provider         TEXT    NOT NULL,
    model            TEXT    NOT NULL,
    background       INTEGER NOT NULL,           -- titles, summaries and other requests of the helper
    answers          INTEGER NOT NULL DEFAULT 0,
    tokens_in        INTEGER NOT NULL DEFAULT 0,
    tokens_out       INTEGER NOT NULL DEFAULT 0,
    tokens_cached    INTEGER NOT NULL DEFAULT 0, -- of tokens_in
    tokens_reasoning INTEGER NOT NULL DEFAULT 0, -- of tokens_out
    PRIMARY KEY (owner, quarter, provider, model, background)
) WITHOUT ROWID;
CREATE INDEX usage_quarter ON usage (quarter);

-- An answer that is continued ends twice: the second time counts what was added.
CREATE TRIGGER message_usage AFTER UPDATE OF status ON message
WHEN OLD.status = 'running' AND NEW.status <> 'running' AND NEW.role = 'assistant'
BEGIN
    INSERT INTO usage (owner, quarter, provider, model, background, answers, tokens_in, tokens_out, tokens_cached, tokens_reasoning)
    SELECT owner, coalesce(NEW.ended_at, NEW.created_at) / 900000, coalesce(NEW.provider, ''), coalesce(NEW.model, ''), 0, NEW.calls IS NULL,
           max(coalesce(NEW.tokens_in, 0) - coalesce(OLD.tokens_in, 0), 0), max(coalesce(NEW.tokens_out, 0) - coalesce(OLD.tokens_out, 0), 0),
           max(coalesce(NEW.tokens_cached, 0) - coalesce(OLD.tokens_cached, 0), 0),
           max(coalesce(NEW.tokens_reasoning, 0) - coalesce(OLD.tokens_reasoning, 0), 0)
    FROM session WHERE id = NEW.session_id AND owner <> 0
    ON CONFLICT (owner, quarter, provider, model, background) DO UPDATE SET
        answers = answers + excluded.answers, tokens_in = tokens_in + excluded.tokens_in, tokens_out = tokens_out + excluded.tokens_out,
        tokens_cached = tokens_cached + excluded.tokens_cached, tokens_reasoning = tokens_reasoning + excluded.tokens_reasoning;
END;

INSERT INTO usage (owner, quarter, provider, model, background, answers, tokens_in, tokens_out, tokens_cached, tokens_reasoning)
SELECT s.owner, coalesce(m.ended_at, m.created_at) / 900000, coalesce(m.provider, ''), coalesce(m.model, ''), 0, sum(m.calls IS NULL),
       sum(coalesce(m.tokens_in, 0)), sum(coalesce(m.tokens_out, 0)), sum(coalesce(m.tokens_cached, 0)), sum(coalesce(m.tokens_reasoning, 0))
FROM message m JOIN session s ON s.id = m.session_id
WHERE m.role = 'assistant' AND m.status <> 'running' AND m.channel <> 'import' AND s.owner <> 0
GROUP BY 1, 2, 3, 4;
