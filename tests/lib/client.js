// A browser-like HTTP client for tests. It accepts the self-signed certificate, keeps cookies, remembers the CSRF token
// of pages, and sends both with a browser's headers. Each header can be forged; null omits it.
import http from 'node:http';
import https from 'node:https';
import { createSecureContext } from 'node:tls';

import { EventStream } from './sse.js';

// Connections are kept for the next request, as a browser keeps them, and all have one TLS context: a new connection for
// each request took more than a quarter of the processor time of the http tests.
const connections = {
    'http:': new http.Agent({ keepAlive: true }),
    'https:': new https.Agent({ keepAlive: true, secureContext: createSecureContext(), rejectUnauthorized: false }),
};

/** An answer that was read completely. */
export class Answer {
    constructor(response, body) {
        this.status = response.statusCode;
        this.headers = response.headers;
        this.rawHeaders = response.rawHeaders;
        this.body = body;
    }
    get text() {
        return new TextDecoder('utf-8', { fatal: true }).decode(this.body);
    }
    get json() {
        return JSON.parse(this.text);
    }
    get location() {
        return this.headers.location ?? null;
    }
}

export class Client {
    cookies = new Map();
    csrf = '';

    /** @param {string} baseUrl @param {{headers?: Record<string, string|null>}} [options] headers for every request */
    constructor(baseUrl, options = {}) {
        this.base = new URL(baseUrl);
        this.headers = options.headers ?? {};
    }

    /**
     * Sends and gives back {request, response} when the head of the answer is there.
     * options: headers; body (string, Buffer, or a readable stream: chunked); form (object or pairs: urlencoded, the token is
     * added); json (the token goes into X-CSRF-Token); csrf: false leaves the token out, a string forges it; signal.
     */
    open(method, path, options = {}) {
        const url = new URL(path, this.base);
        const unsafe = !['GET', 'HEAD', 'OPTIONS'].includes(method);
        const token = options.csrf === false ? '' : (options.csrf ?? this.csrf);
        let body = options.body;
        const headers = { accept: 'text/html', 'user-agent': 'alfred-tests' };
        if (this.cookies.size > 0) headers.cookie = [...this.cookies].map(([k, v]) => `${k}=${v}`).join('; ');
        if (unsafe) {
            headers.origin = this.base.origin;
            headers['sec-fetch-site'] = 'same-origin';
        }
        if (options.form) {
            const fields = new URLSearchParams(options.form);
            if (token && !fields.has('csrf')) fields.set('csrf', token);
            body = fields.toString();
            headers['content-type'] = 'application/x-www-form-urlencoded';
        } else if (options.json !== undefined) {
            body = JSON.stringify(options.json);
            headers['content-type'] = 'application/json';
            headers.accept = 'application/json';
        }
        if (unsafe && !options.form && token) headers['x-csrf-token'] = token;
        const streamed = typeof body?.pipe === 'function';
        if ((unsafe || body !== undefined) && !streamed) headers['content-length'] = String(Buffer.byteLength(body ?? ''));
        for (const [name, value] of Object.entries({ ...this.headers, ...options.headers })) {
            if (value === null) delete headers[name.toLowerCase()];
            else headers[name.toLowerCase()] = value;
        }
        return new Promise((resolve, reject) => {
            const module = url.protocol === 'https:' ? https : http;
            const request = module.request(url, { method, headers, agent: connections[url.protocol], signal: options.signal });
            let answered = false;
            request.on('response', (response) => {
                answered = true;
                this.#takeCookies(response);
                resolve({ request, response });
            });
            request.on('error', (error) => {
                // A server that refuses a body may close while we write; a received answer counts.
                if (answered) return;
                // The kept connection ended while it was idle. A browser sends again, too.
                const stale = request.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(error.code);
                if (stale && !streamed) resolve(this.open(method, path, options));
                else reject(error);
            });
            if (streamed) body.pipe(request);
            else request.end(body);
        });
    }

    /** open(), then the whole body. @returns {Promise<Answer>} */
    async request(method, path, options = {}) {
        const { response } = await this.open(method, path, options);
        const chunks = [];
        for await (const chunk of response) chunks.push(chunk);
        const answer = new Answer(response, Buffer.concat(chunks));
        if (String(answer.headers['content-type']).startsWith('text/html')) this.#takeToken(answer);
        return answer;
    }

    get(path, options) {
        return this.request('GET', path, options);
    }
    /** The JSON of a GET; throws on any other status than 200. */
    async getJson(path, options = {}) {
        const answer = await this.get(path, { ...options, headers: { accept: 'application/json', ...options.headers } });
        if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${answer.text.slice(0, 300)}`);
        return answer.json;
    }
    /** Posts a form as a browser does, following no redirect. */
    post(path, form = {}, options = {}) {
        return this.request('POST', path, { ...options, form });
    }
    postJson(path, json, options = {}) {
        return this.request('POST', path, { ...options, json });
    }
    /** Posts a form and follows one redirect. */
    async postAndFollow(path, form, options) {
        const answer = await this.post(path, form, options);
        return answer.status === 303 || answer.status === 302 ? this.get(answer.location) : answer;
    }

    /** Opens an event stream; `lastEventId` is the header of a reconnecting browser. @returns {Promise<EventStream>} */
    async events(path, options = {}) {
        const headers = { accept: 'text/event-stream', 'cache-control': 'no-cache', ...options.headers };
        if (options.lastEventId) headers['last-event-id'] = options.lastEventId;
        const { request, response } = await this.open('GET', path, { ...options, headers });
        return new EventStream(request, response);
    }

    /** A second browser that is not signed in: same server, no cookies. */
    stranger() {
        return new Client(this.base.href, { headers: this.headers });
    }
    /** A second tab: a copy of the cookies. */
    clone() {
        const other = this.stranger();
        other.cookies = new Map(this.cookies);
        other.csrf = this.csrf;
        return other;
    }

    #takeCookies(response) {
        for (const line of response.headers['set-cookie'] ?? []) {
            const [pair, ...attributes] = line.split(';').map((s) => s.trim());
            const eq = pair.indexOf('=');
            const [name, value] = [pair.slice(0, eq), pair.slice(eq + 1)];
            if (value === '' || attributes.some((a) => /^max-age=0$/i.test(a))) this.cookies.delete(name);
            else this.cookies.set(name, value);
        }
    }

    #takeToken(answer) {
        const html = answer.body.toString('utf8');
        const field = html.match(/<input[^>]*name="csrf"[^>]*>/)?.[0].match(/value="([^"]+)"/);
        const meta = html.match(/<meta[^>]*name="csrf"[^>]*>/)?.[0].match(/content="([^"]+)"/);
        const token = field?.[1] ?? meta?.[1];
        if (token) this.csrf = token;
    }
}

/** Runs `make(i)` for i < n with at most `width` at once; results in order. */
export async function parallel(n, width, make) {
    const results = new Array(n);
    let next = 0;
    await Promise.all(
        Array.from({ length: Math.min(n, width) }, async () => {
            while (next < n) {
                const i = next++;
                results[i] = await make(i);
            }
        }),
    );
    return results;
}
