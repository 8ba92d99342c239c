// A server of Telegram's Bot API that the test controls. It is as strict as the documentation: botapi_methods.js knows the
// parameters, botapi_html.js reads the markup, and errors have the words of the real server.
//
//     const bot = await startBotApi();                        // bot.url is [telegram] api_url, bot.token the token
//     bot.webhookGoes({ [publicUrl]: alfred.baseUrl });       // where Alfred's public address is in this test
//     await bot.says({ chat: 42, text: 'Hello' });            // an update, delivered like the real server does
//     await bot.until((c) => c.method === 'sendMessage');     // the first call that fits, also of the past
//     bot.next('sendMessage', tooMany(3), (p) => p.chat_id === 42);   // scripted answers; always() for all
//     bot.texts(42);                                          // what the chat shows, edits included
//     await bot.stop();
//
// An id beyond 2^53 is a BigInt. `bot.complaints` lists what the real server ignores in silence, and a test does not want.
import http from 'node:http';
import { once } from 'node:events';

import { noteBody } from '../fake/bodies.js';
import { BotFiles } from './botapi_files.js';
import { checkParams, methodName } from './botapi_methods.js';
import { ParseError, parseHtml } from './botapi_html.js';
import { BotUpdates, parseJson, toJson } from './botapi_updates.js';
import { AS_REAL_SERVERS, WAIT_MS } from './wait.js';

export const TOKEN = '123456789:AAExample-of_A_Token-for-tests_only';
const TEXT_MAX = 4096; // UTF-16 code units here; the server counts code points beyond the BMP as two as well
const ENTITIES_MAX = 100;
const BODY_MAX = 50 * 1024 * 1024;
const GENERAL = 1;
/** Of a group: messages, files and edits together (https://core.telegram.org/bots/faq; tdlib/td, issue 2592). */
const GROUP_RATE = { calls: 20, ms: 60_000, methods: new Set(['sendMessage', 'sendDocument', 'sendPhoto', 'editMessageText', 'editMessageReplyMarkup']) };


/* ---- scripted answers ---- */

const fail = (code, description, parameters) => ({ status: code, body: { ok: false, error_code: code, description, ...(parameters && { parameters }) } });
export const badRequest = (words) => fail(400, `Bad Request: ${words}`);
export const fails = (code, description = { 401: 'Unauthorized', 403: 'Forbidden: bot was blocked by the user', 404: 'Not Found', 500: 'Internal Server Error', 502: 'Bad Gateway' }[code] ?? 'Error') => fail(code, description);
export const tooMany = (seconds) => fail(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });
export const moved = (to) => fail(400, 'Bad Request: group chat was upgraded to a supergroup chat', { migrate_to_chat_id: to });
/** An answer that is not the Bot API's. */
export const garbage = (text = '<html>502 Bad Gateway</html>', status = 200, type = 'text/html') => ({ status, raw: text, type });
/** The request takes effect, and its answer never comes. */
export const delivered = () => ({ deliver: true, hang: true });
/** The request takes effect, and the connection breaks. */
export const deliveredThenBroken = () => ({ deliver: true, destroy: true });
/** Nothing happens, and no answer comes. */
export const hangs = () => ({ hang: true });
/** The connection breaks without an effect. */
export const breaks = () => ({ destroy: true });

class BotApi extends BotUpdates {
    #server;
    #sockets = new Set();
    #script = [];
    #rules = [];
    #waiters = new Set();
    #nextMessage = 1000;

    constructor({ token, name, without, readsGroups }) {
        super();
        this.token = token;
        this.id = Number(token.split(':')[0]);
        this.name = name;
        /** The owner has switched its privacy off at @BotFather. */
        this.readsGroups = readsGroups;
        /** Methods that this server does not have, as an older one. */
        this.without = new Set(without);
        this.calls = [];
        this.complaints = [];
        this.chats = new Map(); // by id as text: {id, type, messages: Map, threads: Set | null, blocked, moved, draft}
        this.commands = new Map(); // by scope and language
        this.files = new BotFiles();
    }

