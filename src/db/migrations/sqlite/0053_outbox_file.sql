-- A message that is a file, such as an exported session. Its content is erased when it is sent.
ALTER TABLE outbox ADD COLUMN file_name TEXT;
ALTER TABLE outbox ADD COLUMN file BLOB;
