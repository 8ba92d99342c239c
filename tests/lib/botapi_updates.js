// The receiving half of botapi.js: updates, the webhook that gets them, and getUpdates.
import http from 'node:http';
import https from 'node:https';

const RETRY_MS = { first: 10, most: 500 }; // the real server waits longer
const REQUEST_MS = 30_000;
const LIMIT = 100; // updates of one getUpdates
const CONFLICT = 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running';
const HAS_WEBHOOK = "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";

/** Numbers beyond 2^53 become BigInt. */
export const parseJson = (text) => JSON.parse(text, (_key, value, { source }) => (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(source) : value));
export const toJson = (value) => JSON.stringify(value, (_key, v) => (typeof v === 'bigint' ? JSON.rawJSON(String(v)) : v));

const kindOf = (update) => Object.keys(update).find((key) => key !== 'update_id');

/**
 * The queue of an update: the real server sends the next update of a queue to the webhook when the last one was taken.
 * Messages of a chat and their edits have one, each other kind has its own (tdlib/telegram-bot-api, WebhookActor.cpp and
 * the calls of add_update() in Client.cpp).
 */
function queueOf(update) {
    const message = update.message ?? update.edited_message;
    return message?.chat ? `chat ${message.chat.id}` : `${kindOf(update)} ${update[kindOf(update)]?.from?.id}`;
}

/** Entities of commands and mentions, as the real server finds them. */
export function entitiesOf(text) {
    const found = [];
    for (const m of text.matchAll(/(?<![\w/])\/[a-zA-Z0-9_]{1,64}(?:@[a-zA-Z0-9_]{3,32})?/g)) found.push({ type: 'bot_command', offset: m.index, length: m[0].length });
    for (const m of text.matchAll(/(?<![\w@/])@[a-zA-Z0-9_]{4,32}/g)) found.push({ type: 'mention', offset: m.index, length: m[0].length });
    return found.sort((a, b) => a.offset - b.offset);
}

/**
 * Entities of words that the person has formatted: {words, type, ...fields} at the first place of the words, for example
 * {words: 'here', type: 'text_link', url} or {words: 'x = 1', type: 'pre', language}. Offsets count UTF-16 units, as in
 * strings of JavaScript.
 */
export function marksOf(text, marks) {
    return marks.map(({ words, type, ...fields }) => {
        const offset = text.indexOf(words);
        if (offset < 0) throw new Error(`“${words}” is not in “${text}”`);
        return { type, offset, length: words.length, ...fields };
    });
}

/** A MessageOrigin: a name is that of a person who hides the account. */
const originOf = (origin) => ({ date: 1, ...(typeof origin === 'string' ? { type: 'hidden_user', sender_user_name: origin } : origin) });

export class BotUpdates {
    #nextUpdate = 100_000;
    #nextPress = 1;
    #poll = null; // {finish}: the one getUpdates that waits
    #timers = new Set();
    #requests = new Set();
    #stopped = false;
    #goes = {};

    constructor() {
        this.presses = new Map(); // by id of the query: {answered}
        this.webhook = { url: '' };
        this.pending = []; // {id, queue, raw, resolve, tries, busy}
        /** Every attempt of the webhook: {update_id, status}; status 0: no answer. */
        this.deliveries = [];
    }

    /** {public origin: origin in this test}: where requests to the webhook go. */
    webhookGoes(map) {
        this.#goes = map;
        this.#deliver();
    }

