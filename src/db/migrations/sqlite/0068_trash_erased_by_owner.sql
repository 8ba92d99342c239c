-- The erased entries of one user, in the order of the purge, which read those of all users.
DROP INDEX trash_erased;
CREATE INDEX trash_erased ON trash (owner, from_id IS NULL, session_id) WHERE erased = 1;
