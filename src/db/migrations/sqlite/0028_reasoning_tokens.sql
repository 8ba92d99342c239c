ALTER TABLE message ADD COLUMN tokens_reasoning INTEGER; -- of tokens_out