    async listen() {
        this.#server = http.createServer(AS_REAL_SERVERS, (request, response) => this.#serve(request, response).catch((error) => response.destroy(error)));
        this.#server.on('connection', (socket) => {
            this.#sockets.add(socket);
            socket.on('close', () => this.#sockets.delete(socket));
        });
        this.#server.listen(0, '127.0.0.1');
        await once(this.#server, 'listening');
        this.port = this.#server.address().port;
        this.url = `http://127.0.0.1:${this.port}`;
    }

    async stop() {
        this.stopDelivery();
        for (const socket of this.#sockets) socket.destroy();
        this.#server.close();
        await once(this.#server, 'close');
    }
    /** Refuses connections until up(), as a network that is down. */
    async down() {
        for (const socket of this.#sockets) socket.destroy();
        this.#server.close();
        await once(this.#server, 'close');
    }
    async up() {
        this.#server.listen(this.port, '127.0.0.1');
        await once(this.#server, 'listening');
    }

    /* ---- the test's side ---- */

    /** The next call of `method` that `fits` gets `answer`: one of the functions above. Several in a row pass one after the other. */
    next(method, answer, fits = () => true) {
        this.#script.push({ method, answer, fits });
    }
    /** So does every one, until forget(). */
    always(method, answer, fits = () => true) {
        this.#rules.push({ method, answer, fits });
    }
    forget() {
        this.#script = [];
        this.#rules = [];
    }
    /** The first call that fits, also a past one. */
    until(fits, limitMs = WAIT_MS) {
        const found = this.calls.find(fits);
        if (found) return Promise.resolve(found);
        return new Promise((resolve, reject) => {
            const timer = setTimeout(() => {
                this.#waiters.delete(look);
                reject(new Error(`waited ${limitMs} ms in vain for a call; there were ${this.calls.map((c) => c.method).join(', ') || 'none'}`));
            }, limitMs);
            const look = (call) => {
                if (!fits(call)) return;
                clearTimeout(timer);
                this.#waiters.delete(look);
                resolve(call);
            };
            this.#waiters.add(look);
        });
    }
    of(method) {
        return this.calls.filter((c) => c.method === method);
    }
    /** The chat's messages from the bot, as they are now. */
    shown(chat, thread) {
        return [...this.chatOf(chat).messages.values()].filter((m) => m.ours && (thread === undefined || m.thread === thread));
    }
    texts(chat, thread) {
        return this.shown(chat, thread).map((m) => m.text);
    }
    /** A chat that the bot may write to. `type` follows from the id; `forum`: with topics. */
    chatOf(id, { forum = false, type } = {}) {
        const key = String(id);
        if (!this.chats.has(key)) {
            const kind = type ?? (key.startsWith('-100') ? 'supergroup' : key.startsWith('-') ? 'group' : 'private');
            this.chats.set(key, { id, type: kind, forum, messages: new Map(), threads: new Set(), draft: null, blocked: false, moved: null });
        }
        return this.chats.get(key);
    }
    /** The user of a private chat blocks the bot, or it is removed from a group. */
    block(chat, is = true) {
        this.chatOf(chat).blocked = is;
    }
    /** Stores a message without an answer; updates need ids, too. */
    newMessage(chat, fields) {
        const message = { message_id: this.#nextMessage++, ...fields };
        this.chatOf(chat).messages.set(String(message.message_id), message);
        return message;
    }
    /** Removes a message, as a person can. */
    remove(chat, messageId) {
        this.chatOf(chat).messages.delete(String(messageId));
    }

    /* ---- the server's side ---- */

    async #body(request) {
        const chunks = [];
        let size = 0;
        for await (const chunk of request) {
            size += chunk.length;
            if (size > BODY_MAX) throw new Error('too long');
            chunks.push(chunk);
        }
        return Buffer.concat(chunks);
    }

    /** Parameters from the address, JSON, a form or multipart; throws SyntaxError. */
    async #params(request, url, raw) {
        const type = request.headers['content-type'] ?? '';
        const params = Object.fromEntries(url.searchParams);
        if (raw.length === 0) return params;
        if (type.startsWith('application/json')) return { ...params, ...parseJson(raw.toString('utf8')) };
        if (type.startsWith('application/x-www-form-urlencoded') || type.startsWith('multipart/form-data')) {
            const form = await new Response(raw, { headers: { 'content-type': type } }).formData();
            for (const [name, value] of form) {
                if (typeof value !== 'string') params[name] = await value.text();
                else params[name] = /^[[{]|^(true|false)$|^-?\d+$/.test(value) && name !== 'text' ? parseJson(value) : value;
            }
            return params;
        }
        throw new SyntaxError(`a body of type ${type}`);
    }

    async #serve(request, response) {
        const url = new URL(request.url, this.url);
        const raw = await this.#body(request);
        const [, isFile, token, name] = /^(\/file)?\/bot([^/]+)\/(.+)$/.exec(url.pathname) ?? [];
        const answer = (what) => this.#answer(response, what);
        if (!token || !/^\d+:[\w-]{10,}$/.test(token)) return answer(fail(404, 'Not Found'));
        if (isFile) return answer(this.#file(request, token, decodeURIComponent(name)));
        let params;
        try {
            params = await this.#params(request, url, raw);
        } catch {
            return answer(fail(400, "Bad Request: can't parse request"));
        }
        const method = methodName(name);
        const call = { method: method ?? name, params, chat: params.chat_id, raw, at: performance.now(), headers: request.headers };
        this.calls.push(call);
        response.on('close', () => (call.left = !response.writableFinished));
        const done = (what) => {
            call.answer = what.body ?? what;
            answer(what);
            this.#tell(call);
        };
        if (method && (request.headers['content-type'] ?? '').startsWith('application/json')) noteBody(`/bot/${method}`, params);
        if (method === 'getUpdates') this.#tell(call); // it may wait for long
        if (token !== this.token) return done(fail(401, 'Unauthorized'));
        if (!method || this.without.has(method)) return done(fail(404, 'Not Found'));
        const scripted = this.#scripted(method, params);
        if (scripted && !scripted.deliver) return done(scripted);
        const wrong = checkParams(method, params);
        if (wrong?.includes('unknown parameter')) this.complaints.push(`${method}: ${wrong}`);
        const result = wrong ? fail(400, wrong) : await this.#run(method, params, response);
        return done(scripted ?? (result.status ? result : { status: 200, body: { ok: true, result: result.result } }));
    }

    /** A file at its address: a call of the method "file" for until(), next() and always(). */
    #file(request, token, path) {
        const call = { method: 'file', params: { path }, at: performance.now(), headers: request.headers };
        this.calls.push(call);
        if (request.method !== 'GET') this.complaints.push(`${request.method} of a file`);
        const what = token === this.token ? (this.#scripted('file', call.params) ?? this.files.at(path)) : fail(401, 'Unauthorized');
        this.#tell(call);
        return what;
    }

    #scripted(method, params) {
        const at = this.#script.findIndex((s) => s.method === method && s.fits(params));
        return at >= 0 ? this.#script.splice(at, 1)[0].answer : this.#rules.find((r) => r.method === method && r.fits(params))?.answer;
    }

    #tell(call) {
        for (const look of [...this.#waiters]) look(call);
    }

    #answer(response, what) {
        if (what.hang || response.destroyed) return;
        if (what.destroy) {
            response.destroy();
            return;
        }
        response.writeHead(what.status, { 'content-type': what.type ?? 'application/json', connection: 'keep-alive' });
        response.end(what.raw ?? toJson(what.body));
    }

    /** {result} or a failure. */
    async #run(method, params, response) {
        switch (method) {
            case 'getMe':
                return { result: { id: this.id, is_bot: true, first_name: 'Alfred', username: this.name, can_join_groups: true, can_read_all_group_messages: this.readsGroups, supports_inline_queries: false, has_topics_enabled: false } };
            case 'setMyCommands':
                this.commands.set(this.#commandsKey(params), params.commands);
                return { result: true };
            case 'getMyCommands':
                return { result: this.commands.get(this.#commandsKey(params)) ?? [] };
            case 'deleteMyCommands':
                this.commands.delete(this.#commandsKey(params));
                return { result: true };
            case 'getFile':
                return this.files.get(params);
            case 'answerCallbackQuery': {
                const known = this.presses.get(params.callback_query_id);
                if (!known || known.answered !== undefined) return fail(400, 'Bad Request: query is too old and response timeout expired or query ID is invalid');
                known.answered = params.text ?? '';
                return { result: true };
            }
            case 'setWebhook':
            case 'deleteWebhook':
            case 'getWebhookInfo':
            case 'getUpdates':
                return this.runUpdates(method, params, response, fail);
            case 'logOut':
            case 'close':
                return { result: true };
            default:
                return this.#runInChat(method, params);
        }
    }
    #commandsKey({ scope, language_code = '' }) {
        return `${scope?.type ?? 'default'} ${language_code}`;
    }

    #runInChat(method, params) {
        const chat = this.chats.get(String(params.chat_id));
        if (!chat) return fail(400, 'Bad Request: chat not found');
        if (chat.moved) return moved(chat.moved);
        if (chat.blocked) return fail(403, chat.type === 'private' ? 'Forbidden: bot was blocked by the user' : `Forbidden: bot was kicked from the ${chat.type} chat`);
        const thread = params.message_thread_id;
        if (thread !== undefined && !this.#threadExists(chat, thread, method)) return fail(400, 'Bad Request: message thread not found');
        const wait = GROUP_RATE.methods.has(method) && chat.type !== 'private' ? this.#overRate(chat) : 0;
        if (wait) {
            this.complaints.push(`${method}: more than ${GROUP_RATE.calls} in a minute in group ${chat.id}`);
            return tooMany(wait);
        }
        switch (method) {
            case 'sendMessage':
                return this.#send(chat, params);
            case 'editMessageText':
            case 'editMessageReplyMarkup':
                return this.#edit(chat, method, params);
            case 'sendMessageDraft': {
                if (chat.type !== 'private') return fail(400, 'Bad Request: TEXTDRAFT_PEER_INVALID');
                if (Number(params.draft_id) === 0) return fail(400, 'Bad Request: RANDOM_ID_INVALID');
                const text = this.#text(method, params);
                if (text.status) return text;
                chat.draft = { draft_id: params.draft_id, can_stop: params.can_stop, ...text };
                return { result: true };
            }
            case 'sendDocument':
                return { result: this.#message(chat, this.newMessage(chat.id, { ours: true, thread, document: params.document, text: params.caption ?? '', entities: [] })) };
            case 'sendPhoto':
                if (!/^\x89PNG|^.PNG|JFIF|WEBP/s.test(params.photo)) return fail(400, 'Bad Request: IMAGE_PROCESS_FAILED');
                return { result: this.#message(chat, this.newMessage(chat.id, { ours: true, thread, photo: params.photo, text: params.caption ?? '', entities: [] })) };
            case 'sendChatAction':
                return { result: true };
            case 'deleteMessage':
                return chat.messages.delete(String(params.message_id)) ? { result: true } : fail(400, 'Bad Request: message to delete not found');
            default:
                return fail(404, 'Not Found');
        }
    }
    /** Counts the call; the seconds to wait when the group has had too many within a minute. */
    #overRate(chat) {
        const now = performance.now();
        chat.taken = (chat.taken ?? []).filter((at) => at > now - GROUP_RATE.ms);
        if (chat.taken.length >= GROUP_RATE.calls) return Math.ceil((chat.taken[0] + GROUP_RATE.ms - now) / 1000);
        chat.taken.push(now);
        return 0;
    }
    /** Messages to General have no thread: the real server answers "message thread not found". Actions need it. */
    #threadExists(chat, thread, method) {
        if (Number(thread) === GENERAL) return chat.forum && method === 'sendChatAction';
        return chat.threads.has(String(thread));
    }

    /** {text, entities} after the entities were parsed, or a failure. */
    #text(method, params) {
        let parsed = { text: params.text ?? '', entities: [] };
        if (params.parse_mode === 'HTML') {
            try {
                parsed = parseHtml(parsed.text);
            } catch (error) {
                if (!(error instanceof ParseError)) throw error;
                return fail(400, `Bad Request: can't parse entities: ${error.message}`);
            }
        }
        if (parsed.text.length > TEXT_MAX) return fail(400, 'Bad Request: message is too long');
        if (parsed.text.trim() === '' && method !== 'sendMessageDraft') return fail(400, 'Bad Request: message text is empty');
        if (parsed.entities.length > ENTITIES_MAX) this.complaints.push(`${method}: ${parsed.entities.length} entities, ${ENTITIES_MAX} are shown`);
        if (/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(parsed.text)) return fail(400, 'Bad Request: strings must be encoded in UTF-8');
        return parsed;
    }

    #message(chat, m) {
        return {
            message_id: m.message_id,
            from: { id: this.id, is_bot: true, first_name: 'Alfred', username: this.name },
            chat: { id: chat.id, type: chat.type, ...(chat.forum && { is_forum: true }) },
            date: Math.floor(Date.now() / 1000),
            ...(m.thread !== undefined && { message_thread_id: m.thread, is_topic_message: true }),
            text: m.text,
            ...(m.entities?.length && { entities: m.entities }),
            ...(m.reply_markup && { reply_markup: m.reply_markup }),
        };
    }

    #send(chat, params) {
        const text = this.#text('sendMessage', params);
        if (text.status) return text;
        const reply = params.reply_parameters;
        if (reply && !reply.allow_sending_without_reply && !chat.messages.has(String(reply.message_id))) return fail(400, 'Bad Request: message to be replied not found');
        const message = this.newMessage(chat.id, { ours: true, thread: params.message_thread_id, ...text, markup: params.text, reply_to: reply?.message_id, reply_markup: params.reply_markup, silent: params.disable_notification === true });
        chat.draft = null;
        return { result: this.#message(chat, message) };
    }

    #edit(chat, method, params) {
        const message = chat.messages.get(String(params.message_id));
        if (!message) return fail(400, 'Bad Request: message to edit not found');
        if (!message.ours) return fail(400, "Bad Request: message can't be edited");
        const text = method === 'editMessageText' ? this.#text(method, params) : { text: message.text, entities: message.entities };
        if (text.status) return text;
        const same = (a, b) => toJson(a ?? null) === toJson(b ?? null);
        if (text.text === message.text && same(text.entities, message.entities) && same(params.reply_markup, message.reply_markup))
            return fail(400, 'Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message');
        Object.assign(message, text, { reply_markup: params.reply_markup, markup: params.text, edits: (message.edits ?? 0) + 1 });
        return { result: this.#message(chat, message) };
    }
}

/** Starts the server. `without`: methods that an older one lacks. `refuses`: a method that answers 401 until forget(). With `t`: stopped after the test. */
export async function startBotApi({ t, token = TOKEN, name = 'alfred_test_bot', without = [], readsGroups = false, refuses } = {}) {
    const bot = new BotApi({ token, name, without, readsGroups });
    if (refuses) bot.always(refuses, fails(401));
    await bot.listen();
    t?.after(() => bot.stop());
    return bot;
}
