-- A user's own settings (store/setting.h). A setting without a row has its default.
CREATE TABLE setting (
    user_id INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    name    TEXT    NOT NULL,
    value   TEXT    NOT NULL,
    PRIMARY KEY (user_id, name)
) WITHOUT ROWID;
