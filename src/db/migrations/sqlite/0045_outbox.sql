-- Messages to chats of channels (store/channel/outbox.h). A post is one text. It is cut into its parts when its turn has
-- come; a row is then one message.
CREATE TABLE outbox (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    chat_id    INTEGER NOT NULL REFERENCES channel_chat (id) ON DELETE CASCADE,
    post       INTEGER NOT NULL,            -- a chat's rows are sent in the order of (post, part)
    part       INTEGER NOT NULL DEFAULT 0,
    turn_id    INTEGER NOT NULL DEFAULT 0,  -- the turn that it answers; may be gone
    markdown   TEXT    NOT NULL DEFAULT '', -- of a post that is not cut yet
    markup     TEXT,                        -- of a part, in the channel's format; NULL: not cut yet
    plain      TEXT,
    buttons    TEXT,                        -- JSON: [[label, token], ...]
    edits      TEXT    NOT NULL DEFAULT '', -- ids of messages that the parts replace, with spaces between
    reply_to   TEXT,
    silent     INTEGER NOT NULL DEFAULT 0,
    as_plain   INTEGER NOT NULL DEFAULT 0,  -- the channel refused the markup
    no_thread  INTEGER NOT NULL DEFAULT 0,  -- the thread is gone: it goes to the chat
    size       INTEGER NOT NULL,            -- bytes of the text, which is erased when it is sent
    state      TEXT    NOT NULL DEFAULT 'ready' CHECK (state IN ('ready', 'sending', 'sent', 'failed', 'doubtful')),
    attempts   INTEGER NOT NULL DEFAULT 0,
    run_at     INTEGER NOT NULL,
    since_at   INTEGER NOT NULL,            -- attempts end some hours after this
    sent_id    TEXT,                        -- the channel's id of the message
    error      TEXT,
    created_at INTEGER NOT NULL,
    ended_at   INTEGER
);
CREATE UNIQUE INDEX outbox_post ON outbox (post, part);
CREATE INDEX outbox_waiting ON outbox (chat_id, post, part) WHERE state IN ('ready', 'sending');
CREATE INDEX outbox_chat ON outbox (chat_id);
CREATE INDEX outbox_ended ON outbox (state, ended_at) WHERE ended_at IS NOT NULL;

-- What a button does: the short token that the channel gives back stands for a command line.
CREATE TABLE channel_button (
    token      TEXT    PRIMARY KEY,
    chat_id    INTEGER NOT NULL REFERENCES channel_chat (id) ON DELETE CASCADE,
    turn_id    INTEGER NOT NULL DEFAULT 0,  -- goes away when this turn ends; 0: stays
    line       TEXT    NOT NULL,
    sender     TEXT    NOT NULL DEFAULT '', -- the only person who may press; '': anyone who is linked
    expires_at INTEGER NOT NULL,
    used_at    INTEGER
) WITHOUT ROWID;
CREATE INDEX channel_button_chat ON channel_button (chat_id);
CREATE INDEX channel_button_expires ON channel_button (expires_at);
CREATE INDEX channel_button_turn ON channel_button (turn_id) WHERE turn_id <> 0;

-- What a chat shows of a turn that runs, beside channel_turn: the messages that its growing answer has so far.
CREATE TABLE channel_growing (
    turn_id    INTEGER NOT NULL REFERENCES turn (id) ON DELETE CASCADE,
    chat_id    INTEGER NOT NULL REFERENCES channel_chat (id) ON DELETE CASCADE,
    stop_token TEXT    NOT NULL,
    messages   TEXT    NOT NULL DEFAULT '', -- ids, with spaces between
    PRIMARY KEY (turn_id, chat_id)
) WITHOUT ROWID;
CREATE INDEX channel_growing_chat ON channel_growing (chat_id);

-- A channel that sends nothing until somebody acts: its credentials are refused.
CREATE TABLE channel_problem (
    channel TEXT    PRIMARY KEY,
    error   TEXT    NOT NULL,
    at      INTEGER NOT NULL
) WITHOUT ROWID;
