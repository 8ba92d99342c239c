-- Makes a repeated request harmless that goes on with an answer: it adds no message that could have the id.
ALTER TABLE turn ADD COLUMN client_id TEXT;
CREATE UNIQUE INDEX turn_client ON turn (owner, client_id) WHERE client_id IS NOT NULL;

-- An answer that the user has rewritten: a version of its own.
ALTER TABLE message ADD COLUMN edited INTEGER NOT NULL DEFAULT 0;
