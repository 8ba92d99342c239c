-- The audit trail is bounded: what repeats too often is counted in one row (store/audit.c).
ALTER TABLE audit ADD COLUMN times INTEGER NOT NULL DEFAULT 1;   -- how often
ALTER TABLE audit ADD COLUMN last_at INTEGER;                    -- the last time, when it is more than one
CREATE INDEX audit_who ON audit (coalesce(user_id, 0), action, at);
