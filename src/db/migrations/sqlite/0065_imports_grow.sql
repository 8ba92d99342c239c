-- A later export of an account has more messages of conversations that were imported before. They are added when the
-- session still has the imported messages and no others.
ALTER TABLE imported ADD COLUMN messages INTEGER NOT NULL DEFAULT 0; -- how many the imports gave the session
UPDATE imported SET messages =
    (SELECT count(*) FROM message m WHERE m.session_id = imported.session_id AND m.channel = 'import');
ALTER TABLE transfer ADD COLUMN grown INTEGER NOT NULL DEFAULT 0;    -- import: of those done, existed and got messages
ALTER TABLE transfer ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;  -- import: of the skipped, differ from their sessions
