// The methods of the Bot API that Alfred may call, with their parameters as the documentation has them
// (https://core.telegram.org/bots/api). check() gives the error that a bot gets, and refuses parameters that do not exist,
// which the real server ignores.

const bool = (v) => typeof v === 'boolean' || v === 'true' || v === 'false';
const int = (v) => (typeof v === 'number' && Number.isInteger(v)) || typeof v === 'bigint' || (typeof v === 'string' && /^-?\d+$/.test(v));
const string = (v) => typeof v === 'string';
const list = (v) => Array.isArray(v);
const object = (v) => v !== null && typeof v === 'object' && !Array.isArray(v);
const chat = (v) => int(v) || (string(v) && v.startsWith('@'));
const among = (...words) => (v) => words.includes(v);
const parseMode = among('HTML', 'MarkdownV2', 'Markdown');

const need = (test) => Object.assign((v) => test(v), { needed: true });

/** Kinds of updates that allowed_updates can name. */
const UPDATES = ['message', 'edited_message', 'channel_post', 'edited_channel_post', 'business_connection', 'business_message', 'edited_business_message', 'deleted_business_messages', 'message_reaction', 'message_reaction_count', 'inline_query', 'chosen_inline_result', 'callback_query', 'shipping_query', 'pre_checkout_query', 'purchased_paid_media', 'poll', 'poll_answer', 'my_chat_member', 'chat_member', 'chat_join_request', 'chat_boost', 'removed_chat_boost', 'stopped_message_generation'];
const updates = (v) => list(v) && v.every((u) => UPDATES.includes(u));

const SENDING = { business_connection_id: string, message_thread_id: int, direct_messages_topic_id: int, disable_notification: bool, protect_content: bool, allow_paid_broadcast: bool, message_effect_id: string, suggested_post_parameters: object, reply_parameters: object, reply_markup: object };
const TEXT = { parse_mode: parseMode, entities: list, link_preview_options: object };

export const METHODS = {
    getMe: {},
    logOut: {},
    close: {},
    sendMessage: { chat_id: need(chat), text: need(string), ...TEXT, ...SENDING },
    sendMessageDraft: { chat_id: need(int), message_thread_id: int, draft_id: need(int), text: string, parse_mode: parseMode, entities: list, can_stop: bool, keep_on_stop: bool },
    sendChatAction: {
        business_connection_id: string,
        chat_id: need(chat),
        message_thread_id: int,
        action: need(among('typing', 'upload_photo', 'record_video', 'upload_video', 'record_voice', 'upload_voice', 'upload_document', 'choose_sticker', 'find_location', 'record_video_note', 'upload_video_note')),
    },
    editMessageText: { business_connection_id: string, chat_id: chat, message_id: int, inline_message_id: string, text: need(string), ...TEXT, reply_markup: object },
    editMessageReplyMarkup: { business_connection_id: string, chat_id: chat, message_id: int, inline_message_id: string, reply_markup: object },
    deleteMessage: { chat_id: need(chat), message_id: need(int) },
    answerCallbackQuery: { callback_query_id: need(string), text: string, show_alert: bool, url: string, cache_time: int },
    sendDocument: { chat_id: need(chat), document: need(string), caption: string, parse_mode: parseMode, caption_entities: list, disable_content_type_detection: bool, thumbnail: string, ...SENDING },
    sendPhoto: { chat_id: need(chat), photo: need(string), caption: string, parse_mode: parseMode, caption_entities: list, show_caption_above_media: bool, has_spoiler: bool, ...SENDING },
    getFile: { file_id: need(string) },
    setMyCommands: { commands: need(list), scope: object, language_code: string },
    deleteMyCommands: { scope: object, language_code: string },
    getMyCommands: { scope: object, language_code: string },
    getUpdates: { offset: int, limit: int, timeout: int, allowed_updates: updates },
    setWebhook: { url: need(string), certificate: string, ip_address: string, max_connections: int, allowed_updates: updates, drop_pending_updates: bool, secret_token: string },
    deleteWebhook: { drop_pending_updates: bool },
    getWebhookInfo: {},
};

/** Names of the methods whose case does not matter to the server. */
const BY_NAME = new Map(Object.keys(METHODS).map((name) => [name.toLowerCase(), name]));
export const methodName = (name) => BY_NAME.get(name.toLowerCase());

const REPLY = new Set(['message_id', 'chat_id', 'allow_sending_without_reply', 'quote', 'quote_parse_mode', 'quote_entities', 'quote_position', 'checklist_task_id']);
const PREVIEW = new Set(['is_disabled', 'url', 'prefer_small_media', 'prefer_large_media', 'show_above_text']);
const BUTTON = new Set(['text', 'icon_custom_emoji_id', 'style', 'url', 'callback_data', 'web_app', 'login_url', 'switch_inline_query', 'switch_inline_query_current_chat', 'switch_inline_query_chosen_chat', 'copy_text', 'callback_game', 'pay']);
const BUTTONS_MAX = 100;
const COMMANDS_MAX = 100;

