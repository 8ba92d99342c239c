-- Updates of channels, stored before they are acknowledged (store/channel/inbox.h).
CREATE TABLE inbox (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    channel     TEXT    NOT NULL,
    bot         TEXT    NOT NULL,              -- id of the bot that received it
    update_id   TEXT    NOT NULL,
    body        TEXT,                          -- as it came; NULL: erased, because it is done
    received_at INTEGER NOT NULL,
    state       TEXT    NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'done', 'failed')),
    attempts    INTEGER NOT NULL DEFAULT 0,    -- counted before it is processed
    error       TEXT,                          -- for the log and admins; NULL: none
    UNIQUE (channel, bot, update_id)
);
CREATE INDEX inbox_new ON inbox (id) WHERE state = 'new';
CREATE INDEX inbox_ended ON inbox (received_at) WHERE state <> 'new';

-- Where a person writes, and the session that this place is bound to (store/channel/chat.h). In a group each linked person
-- has a row of the own.
CREATE TABLE channel_chat (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    channel    TEXT    NOT NULL,
    chat       TEXT    NOT NULL,
    thread     TEXT    NOT NULL DEFAULT '',    -- '': none
    grouped    INTEGER NOT NULL DEFAULT 0,     -- 1: several people read it
    owner      INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    sender     TEXT    NOT NULL,               -- the person's id in the channel
    session_id INTEGER REFERENCES session (id) ON DELETE SET NULL, -- NULL: the next message makes one
    lost       TEXT,                           -- how the last session was lost, until the chat is told: 'gone', 'archived'
    paused_at  INTEGER,                        -- nothing can be sent since then
    created_at INTEGER NOT NULL,
    UNIQUE (channel, chat, thread, owner)
);
CREATE INDEX channel_chat_owner ON channel_chat (owner);
CREATE INDEX channel_chat_session ON channel_chat (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX channel_chat_lost ON channel_chat (id) WHERE lost IS NOT NULL;

-- The turns that are to be shown in a chat, until their answer is in the outbox.
CREATE TABLE channel_turn (
    turn_id INTEGER NOT NULL REFERENCES turn (id) ON DELETE CASCADE,
    chat_id INTEGER NOT NULL REFERENCES channel_chat (id) ON DELETE CASCADE,
    PRIMARY KEY (turn_id, chat_id)
) WITHOUT ROWID;
CREATE INDEX channel_turn_chat ON channel_turn (chat_id);

-- Every turn of a bound session, whoever began it. The second answer of a comparison is for pages only.
CREATE TRIGGER turn_channel AFTER INSERT ON turn WHEN NEW.slot = 0
BEGIN
    INSERT INTO channel_turn (turn_id, chat_id)
    SELECT NEW.id, id FROM channel_chat WHERE session_id = NEW.session_id AND paused_at IS NULL;
END;

-- A session that is deleted, or moved to the trash (it belongs to nobody then), is no longer that of a chat.
CREATE TRIGGER session_channel_trashed AFTER UPDATE OF owner ON session WHEN NEW.owner <> OLD.owner
BEGIN
    UPDATE channel_chat SET session_id = NULL, lost = 'gone' WHERE session_id = NEW.id;
END;
CREATE TRIGGER session_channel_deleted BEFORE DELETE ON session
BEGIN
    UPDATE channel_chat SET session_id = NULL, lost = 'gone' WHERE session_id = OLD.id;
END;
CREATE TRIGGER session_channel_archived AFTER UPDATE OF archived_by_user ON session
WHEN NEW.archived_by_user = 1 AND OLD.archived_by_user = 0
BEGIN
    UPDATE channel_chat SET session_id = NULL, lost = 'archived' WHERE session_id = NEW.id;
END;

-- Parts of the users' messages that came from a channel, so that an edit finds its place in the stored text.
CREATE TABLE channel_message (
    channel    TEXT    NOT NULL,
    chat       TEXT    NOT NULL,
    message    TEXT    NOT NULL,               -- its id in the channel
    chat_id    INTEGER NOT NULL REFERENCES channel_chat (id) ON DELETE CASCADE,
    client_id  TEXT    NOT NULL,               -- of the user's message
    start      INTEGER NOT NULL,               -- place of its text in that message, in bytes
    length     INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (channel, chat, message)
) WITHOUT ROWID;
CREATE INDEX channel_message_chat ON channel_message (chat_id, client_id);
CREATE INDEX channel_message_created ON channel_message (created_at);

-- What others wrote in a group since the last message to us, if the owner allows it: context of the next one.
CREATE TABLE channel_heard (
    channel TEXT NOT NULL,
    chat    TEXT NOT NULL,
    thread  TEXT NOT NULL,
    text    TEXT NOT NULL,
    PRIMARY KEY (channel, chat, thread)
) WITHOUT ROWID;

-- A person who is unlinked, or linked to another user, leaves no chat of the user behind.
CREATE TRIGGER identity_channel_deleted AFTER DELETE ON channel_identity
BEGIN
    DELETE FROM channel_chat WHERE channel = OLD.channel AND sender = OLD.external_id;
END;
CREATE TRIGGER identity_channel_changed AFTER UPDATE OF user_id ON channel_identity WHEN NEW.user_id IS NOT OLD.user_id
BEGIN
    DELETE FROM channel_chat WHERE channel = OLD.channel AND sender = OLD.external_id;
END;
