-- The form of the requests that the model takes, as refusals showed it (app/models/choices.c). 0: none refused the usual one.
ALTER TABLE model_learned ADD COLUMN form INTEGER NOT NULL DEFAULT 0;
