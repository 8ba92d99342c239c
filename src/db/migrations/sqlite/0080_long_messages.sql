-- For store_message_long_bytes(), which every message that is sent asks. It took 9 ms in a session of 5,000 messages.
CREATE INDEX message_long ON message (session_id, octet_length(text)) WHERE role = 'user' AND octet_length(text) >= 2048;
