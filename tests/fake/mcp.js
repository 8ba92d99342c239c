// An MCP server (Streamable HTTP), as strict as the specification. `era`: 'sessions' (2025-11-25, with initialize and
// Mcp-Session-Id), 'stateless' (2026-07-28), or 'simple' (2025-06-18 without an id of a session). It refuses, and notes in
// `broken`, a request without the two types in Accept, without or with a wrong MCP-Protocol-Version, Mcp-Session-Id,
// Mcp-Method, Mcp-Name or Mcp-Param-..., before "initialized", with an id that was used, and unknown methods.
//
//     const home = await startMcp({ era: 'sessions', tools: [tool('turn_on', {...})], call: (name, args) => text('On.') });
//     home.mode = 'hangs';       // of tools/call: 'hangs', 'breaks', 'garbage', 'events', 'unauthorized', or a function
//     home.forget();             // all sessions
//     home.holds = 3;            // "initialized" is not accepted before three sessions have begun
//     home.calls                 // of tools: {name, arguments, session, user}
//     home.broken                // the rules that the client has broken; a test expects []
import http from 'node:http';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';

import { AS_REAL_SERVERS } from '../lib/wait.js';

const STATELESS = '2026-07-28', SESSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'];
const META = 'io.modelcontextprotocol/';

export const tool = (name, { reads = false, properties = {}, ...more } = {}) => ({
    name, description: `The tool ${name}.`, inputSchema: { type: 'object', properties }, annotations: { readOnlyHint: reads }, ...more,
});
export const text = (...parts) => ({ content: parts.map((part) => ({ type: 'text', text: part })) });

class Refusal extends Error {
    constructor(status, code, message, data) {
        super(message);
        Object.assign(this, { status, code, data });
    }
}

/** The value of a header that may be base64. */
function decoded(value) {
    const coded = /^=\?base64\?(.*)\?=$/.exec(value ?? '');
    return coded ? Buffer.from(coded[1], 'base64').toString('utf8') : value;
}

