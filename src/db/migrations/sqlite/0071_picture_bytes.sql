-- The bytes of a user's pictures are added up before one more is stored.
CREATE INDEX picture_owner ON picture (owner, length(data));
