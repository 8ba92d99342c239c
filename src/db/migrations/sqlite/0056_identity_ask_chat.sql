-- The chat that is told when the person is admitted. NULL: nobody asked there, or it was told.
ALTER TABLE channel_identity ADD COLUMN ask_chat TEXT;
CREATE INDEX channel_identity_admitted ON channel_identity (user_id) WHERE ask_chat IS NOT NULL;
