-- Pictures of an import that did not fit [limits] user_pictures_bytes.
ALTER TABLE transfer ADD COLUMN pictures_left_out INTEGER NOT NULL DEFAULT 0;