    stopDelivery() {
        this.#stopped = true;
        for (const timer of this.#timers) clearTimeout(timer);
        for (const request of this.#requests) request.destroy();
        this.#poll?.finish();
    }

    /* ---- updates ---- */

    #person(id, { name = `Person ${id}`, language = 'en' } = {}) {
        return { id, is_bot: false, first_name: name, language_code: language };
    }
    /** The sender of a message in the name of its group, or of a channel: a bot of Telegram, for clients that know no sender_chat. */
    #unnamed(chat, as) {
        const from = as === chat ? { id: 1_087_968_824, is_bot: true, first_name: 'Group', username: 'GroupAnonymousBot' } : { id: 136_817_688, is_bot: true, first_name: 'Channel', username: 'Channel_Bot' };
        return { from, sender_chat: as === chat ? this.#chat(chat) : { id: as, type: 'channel', title: `Channel ${as}` } };
    }
    /** Commands and mentions inside of formatted text are hidden by it. */
    #entities(text, marks) {
        const made = marksOf(text, marks);
        const free = entitiesOf(text).filter((e) => !made.some((m) => e.offset >= m.offset && e.offset < m.offset + m.length));
        const entities = [...made, ...free].sort((a, b) => a.offset - b.offset);
        return entities.length ? { entities } : {};
    }
    #chat(chat) {
        const c = this.chatOf(chat);
        return c.type === 'private' ? { id: chat, type: 'private', first_name: `Person ${chat}` } : { id: chat, type: c.type, title: `Group ${chat}`, ...(c.forum && { is_forum: true }) };
    }
    /**
     * The message of a person. `marks`: see marksOf(). `rich`: blocks of a rich message, which has no text.
     * `forwarded`: the author's name, or a MessageOrigin. `inTheNameOf`: id of the group or channel as which the person
     * writes. `more` replaces or adds fields of the Bot API.
     */
    message({ chat, from = chat, name, language, text, marks = [], rich, forwarded, thread, replyTo, inTheNameOf, more = {} }) {
        if (thread !== undefined) this.chatOf(chat).threads.add(String(thread));
        const stored = this.newMessage(chat, { text, ours: false, from, photo: more.photo, document: more.document, caption: more.caption });
        const answered = replyTo === undefined ? undefined : this.chatOf(chat).messages.get(String(replyTo));
        return {
            message_id: stored.message_id,
            ...(inTheNameOf === undefined ? { from: this.#person(from, { name, language }) } : this.#unnamed(chat, inTheNameOf)),
            chat: this.#chat(chat),
            date: Math.floor(Date.now() / 1000),
            ...(thread !== undefined && { message_thread_id: thread, is_topic_message: true }),
            ...(answered && {
                reply_to_message: {
                    message_id: replyTo,
                    from: answered.ours ? { id: this.id, is_bot: true, first_name: 'Alfred', username: this.name } : this.#person(answered.from),
                    chat: this.#chat(chat),
                    date: 1,
                    text: answered.text,
                    caption: answered.caption,
                    photo: answered.photo,
                    document: answered.ours ? undefined : answered.document,
                },
            }),
            ...(text !== undefined && { text, ...this.#entities(text, marks) }),
            ...(rich && { rich_message: { blocks: rich } }),
            ...(forwarded && { forward_origin: originOf(forwarded) }),
            ...more,
        };
    }
    /** Delivers {message}. Resolves with the message when the bot has taken the update (2xx, or a later offset). */
    async says(what) {
        const message = this.message(what);
        await this.push({ message });
        return message;
    }
    /** Changes the text of a message, or its caption. */
    async edits(message, text) {
        const entities = entitiesOf(text);
        const words = message.text === undefined ? { caption: text, caption_entities: entities } : { text, entities };
        await this.push({ edited_message: { ...message, edit_date: Math.floor(Date.now() / 1000), ...words } });
    }
    /** Sends photos or documents as one album: an update for each, and only the first one has the caption. */
    async album({ chat, photos = [], documents = [], caption, ...what }) {
        const media_group_id = String(this.#nextUpdate);
        const contents = [...photos.map((photo) => ({ photo })), ...documents.map((document) => ({ document }))];
        const messages = contents.map((content, i) => this.message({ chat, ...what, more: { media_group_id, ...content, ...(i === 0 && caption && { caption }) } }));
        await Promise.all(messages.map((message) => this.push({ message })));
        return messages;
    }
    /** Presses a button of a message of the bot; resolves with the id of the query. */
    async pressed(message, data, from, more = {}) {
        const id = `${this.#nextPress++}00000000000000001`;
        this.presses.set(id, { answered: undefined });
        const chat = [...this.chats.values()].find((c) => c.messages.has(String(message.message_id)))?.id ?? from;
        await this.push({ callback_query: { id, from: this.#person(from), message: { message_id: message.message_id, chat: this.#chat(chat), date: 1, from: { id: this.id, is_bot: true, first_name: 'Alfred', username: this.name }, text: message.text }, chat_instance: '1', data, ...more } });
        return id;
    }
    /** Presses the button with this label, in the newest message of the chat that has it. */
    press(chat, label, from = chat) {
        const message = this.shown(chat).findLast((m) => m.reply_markup?.inline_keyboard.flat().some((b) => b.text === label));
        if (!message) throw new Error(`no button ${label} in chat ${chat}`);
        const button = message.reply_markup.inline_keyboard.flat().find((b) => b.text === label);
        return this.pressed(message, button.callback_data, from);
    }
    /** Presses Stop at the draft that a private chat shows. */
    async stopsDraft(chat) {
        const draft = this.chatOf(chat).draft;
        if (!draft?.can_stop) throw new Error(`no draft with a Stop button in chat ${chat}`);
        await this.push({ stopped_message_generation: { chat: this.#chat(chat), draft_id: Number(draft.draft_id) } });
    }
    /** The bot's own membership: 'kicked' for a block or removal, 'member' for the reverse. */
    async member(chat, status, from = chat) {
        this.block(chat, status === 'kicked' || status === 'left');
        const user = { id: this.id, is_bot: true, first_name: 'Alfred', username: this.name };
        const old = status === 'kicked' || status === 'left' ? 'member' : 'kicked';
        await this.push({ my_chat_member: { chat: this.#chat(chat), from: this.#person(from), date: 1, old_chat_member: { user, status: old }, new_chat_member: { user, status, ...(status === 'kicked' && { until_date: 0 }) } } });
    }
    /** A group becomes a supergroup: both service messages, and calls with the old id are refused. */
    async migrates(chat, to) {
        const old = this.chatOf(chat);
        this.chatOf(to).messages = new Map(old.messages);
        old.moved = to;
        await this.push({ message: this.message({ chat, from: 1, more: { migrate_to_chat_id: to } }) });
        await this.push({ message: this.message({ chat: to, from: 1, more: { migrate_from_chat_id: chat } }) });
    }
    /** Delivers any update; it gets an update_id unless it has one. */
    push(update) {
        return this.raw(toJson({ update_id: update.update_id ?? this.#nextUpdate++, ...update }), update);
    }
    /** Delivers a body as it is. */
    raw(text, update = JSON.parse(text)) {
        const id = /"update_id":(-?\d+)/.exec(text)?.[1];
        const allowed = this.webhook.allowed_updates ?? this.allowed;
        if (allowed?.length && !allowed.includes(kindOf(update))) return Promise.resolve(false);
        return new Promise((resolve) => {
            this.pending.push({ id, queue: queueOf(update), raw: text, resolve, tries: 0, busy: false });
            this.#deliver();
            this.#poll?.look();
        });
    }

    /* ---- the webhook ---- */

    #deliver() {
        if (this.#stopped || !this.webhook.url) return;
        const first = new Map(); // of each queue
        for (const p of this.pending) if (!first.has(p.queue)) first.set(p.queue, p);
        const running = this.pending.filter((p) => p.busy).length;
        for (const p of [...first.values()].filter((x) => !x.busy).slice(0, (this.webhook.max_connections ?? 40) - running)) {
            p.busy = true;
            this.#attempt(p);
        }
    }

    #attempt(p) {
        const url = new URL(this.webhook.url);
        const origin = this.#goes[url.origin];
        const target = new URL(url.pathname, origin ?? url.origin);
        const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(p.raw), ...(origin && { host: url.host }) };
        if (this.webhook.secret_token) headers['x-telegram-bot-api-secret-token'] = this.webhook.secret_token;
        const { request: start } = target.protocol === 'https:' ? https : http;
        const request = start(target, { method: 'POST', headers, agent: false, timeout: REQUEST_MS, rejectUnauthorized: false }, (response) => {
            response.resume();
            response.on('end', () => ended(response.statusCode));
        });
        let over = false;
        const ended = (status) => {
            if (over) return;
            over = true;
            this.#requests.delete(request);
            this.deliveries.push({ update_id: p.id, status });
            if (this.#stopped) return;
            if (status >= 200 && status < 300) {
                this.pending = this.pending.filter((x) => x !== p);
                p.resolve(true);
                this.#deliver();
                return;
            }
            this.lastError = { last_error_date: Math.floor(Date.now() / 1000), last_error_message: status ? `Wrong response from the webhook: ${status} ${http.STATUS_CODES[status] ?? ''}`.trim() : 'Connection refused' };
            const timer = setTimeout(() => {
                this.#timers.delete(timer);
                p.busy = false;
                this.#deliver();
            }, Math.min(RETRY_MS.first * 2 ** p.tries++, RETRY_MS.most));
            this.#timers.add(timer);
        };
        request.on('timeout', () => request.destroy());
        request.on('error', () => ended(0));
        this.#requests.add(request);
        request.end(p.raw);
    }

    /* ---- methods ---- */

    async runUpdates(method, params, response, fail) {
        switch (method) {
            case 'setWebhook': {
                const was = this.webhook.url;
                if (params.drop_pending_updates) this.pending = [];
                this.webhook = { ...params };
                this.lastError = undefined;
                if (params.url) this.#poll?.conflict();
                this.#deliver();
                return { result: true, description: params.url === was ? 'Webhook is already set' : params.url ? 'Webhook was set' : 'Webhook was deleted' };
            }
            case 'deleteWebhook':
                if (params.drop_pending_updates) this.pending = [];
                this.webhook = { url: '' };
                this.lastError = undefined;
                return { result: true };
            case 'getWebhookInfo':
                return {
                    result: {
                        url: this.webhook.url,
                        has_custom_certificate: Boolean(this.webhook.certificate),
                        pending_update_count: this.pending.length,
                        ...(this.webhook.url && { max_connections: this.webhook.max_connections ?? 40, ip_address: '192.0.2.1' }),
                        ...this.lastError,
                        ...(this.webhook.allowed_updates && { allowed_updates: this.webhook.allowed_updates }),
                    },
                };
            default:
                return this.#getUpdates(params, response, fail);
        }
    }

    async #getUpdates({ offset = 0, limit = LIMIT, timeout = 0, allowed_updates }, response, fail) {
        if (this.webhook.url) return fail(409, HAS_WEBHOOK);
        if (allowed_updates) this.allowed = allowed_updates;
        this.#poll?.conflict();
        if (offset) {
            for (const p of this.pending.filter((x) => Number(x.id) < Number(offset))) p.resolve(true);
            this.pending = this.pending.filter((x) => Number(x.id) >= Number(offset));
        }
        const take = () => ({ status: 200, raw: `{"ok":true,"result":[${this.pending.slice(0, Math.min(Number(limit), LIMIT)).map((p) => p.raw)}]}`, type: 'application/json' });
        if (this.pending.length || Number(timeout) === 0) return take();
        return new Promise((resolve) => {
            const finish = (result) => {
                clearTimeout(timer);
                this.#timers.delete(timer);
                if (this.#poll === poll) this.#poll = null;
                resolve(result);
            };
            const timer = setTimeout(() => finish({ result: [] }), Number(timeout) * 1000);
            this.#timers.add(timer);
            const poll = { look: () => finish(take()), conflict: () => finish(fail(409, CONFLICT)), finish: () => finish({ result: [] }) };
            this.#poll = poll;
            response.on('close', () => finish({ result: [] }));
        });
    }
}
