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

import { answers } from '../../fake/provider.js';
import { asksForAnswer, ended, provide, send, serveFile } from '../../lib/chat.js';
import { freePort } from '../../lib/rig.js';

const dir = mkdtempSync(`${os.tmpdir()}/alfred-provider-`);
after(() => rmSync(dir, { recursive: true, force: true }));
const file = (name) => `${dir}/${name}`;
const openssl = (...args) => execFileSync('openssl', args, { stdio: 'ignore' });
openssl('req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-keyout', file('ca.key'), '-out', file('ca.pem'), '-subj', '/CN=Test authority');
openssl('req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', file('key.pem'), '-out', file('request.pem'), '-subj', '/CN=test');
/** A certificate of the authority for one name. */
function sign(to, name, days) {
    writeFileSync(file('extensions'), `subjectAltName=${name}\n`);
    openssl('x509', '-req', '-in', file('request.pem'), '-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial', '-days', String(days), '-extfile', file('extensions'), '-out', file(to));
}
sign('cert.pem', 'IP:127.0.0.1', 2);
sign('expired.pem', 'IP:127.0.0.1', -1);
sign('other.pem', 'DNS:other.example.org', 2);

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

/** Servers and proxies with which no connection comes about. */
const key = readFileSync(file('key.pem'));
const nobody = (options) => listening(tls.createServer({ key, ...options }, (socket) => socket.destroy()));
const refusing = (status) => listening(http.createServer().on('connect', (request, socket) => socket.end(`HTTP/1.1 ${status}\r\n\r\n`)));
const cert = readFileSync(file('cert.pem'));
const broken = {
    expired: await nobody({ cert: readFileSync(file('expired.pem')) }),
    other: await nobody({ cert: readFileSync(file('other.pem')) }),
    old: await nobody({ cert, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }),
    login: await refusing('407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="us"'),
    closed: await refusing('403 Forbidden'),
};
const brokenAt = (port) => ({ kind: 'openai', base_url: `https://127.0.0.1:${port}/v1`, ca_file: file('ca.pem'), model: 'test-model' });

const secure = `https://127.0.0.1:${securePort}/v1`;
const alfred = await serveFile({
    config: {
        models: { discover: 'no' },
        'provider.trusted': { kind: 'openai', base_url: secure, ca_file: file('ca.pem'), model: 'test-model' },
        'provider.unknown': { kind: 'openai', base_url: secure, model: 'test-model' },
        'provider.expired': brokenAt(broken.expired),
        'provider.other': brokenAt(broken.other),
        'provider.old': brokenAt(broken.old),
        'provider.plain': brokenAt(providerPort),
        'provider.login': { ...brokenAt(securePort), proxy: `http://127.0.0.1:${broken.login}` },
        'provider.closed': { ...brokenAt(securePort), proxy: `http://127.0.0.1:${broken.closed}` },
        'provider.down': { ...brokenAt(securePort), proxy: `http://127.0.0.1:${await freePort()}` },
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
    assert.match(refused.error, /does not know the authority that signed its certificate/);
    assert.ok(!provider.calls.some((call) => call.userText === 'Does it rain in Rome?'));
});

for (const [name, why, remedy] of [
    ['expired', /its certificate has expired, or the clock of this machine is wrong/, /$/],
    ['other', /the certificate of other \(127\.0\.0\.1:\d+\) is for another name/, /Correct its base_url\.$/],
    ['old', /old does not speak TLS 1\.2 or newer/, /If the server has no TLS, its base_url begins with http:\/\/\.$/],
    ['plain', /plain does not speak TLS 1\.2 or newer/, /If the server has no TLS, its base_url begins with http:\/\/\.$/],
    ['unknown', /does not know the authority that signed its certificate/, /If it is your own authority, set ca_file to its certificate\.$/],
    ['login', /The proxy of login requires a name and a password, which Alfred does not send/, /Correct its proxy\.$/],
    ['closed', /The proxy of closed refused the connection \(403\)/, /Correct its proxy\.$/],
    ['down', /Could not connect to the proxy of down/, /Correct its proxy\.$/],
]) {
    test(`a failed connection names its cause, and the test of the provider the remedy: ${name}`, async () => {
        const { turn } = await send(anna, `Who is there, ${name}?`, { choice: `${name}/test-model` });
        const { error } = await ended(anna, turn);
        assert.match(error, why);
        const { code, stdout } = await alfred.cli(['provider', 'test', name]);
        assert.equal(code, 1);
        const answer = /^ {2}Answer +wrong +(.*)$/m.exec(stdout)?.[1] ?? stdout;
        assert.match(answer, why);
        assert.match(answer, remedy);
    });
}

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
