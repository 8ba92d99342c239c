-- A message of the session: the chat continues the branch through it, also when the session goes on in another one. NULL: the
-- branch that is open in the session.
ALTER TABLE channel_chat ADD COLUMN branch_id INTEGER;
ALTER TABLE turn_order ADD COLUMN branch_id INTEGER;
