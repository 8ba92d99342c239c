// Settings of a provider reach the wire: its own certificate authority, a proxy, further headers and body members.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import tls from 'node:tls';
import { after, test } from 'node:test';

import { answers } from '../fake/provider.js';
import { asksForAnswer, ended, provide, send, serveFile } from '../lib/chat.js';

const dir = mkdtempSync(`${os.tmpdir()}/alfred-provider-`);
after(() => rmSync(dir, { recursive: true, force: true }));
const file = (name) => `${dir}/${name}`;
const openssl = (...args) => execFileSync('openssl', args, { stdio: 'ignore' });
openssl('req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-keyout', file('ca.key'), '-out', file('ca.pem'), '-subj', '/CN=Test authority');
openssl('req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', file('key.pem'), '-out', file('request.pem'), '-subj', '/CN=test');
writeFileSync(file('extensions'), 'subjectAltName=IP:127.0.0.1\n');
openssl('x509', '-req', '-in', file('request.pem'), '-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial', '-days', '2', '-extfile', file('extensions'), '-out', file('cert.pem'));

const provider = await provide();
const providerPort = Number(new URL(provider.url).port);

async function listening(server) {
    const sockets = new Set();
    server.on('connection', (socket) => sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket))));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    after(() => {
        for (const socket of sockets) socket.destroy();
        server.close();
    });
    return server.address().port;
}
/** Joins two sockets until one of them ends. */
function join(a, b) {
    a.pipe(b).on('error', () => a.destroy());
    b.pipe(a).on('error', () => b.destroy());
}

/** The provider behind TLS, and the connections to it so far. */
const secured = [];
const securePort = await listening(tls.createServer({ key: readFileSync(file('key.pem')), cert: readFileSync(file('cert.pem')) }, (socket) => {
    secured.push(socket);
    join(socket, net.connect(providerPort, '127.0.0.1'));
}));

/** A proxy for http: it gets whole addresses. */
const proxied = [];
const proxyPort = await listening(http.createServer((request, response) => {
    proxied.push(request.url);
    const to = new URL(request.url);
    const on = http.request({ host: '127.0.0.1', port: providerPort, path: to.pathname, method: request.method, headers: request.headers }, (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
    });
    on.on('error', () => response.destroy());
    request.pipe(on);
}));

const secure = `https://127.0.0.1:${securePort}/v1`;
const alfred = await serveFile({
    config: {
        models: { discover: 'no' },
        'provider.trusted': { kind: 'openai', base_url: secure, ca_file: file('ca.pem'), model: 'test-model' },
        'provider.unknown': { kind: 'openai', base_url: secure, model: 'test-model' },
        'provider.proxied': { kind: 'openai', base_url: 'http://models.example.org:8000/v1', proxy: `http://127.0.0.1:${proxyPort}`, model: 'test-model' },
        'provider.more': { kind: 'openai', base_url: provider.env.OPENAI_BASE_URL, model: 'test-model', headers: ['X-Team: garden', 'X-Secret: $TEAM_SECRET'], body: '{"temperature": 0.25, "seed": 7}' },
    },
    env: { TEAM_SECRET: 'spade-and-hoe' },
});
const anna = await alfred.admin('anna');

async function ask(choice, text) {
    provider.next(answers('It is raining.'), (call) => asksForAnswer(call) && call.asks(text));
    const { turn } = await send(anna, text, { choice });
    const end = await ended(anna, turn);
    return { end, call: provider.calls.find((call) => asksForAnswer(call) && call.asks(text)) };
}

test('trusted certificates are read once for several connections', async () => {
    assert.equal((await ask('trusted/test-model', 'Does it rain in Turin?')).end.status, 'done');
    const before = secured.length;
    for (const socket of secured) socket.destroy();
    renameSync(file('ca.pem'), file('ca.away'));
    const again = await ask('trusted/test-model', 'Does it rain in Milan?');
    renameSync(file('ca.away'), file('ca.pem'));
    assert.equal(again.end.status, 'done', again.end.error);
    assert.ok(secured.length > before);
});

test('a provider whose certificate an own authority signed is trusted with ca_file, and refused without', async () => {
    const trusted = await ask('trusted/test-model', 'Does it rain in Oslo?');
    assert.equal(trusted.end.status, 'done', trusted.end.error);
    const { turn } = await send(anna, 'Does it rain in Rome?', { choice: 'unknown/test-model' });
    const refused = await ended(anna, turn);
    assert.equal(refused.status, 'failed');
    assert.match(refused.error, /certificate/);
    assert.ok(!provider.calls.some((call) => call.userText === 'Does it rain in Rome?'));
});

test('a provider with a proxy is asked through it', async () => {
    const { end } = await ask('proxied/test-model', 'Does it rain in Bergen?');
    assert.equal(end.status, 'done', end.error);
    assert.ok(proxied.includes('http://models.example.org:8000/v1/chat/completions'), proxied.join(' '));
});

test('further headers and body members are in each request, and no secret is in a log', async () => {
    const { end, call } = await ask('more/test-model', 'Does it rain in Lima?');
    assert.equal(end.status, 'done', end.error);
    assert.equal(call.headers['x-team'], 'garden');
    assert.equal(call.headers['x-secret'], 'spade-and-hoe');
    assert.equal(call.body.temperature, 0.25);
    assert.equal(call.body.seed, 7);
    assert.ok(!alfred.logs().includes('spade-and-hoe'));
});