const unknownIn = (value, known) => Object.keys(value).find((key) => !known.has(key));

function checkKeyboard(markup) {
    const other = unknownIn(markup, new Set(['inline_keyboard']));
    if (other) return `Bad Request: unknown parameter ${other}`;
    if (!list(markup.inline_keyboard)) return "Bad Request: object expected as reply markup";
    const buttons = markup.inline_keyboard.flat();
    if (buttons.length > BUTTONS_MAX) return 'Bad Request: REPLY_MARKUP_TOO_LONG';
    for (const row of markup.inline_keyboard) {
        if (!list(row)) return "Bad Request: can't parse inline keyboard: Array expected";
        for (const button of row) {
            const strange = unknownIn(button, BUTTON);
            if (strange) return `Bad Request: unknown parameter ${strange}`;
            if (!string(button.text) || button.text.trim() === '') return "Bad Request: can't parse inline keyboard button: Button text must be non-empty";
            if (button.callback_data === undefined && button.url === undefined && button.copy_text === undefined) return "Bad Request: can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard";
            if (button.callback_data !== undefined && (!string(button.callback_data) || button.callback_data === '' || Buffer.byteLength(button.callback_data) > 64)) return 'Bad Request: BUTTON_DATA_INVALID';
        }
    }
    return null;
}

function checkCommands(params) {
    if (params.commands.length > COMMANDS_MAX) return 'Bad Request: BOT_COMMANDS_TOO_MUCH';
    for (const c of params.commands) {
        const strange = unknownIn(c, new Set(['command', 'description']));
        if (strange) return `Bad Request: unknown parameter ${strange}`;
        if (!/^[a-z0-9_]{1,32}$/.test(c.command)) return 'Bad Request: BOT_COMMAND_INVALID';
        if (!string(c.description) || c.description.length < 1 || c.description.length > 256) return 'Bad Request: BOT_COMMAND_DESCRIPTION_INVALID';
    }
    if (params.language_code && !/^[a-z]{2}$/.test(params.language_code)) return 'Bad Request: invalid language code specified';
    return null;
}

const PORTS = new Set(['', '443', '80', '88', '8443']);

function checkWebhook(params) {
    if (params.url === '') return null;
    let url;
    try {
        url = new URL(params.url);
    } catch {
        return 'Bad Request: bad webhook: invalid URL specified';
    }
    if (url.protocol !== 'https:') return 'Bad Request: bad webhook: An HTTPS URL must be provided for webhook';
    if (!PORTS.has(url.port)) return 'Bad Request: bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443';
    if (params.secret_token !== undefined && !/^[A-Za-z0-9_-]{1,256}$/.test(params.secret_token)) return 'Bad Request: secret token contains unallowed characters';
    return null;
}

/** The description of a 400, or null. */
export function checkParams(method, params) {
    const rules = METHODS[method];
    for (const [name, value] of Object.entries(params)) {
        if (!rules[name]) return `Bad Request: unknown parameter ${name}`;
        if (!rules[name](value)) return `Bad Request: wrong parameter ${name} in the request`;
    }
    for (const [name, rule] of Object.entries(rules)) {
        if (!rule.needed || (params[name] !== undefined && params[name] !== '')) continue;
        if (name === 'text') return 'Bad Request: message text is empty';
        if (name === 'chat_id') return 'Bad Request: chat_id is empty';
        if (method === 'setWebhook') continue; // an empty address removes the webhook
        return `Bad Request: parameter "${name}" is required`;
    }
    if (params.reply_markup) {
        const wrong = checkKeyboard(params.reply_markup);
        if (wrong) return wrong;
    }
    if (params.reply_parameters) {
        const strange = unknownIn(params.reply_parameters, REPLY);
        if (strange) return `Bad Request: unknown parameter ${strange}`;
        if (!int(params.reply_parameters.message_id)) return "Bad Request: can't parse reply parameters: Field \"message_id\" must be a valid Number";
    }
    if (params.link_preview_options) {
        const strange = unknownIn(params.link_preview_options, PREVIEW);
        if (strange) return `Bad Request: unknown parameter ${strange}`;
    }
    if (method === 'answerCallbackQuery' && (params.text ?? '').length > 200) return 'Bad Request: MESSAGE_TOO_LONG';
    if (method === 'setMyCommands') return checkCommands(params);
    if (method === 'setWebhook') return checkWebhook(params);
    return null;
}