export async function startMcp({ era = 'sessions', tools = [], call = () => text('Done.'), token, pages = 1, serverInfo = { name: 'Fake', version: '1' } } = {}) {
    const sessions = new Map(), used = new Set();
    const self = { era, tools, call, token, pages, mode: null, listMode: null, calls: [], requests: [], broken: [], cancelled: [], refused: [], ended: [], closed: 0, holds: 0 };
    const held = [];

    const rule = (holds, status, code, message, data) => {
        if (holds) return;
        self.broken.push(message);
        throw new Refusal(status, code, message, data);
    };
    const result = (id, value) => ({ jsonrpc: '2.0', id, result: self.era === 'stateless' ? { resultType: 'complete', ...value } : value });

    function send(response, message, events = []) {
        if (!events.length && self.mode !== 'events') {
            response.writeHead(200, { 'content-type': 'application/json' });
            response.end(JSON.stringify(message));
            return;
        }
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(': a comment\n\nid: 1\ndata:\n\n'); // without data: primes the client to connect again
        for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
        response.end(`event: message\r\ndata: ${JSON.stringify(message)}\r\n\r\n`);
    }

    function list(params) {
        if (self.listMode === 'endless') return { tools: [tool(`t${randomUUID()}`, { reads: true })], nextCursor: randomUUID() };
        const at = params.cursor ? Number(params.cursor) : 0, size = Math.ceil(self.tools.length / self.pages) || 1;
        const next = at + size < self.tools.length ? { nextCursor: String(at + size) } : {};
        return { tools: self.tools.slice(at, at + size), ...next, ...(self.era === 'stateless' ? { ttlMs: 60000, cacheScope: 'public' } : {}) };
    }

    async function runTool(message, response, session) {
        const { name, arguments: args } = message.params;
        const known = self.tools.find((one) => one.name === name);
        if (!known) return send(response, { jsonrpc: '2.0', id: message.id, error: { code: -32602, message: `Unknown tool: ${name}` } });
        self.calls.push({ name, arguments: args, session });
        response.on('close', () => { if (!response.writableFinished) self.closed++; });
        if (typeof self.mode === 'function') return self.mode(response, message, send);
        if (self.mode === 'hangs') return undefined;
        if (self.mode === 'breaks') return response.destroy();
        if (self.mode === 'garbage') {
            response.writeHead(200, { 'content-type': 'application/json' });
            return response.end('<html>{"jsonrpc":');
        }
        const before = self.mode === 'events' ? [
            { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: 1 } },
            ...(self.era === 'sessions' ? [{ jsonrpc: '2.0', id: 'ask-1', method: 'sampling/createMessage', params: {} }, { jsonrpc: '2.0', id: 2, method: 'ping' }] : []),
        ] : [];
        return send(response, result(message.id, await self.call(name, args)), before);
    }

    function checkStateless(request, message) {
        const meta = message.params?._meta ?? {}, { headers } = request, version = headers['mcp-protocol-version'];
        const supported = { supported: [STATELESS], requested: meta[`${META}protocolVersion`] };
        if (message.method === 'initialize') throw new Refusal(400, -32022, 'Unsupported protocol version', supported);
        rule(version, 400, -32020, 'MCP-Protocol-Version is missing');
        rule(version === meta[`${META}protocolVersion`], 400, -32020, 'MCP-Protocol-Version and _meta differ');
        if (version !== STATELESS) throw new Refusal(400, -32022, 'Unsupported protocol version', supported);
        rule(meta[`${META}clientCapabilities`], 400, -32602, 'clientCapabilities is missing');
        rule(headers['mcp-method'] === message.method, 400, -32020, 'Mcp-Method differs');
        rule(!headers['mcp-session-id'], 400, -32600, 'a stateless server has no sessions');
        if (message.method !== 'tools/call') return;
        rule(decoded(headers['mcp-name']) === message.params.name, 400, -32020, 'Mcp-Name differs');
        const known = self.tools.find((one) => one.name === message.params.name);
        for (const [key, { 'x-mcp-header': mark }] of Object.entries(known?.inputSchema.properties ?? {})) {
            if (!mark) continue;
            const value = message.params.arguments[key];
            rule(decoded(headers[`mcp-param-${mark.toLowerCase()}`]) === (value === undefined ? undefined : String(value)), 400, -32020, `Mcp-Param-${mark} differs`);
        }
    }

    function checkSession(request, message, response) {
        const { headers } = request, id = headers['mcp-session-id'];
        if (message.method === 'initialize') {
            rule(!id, 400, -32600, 'initialize has an id of a session');
            const { protocolVersion, capabilities, clientInfo } = message.params;
            rule(protocolVersion && clientInfo?.name && clientInfo.version, 400, -32602, 'initialize lacks members');
            rule(capabilities && !Object.keys(capabilities).length, 400, -32602, 'a capability that Alfred does not have');
            const session = { version: self.era === 'simple' ? '2025-06-18' : SESSIONS.includes(protocolVersion) ? protocolVersion : SESSIONS[0], ready: false };
            const name = self.era === 'simple' ? '' : randomUUID();
            sessions.set(name, session);
            if (name) response.setHeader('Mcp-Session-Id', name);
            return { session, answer: { protocolVersion: session.version, capabilities: { tools: { listChanged: true } }, serverInfo } };
        }
        // A request of the other era: of a server like this a client sees only that it does not know the method
        if (headers['mcp-protocol-version'] === STATELESS) throw new Refusal(400, -32600, 'Bad Request: unsupported protocol version');
        const session = sessions.get(self.era === 'simple' ? '' : id);
        if (self.era !== 'simple') rule(id, 400, -32600, 'Mcp-Session-Id is missing');
        if (!session) throw new Refusal(404, -32001, 'Session not found');
        rule(headers['mcp-protocol-version'] === session.version, 400, -32600, 'MCP-Protocol-Version is missing or wrong');
        if (message.method === 'notifications/initialized') {
            if (self.holds) return { session, hold: true };
            session.ready = true;
        }
        rule(session.ready, 400, -32600, 'a request before "initialized"');
        return { session };
    }

    async function take(request, response, body) {
        const { headers } = request;
        if (self.token && headers.authorization !== `Bearer ${self.token}`) {
            response.writeHead(401, { 'www-authenticate': 'Bearer' });
            return response.end();
        }
        if (self.mode === 'unauthorized') return response.writeHead(401).end();
        if (request.method === 'DELETE') {
            self.ended.push(headers['mcp-session-id']);
            return response.writeHead(sessions.delete(headers['mcp-session-id']) ? 200 : 404).end();
        }
        if (request.method !== 'POST') return response.writeHead(405).end();
        const message = JSON.parse(body);
        self.requests.push(message);
        rule(/\bapplication\/json\b/.test(headers.accept) && /\btext\/event-stream\b/.test(headers.accept), 406, -32000, 'Accept lacks a type');
        rule(headers['content-type'] === 'application/json', 415, -32000, 'Content-Type');
        rule(message.jsonrpc === '2.0', 400, -32600, 'jsonrpc');
        let answer, session, hold;
        if (self.era === 'stateless') checkStateless(request, message);
        else ({ answer, session, hold } = checkSession(request, message, response));
        if (hold) { // until so many sessions have begun; then the first one, and the others after its call
            held.push(() => { session.ready = true; response.writeHead(202).end(); });
            if (held.length === self.holds) held.shift()();
            return undefined;
        }
        if (message.method === 'tools/call') for (const release of held.splice(0)) release();
        if (!message.method) { // the answer to a request of the server
            self.refused.push(message);
            return response.writeHead(202).end();
        }
        if (message.id === undefined) {
            rule(self.era !== 'stateless', 400, -32600, 'a notification to a stateless server');
            if (message.method === 'notifications/cancelled') self.cancelled.push(message.params.requestId);
            return response.writeHead(202).end();
        }
        const key = `${headers['mcp-session-id']} ${message.id} ${request.socket.remotePort}`;
        rule(!used.has(key), 400, -32600, 'the id of a request was used before');
        used.add(key);
        if (answer) return send(response, result(message.id, answer));
        if (message.method === 'server/discover' && self.era === 'stateless') return send(response, result(message.id, { supportedVersions: [STATELESS], capabilities: { tools: {} }, serverInfo }));
        if (message.method === 'tools/list') {
            if (typeof self.listMode === 'function') return self.listMode(response, message);
            if (self.listMode === 'hangs') return undefined;
            return send(response, result(message.id, list(message.params ?? {})));
        }
        if (message.method === 'tools/call') return runTool(message, response, headers['mcp-session-id']);
        rule(false, self.era === 'stateless' ? 404 : 200, -32601, `unknown method ${message.method}`);
        return undefined;
    }

    const server = http.createServer(AS_REAL_SERVERS, (request, response) => {
        const parts = [];
        request.on('data', (part) => parts.push(part));
        request.on('end', () => take(request, response, Buffer.concat(parts).toString('utf8')).catch((error) => {
            if (!(error instanceof Refusal)) throw error;
            response.writeHead(error.status, { 'content-type': 'application/json' });
            response.end(JSON.stringify({ jsonrpc: '2.0', id: error.status === 404 ? null : JSON.parse(Buffer.concat(parts).toString('utf8')).id ?? null, error: { code: error.code, message: error.message, data: error.data } }));
        }));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    Object.assign(self, {
        url: `http://127.0.0.1:${server.address().port}/mcp`,
        forget: () => sessions.clear(),
        get sessions() { return sessions.size; },
        stop: () => new Promise((resolve) => {
            server.close(resolve);
            server.closeAllConnections();
        }),
    });
    return self;
}
