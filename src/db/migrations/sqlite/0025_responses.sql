-- Models whose server refers them to /responses (enum llm_fact).
ALTER TABLE model_learned ADD COLUMN responses INTEGER NOT NULL DEFAULT 0;
