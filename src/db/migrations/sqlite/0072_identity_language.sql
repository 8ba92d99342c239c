-- The language of the person's app, as it was last told ("de"). Messages that are sent later have it, if the user has
-- chosen none.
ALTER TABLE channel_identity ADD COLUMN language TEXT;
