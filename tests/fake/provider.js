// A model provider that the test controls, in OpenAI's and Anthropic's protocol. Nothing is sent until the test (or a
// scripted behaviour) sends it, so no test needs to sleep.
//
//     const provider = await startProvider();
//     provider.next(answers('Hello'));             // the next request is answered by itself
//     provider.always(fails(500));                 // so is every one without a turn of its own
//     const call = await provider.call();          // the next request that nothing was scripted for, held
//     await call.start(); await call.text('Hel');  // each piece leaves when the test says so
//     await call.end();   await call.gone;         // resolves when the client has left before the end
//
// `next` and `always` take a filter last: provider.always(answers('A title'), (call) => call.prompt.includes('title')).
import http from 'node:http';
import { once } from 'node:events';

import { AS_REAL_SERVERS, WAIT_MS } from '../lib/wait.js';
import { noteBody } from './bodies.js';

const ASIDE = /\n\n<context>\n.*<\/context>$/s;

/** One request of the client and the answer to it. */
class Call {
    #response;
    started = false;

    constructor(request, response, body) {
        this.#response = response;
        this.method = request.method;
        this.path = request.url;
        this.headers = request.headers;
        this.raw = body;
        try {
            this.body = JSON.parse(body.toString('utf8'));
        } catch {
            this.body = null;
        }
        this.protocol = request.url.endsWith('/messages') ? 'anthropic' : 'openai';
        this.left = false;
        /** Resolves when the client closes the connection before our end. Never rejects. */
        this.gone = new Promise((resolve) => {
            response.on('close', () => {
                if (!response.writableFinished) {
                    this.left = true;
                    resolve();
                }
            });
        });
    }

