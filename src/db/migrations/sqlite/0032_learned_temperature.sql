-- What a refusal told of a model: it takes no temperature; it wants the reasoning of earlier answers back. Values of enum llm_fact.
ALTER TABLE model_learned ADD COLUMN temperature    INTEGER NOT NULL DEFAULT 0;
ALTER TABLE model_learned ADD COLUMN reasoning_back INTEGER NOT NULL DEFAULT 0;
