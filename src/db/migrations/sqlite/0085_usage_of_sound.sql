-- The length of recordings that a model has written down (store/account/usage.h).
ALTER TABLE usage ADD COLUMN sound_ms INTEGER NOT NULL DEFAULT 0;