    /** All text that the client sent, in one string. */
    get prompt() {
        return JSON.stringify(this.body?.messages ?? []) + JSON.stringify(this.body?.system ?? '');
    }
    #lastOfUser() {
        const content = this.body?.messages?.filter((m) => m.role === 'user').at(-1)?.content;
        return Array.isArray(content) ? content.flatMap((part) => part.text ?? []).join('\n\n') : (content ?? '');
    }
    /** The text of the last message of role user, without the data after it. */
    get userText() {
        return this.#lastOfUser().replace(ASIDE, '');
    }
    /** True when the newest question is this one, alone or after earlier ones without an answer. */
    asks(text) {
        return this.userText === text || this.userText.endsWith(`\n\n${text}`);
    }
    /** The data that Alfred appends for this request only. */
    get aside() {
        return ASIDE.exec(this.#lastOfUser())?.[0] ?? '';
    }
    /** All text outside of the conversation: the system's text and that data. */
    get given() {
        const { messages = [], system = '' } = this.body ?? {};
        return [JSON.stringify(system), ...messages.filter((m) => m.role === 'system').map((m) => m.content), this.aside].join('\n');
    }
    get hasToolResult() {
        const last = this.body?.messages?.at(-1);
        return last?.role === 'tool' || (Array.isArray(last?.content) && last.content.some((p) => p.type === 'tool_result'));
    }

    /** Sends raw bytes; waits until the kernel took them. */
    write(bytes) {
        return new Promise((resolve, reject) => {
            this.#response.write(bytes, (error) => (error ? reject(error) : resolve()));
        });
    }
    head(status, headers = {}) {
        this.started = true;
        this.#response.writeHead(status, headers);
        this.#response.flushHeaders();
    }
    #event(data, event) {
        return this.write(`${event ? `event: ${event}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
    }
    #chunk(delta, finish = null) {
        return this.#event({
            id: 'chatcmpl-test',
            object: 'chat.completion.chunk',
            created: 1700000000,
            model: this.body?.model ?? 'test',
            choices: [{ index: 0, delta, finish_reason: finish }],
        });
    }

    /** Headers and the events before the first text. */
    async start() {
        this.head(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
        if (this.protocol === 'openai') return this.#chunk({ role: 'assistant', content: '' });
        const message = { id: 'msg_test', type: 'message', role: 'assistant', model: this.body?.model, content: [], usage: { input_tokens: 7, output_tokens: 1 } };
        await this.#event({ type: 'message_start', message }, 'message_start');
        await this.#event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }, 'content_block_start');
    }
    /** One piece of the answer's text. */
    text(text) {
        if (this.protocol === 'openai') return this.#chunk({ content: text });
        return this.#event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }, 'content_block_delta');
    }
    /** A whole tool call; end('tool_calls') follows. */
    async toolCall(name, args, id = 'call_1') {
        const json = JSON.stringify(args);
        if (this.protocol === 'openai') {
            await this.#chunk({ tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: '' } }] });
            return this.#chunk({ tool_calls: [{ index: 0, function: { arguments: json } }] });
        }
        await this.#event({ type: 'content_block_stop', index: 0 }, 'content_block_stop');
        await this.#event({ type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id, name, input: {} } }, 'content_block_start');
        return this.#event({ type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: json } }, 'content_block_delta');
    }
    /** Several calls in one answer, [{id, name, args}] with `args` as raw text, also invalid JSON. OpenAI's protocol only. */
    toolCalls(list) {
        return this.#chunk({ tool_calls: list.map(({ id, name, args }, index) => ({ index, id, type: 'function', function: { name, arguments: args } })) });
    }
    /** The regular end: reason 'stop', 'length', 'tool_calls', or one in the protocol's own words. */
    async end(reason = 'stop') {
        if (this.protocol === 'openai') {
            await this.#chunk({}, reason);
            if (this.body?.stream_options?.include_usage) {
                await this.#event({ id: 'chatcmpl-test', object: 'chat.completion.chunk', choices: [], usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 } });
            }
            await this.#event('[DONE]');
        } else {
            const stop = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use' }[reason] ?? reason;
            await this.#event({ type: 'content_block_stop', index: reason === 'tool_calls' ? 1 : 0 }, 'content_block_stop');
            await this.#event({ type: 'message_delta', delta: { stop_reason: stop }, usage: { output_tokens: 5 } }, 'message_delta');
            await this.#event({ type: 'message_stop' }, 'message_stop');
        }
        return this.close();
    }
    /** Ends the HTTP answer properly, without the protocol's end. */
    close() {
        return new Promise((resolve) => this.#response.end(resolve));
    }
    /** Closes the connection in the middle of the answer. */
    breakOff() {
        this.#response.destroy();
    }
    /** A whole answer of JSON text. */
    json(text) {
        this.head(200, { 'content-type': 'application/json' });
        return new Promise((resolve) => this.#response.end(text, resolve));
    }
    /** Bytes in place of the HTTP answer, head and all. */
    bytes(bytes) {
        this.started = true;
        return new Promise((resolve, reject) => {
            const { socket } = this.#response;
            if (!socket || socket.destroyed) reject(Object.assign(new Error('the client left'), { code: 'EPIPE' }));
            else socket.write(bytes, (error) => (error ? reject(error) : resolve()));
        });
    }
    /** Any JSON with any status. */
    refuse(status, body) {
        this.head(status, { 'content-type': 'application/json' });
        return new Promise((resolve) => this.#response.end(JSON.stringify(body), resolve));
    }
    /** An error in the provider's own form. */
    fail(status, { retryAfter, message = `scripted ${status}`, type = 'test_error' } = {}) {
        const headers = { 'content-type': 'application/json' };
        if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter);
        this.head(status, headers);
        const error = { message, type, code: null };
        this.#response.end(JSON.stringify(this.protocol === 'openai' ? { error } : { type: 'error', error }));
    }
}

// Behaviours: scripted answers to a call.

/** The whole text, in pieces of `size` characters. */
export const answers = (text, size = 8) => async (call) => {
    await call.start();
    for (let i = 0; i < text.length; i += size) await call.text(text.slice(i, i + size));
    await call.end();
};
/** A tool call, and the text when the result has come. */
export const callsTool = (name, args, text) => async (call) => {
    if (call.hasToolResult) return answers(text)(call);
    await call.start();
    await call.toolCall(name, args);
    await call.end('tool_calls');
};
export const fails = (status, options) => async (call) => call.fail(status, options);
/** Accepts the request and sends nothing. */
export const hangs = () => async () => {};
/** Sends headers and some text, then nothing. */
export const hangsAfter = (text) => async (call) => {
    await call.start();
    if (text) await call.text(text);
};
/** Closes the connection after some text. */
export const breaksOffAfter = (text) => async (call) => {
    await call.start();
    if (text) await call.text(text);
    call.breakOff();
};
/** Ends the HTTP answer after some text, without the protocol's end. */
export const endsEarlyAfter = (text) => async (call) => {
    await call.start();
    if (text) await call.text(text);
    await call.close();
};
/** Status 200 and an event stream of invalid chunks. */
export const garbage = (bytes = 'data: {"choices":[{]\n\ndata: \xff\xfe\n\nHTTP/1.1 what\n\n') => async (call) => {
    call.head(200, { 'content-type': 'text/event-stream' });
    await call.write(Buffer.from(bytes, 'latin1'));
    await call.close();
};
/** Status 200 and an HTML page, as from a captive portal or a wrong URL. */
export const answersHtml = () => async (call) => {
    call.head(200, { 'content-type': 'text/html' });
    await call.write('<!doctype html><title>Sign in to the hotel network</title>');
    await call.close();
};
/** One line of this many bytes, after some text. */
export const longLine = (bytes = 10 * 1024 * 1024, text = '') => async (call) => {
    await call.start();
    if (text) await call.text(text);
    await call.write('data: "');
    const block = Buffer.alloc(64 * 1024, 'x');
    for (let sent = 0; sent < bytes && !call.left; sent += block.length) await Promise.race([call.write(block), call.gone]);
    if (!call.left) await call.close();
};

/** Header lines without end. */
export const endlessHeaders = () => async (call) => {
    await call.bytes('HTTP/1.1 200 OK\r\n');
    const lines = 'X-More: and more of the same\r\n'.repeat(100);
    while (!call.left) await Promise.race([call.bytes(lines), call.gone]);
};

export async function startProvider() {
    const once_ = [];
    const always = [];
    const held = [];
    const waiting = [];
    const calls = [];
    const failures = [];
    let list = null;

    const server = http.createServer(AS_REAL_SERVERS, async (request, response) => {
        if (request.method === 'GET') {
            if (list) {
                list(new Call(request, response, Buffer.alloc(0))).catch(() => {}); // the client may leave in the middle
                return;
            }
            if (!/\/models(\?|$)/.test(request.url)) {
                response.writeHead(404);
                response.end();
                return;
            }
            response.setHeader('content-type', 'application/json');
            response.end(JSON.stringify({ object: 'list', data: [{ id: 'test-model', object: 'model' }] }));
            return;
        }
        const chunks = [];
        try {
            for await (const chunk of request) chunks.push(chunk);
        } catch {
            return; // the client left during its request
        }
        const call = new Call(request, response, Buffer.concat(chunks));
        calls.push(call);
        noteBody(request.url, call.body);
        const i = once_.findIndex((rule) => rule.filter(call));
        const rule = i >= 0 ? once_.splice(i, 1)[0] : always.findLast((r) => r.filter(call));
        if (rule) {
            // Writing to a client that has left fails, which some tests want; the error may come before the event.
            rule.behave(call).catch((error) => call.left || ['ECONNRESET', 'EPIPE', 'ECANCELED', 'ERR_STREAM_DESTROYED'].includes(error.code) || failures.push(error));
            return;
        }
        const w = waiting.findIndex((one) => one.filter(call));
        if (w >= 0) waiting.splice(w, 1)[0].resolve(call);
        else held.push(call);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address();
    const url = `http://127.0.0.1:${port}`;
    const close = () => {
        server.closeAllConnections();
        return new Promise((resolve) => server.close(resolve));
    };
    const any = () => true;

    return {
        url,
        env: { OPENAI_API_KEY: 'sk-test-openai', OPENAI_BASE_URL: `${url}/v1` },
        anthropicEnv: { ANTHROPIC_API_KEY: 'sk-ant-test', ANTHROPIC_BASE_URL: url },
        /** All requests so far, in order of arrival. @type {Call[]} */
        calls,
        next(behave, filter = any) {
            once_.push({ behave, filter });
            return this;
        },
        /** Sets the answer to requests for the list of models. */
        lists(behave) {
            list = behave;
            return this;
        },
        always(behave, filter = any) {
            always.push({ behave, filter });
            return this;
        },
        /** The next request without a behaviour; waits for it. @returns {Promise<Call>} */
        call(filter = any, timeoutMs = WAIT_MS) {
            const i = held.findIndex(filter);
            if (i >= 0) return Promise.resolve(held.splice(i, 1)[0]);
            return new Promise((resolve, reject) => {
                const timer = setTimeout(() => {
                    waiting.splice(waiting.findIndex((one) => one.timer === timer), 1);
                    reject(new Error(`no request reached the provider within ${timeoutMs} ms`));
                }, timeoutMs);
                waiting.push({
                    filter,
                    timer,
                    resolve: (call) => {
                        clearTimeout(timer);
                        resolve(call);
                    },
                });
            });
        },
        /** Ends all calls and refuses connections until comesBack(). */
        goesAway: close,
        async comesBack() {
            server.listen(port, '127.0.0.1');
            await once(server, 'listening');
        },
        /** Ends all calls; throws the errors of behaviours. */
        async stop() {
            await close();
            if (failures.length > 0) throw failures[0];
        },
    };
}
