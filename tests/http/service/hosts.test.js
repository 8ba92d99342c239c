// The host names of Alfred, over https and http, in nginx and in the programs; the targets of redirects; HSTS.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { freePort, startAlfred } from '../../lib/rig.js';

const FOREIGN = ['evil.example', 'evil.example:8443', 'localhost.evil.example', '192.0.2.77', '[2001:db8::77]', 'x'];
const PUBLIC = 'alfred-with-a-name-that-is-longer-than-most.people-would-ever-give-it.example.org';
const SECOND = 'alfred.lan';

/** The service with a public_url of that name. */
async function startAs(t, name, server = {}, env = {}) {
    const https_port = await freePort();
    return startAlfred({ t, env, config: { server: { https_port, public_url: `https://${name}:${https_port}`, ...server } } });
}

/** One request with any Host; {status, headers, text}. */
function ask(alfred, { secure = true, host, path: where = '/signin', method = 'GET', headers = {} }) {
    return new Promise((resolve, reject) => {
        const port = secure ? alfred.httpsPort : alfred.httpPort;
        const options = { host: '127.0.0.1', port, path: where, method, agent: false, setHost: false, rejectUnauthorized: false, headers: { ...(host ? { host } : {}), ...headers } };
        const request = (secure ? https : http).request(options, (response) => {
            let text = '';
            response.setEncoding('utf8').on('data', (piece) => (text += piece));
            response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
        });
        request.on('error', reject);
        request.end();
    });
}

test('Alfred answers under its names and the address of the connection, and under no other', async (t) => {
    const alfred = await startAs(t, PUBLIC, { hosts: [SECOND] });
    const own = ['localhost', '127.0.0.1', '[::1]', os.hostname(), PUBLIC, PUBLIC.toUpperCase(), `${PUBLIC}.`, SECOND];
    for (const secure of [true, false]) {
        for (const name of own) {
            for (const host of [name, `${name}:${alfred.httpsPort}`, `${name}:1`]) {
                assert.equal((await ask(alfred, { secure, host })).status, 200, host);
                assert.equal((await ask(alfred, { secure, host, path: '/static/css/app.css' })).status, 200, host);
            }
        }
        for (const host of FOREIGN) {
            for (const where of ['/', '/signin', '/nowhere', '/static/css/app.css', '/robots.txt', '/data/import']) {
                const answer = await ask(alfred, { secure, host, path: where });
                assert.equal(answer.status, 421, `${host} ${where}`);
                assert.match(answer.text, /<h1>Wrong address<\/h1>/);
                assert.equal(answer.headers.location, undefined);
                assert.doesNotMatch(answer.text, /evil|192\.0\.2|db8/);
            }
            for (const [method, where] of [['GET', '/api/me'], ['POST', '/api/sessions/new/messages'], ['GET', '/api/turns/x/events']]) {
                const answer = await ask(alfred, { secure, host, method, path: where });
                assert.equal(answer.status, 421, `${host} ${where}`);
                assert.equal(JSON.parse(answer.text).error.code, 'misdirected');
            }
        }
    }
    // Another address of loopback, which is not configured: valid only when the connection came in at it.
    const at = (host) => ask({ httpsPort: alfred.httpsPort }, { host });
    assert.equal((await at('127.0.0.2')).status, 421);
    const other = await new Promise((resolve, reject) => {
        https.get({ host: '127.0.0.2', port: alfred.httpsPort, path: '/signin', agent: false, rejectUnauthorized: false }, resolve).on('error', reject);
    });
    other.resume();
    assert.equal(other.statusCode, 200);
});

test('over HTTP/2 the authority counts', async (t) => {
    const alfred = await startAlfred({ t });
    const session = http2.connect(alfred.baseUrl, { rejectUnauthorized: false });
    t.after(() => session.close());
    for (const [authority, status] of [[`localhost:${alfred.httpsPort}`, 200], ['evil.example', 421]]) {
        const request = session.request({ ':path': '/signin', ':authority': authority });
        const [headers] = await once(request, 'response');
        assert.equal(headers[':status'], status);
        request.resume();
        await once(request, 'end');
    }
});

test('a request that names two hosts, or none, is refused', async (t) => {
    const alfred = await startAlfred({ t });
    for (const [request, pattern] of [
        ['GET http://localhost/signin HTTP/1.1\r\nHost: evil.example\r\n', /^HTTP\/1\.1 421/],
        ['GET http://evil.example/signin HTTP/1.1\r\nHost: localhost\r\n', /^HTTP\/1\.1 421/],
        ['GET /signin HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n', /^HTTP\/1\.1 400/],
        ['GET /signin HTTP/1.0\r\n', /^HTTP\/1\.1 421/],
        ['GET /signin HTTP/1.1\r\nHost: localhost\r\n', /^HTTP\/1\.1 200/],
    ]) {
        const socket = net.connect(alfred.httpPort, '127.0.0.1');
        let answer = '';
        socket.setEncoding('utf8').on('data', (piece) => (answer += piece));
        socket.write(`${request}Connection: close\r\n\r\n`);
        await once(socket, 'close');
        assert.match(answer, pattern, request);
    }
});

test('the programs refuse another host, too, in case that nginx does not', async (t) => {
    const alfred = await startAlfred({ t });
    const runDir = alfred.runDir();
    const record = (type, content) => Buffer.concat([Buffer.from([1, type, 0, 1, content.length >> 8, content.length & 255, 0, 0]), content]);
    const pairs = (params) => Buffer.concat(Object.entries(params).map(([name, value]) => Buffer.from(String.fromCharCode(name.length, value.length) + name + value)));
    for (const [name, uri] of [['pages', '/signin'], ['api', '/api/me'], ['stream', '/api/turns/x']]) {
        for (const [host, pattern] of [['evil.example', /Status: 421 /], ['localhost', /Status: (200|401) /]]) {
            const socket = net.connect(`${runDir}/${name}.sock`);
            let answer = '';
            socket.setEncoding('latin1').on('data', (piece) => (answer += piece));
            const params = pairs({ REQUEST_METHOD: 'GET', REQUEST_URI: uri, HTTP_HOST: host });
            socket.write(Buffer.concat([record(1, Buffer.from([0, 1, 0, 0, 0, 0, 0, 0])), record(4, params), record(4, Buffer.alloc(0)), record(5, Buffer.alloc(0))]));
            await once(socket, 'close');
            assert.match(answer.replaceAll('\r\n', ' '), pattern, `${name} ${host}`);
        }
    }
});

test('http:// on the https port redirects to https under a name of ours', async (t) => {
    const alfred = await startAs(t, PUBLIC);
    const typed = (host) => ask({ httpPort: alfred.httpsPort }, { secure: false, host, path: '/s/x?y=1' });
    for (const [host, to] of [
        [`localhost:${alfred.httpsPort}`, `https://localhost:${alfred.httpsPort}/s/x?y=1`],
        [`[::1]:${alfred.httpsPort}`, `https://[::1]:${alfred.httpsPort}/s/x?y=1`],
        [PUBLIC, `https://${PUBLIC}:${alfred.httpsPort}/s/x?y=1`],
        ['evil.example', `https://${PUBLIC}:${alfred.httpsPort}/s/x?y=1`],
    ]) {
        const answer = await typed(host);
        assert.equal(answer.status, 301);
        assert.equal(answer.headers.location, to);
    }
});

test('behind a proxy that ends TLS, a browser without Fetch Metadata can sign in', async (t) => {
    const alfred = await startAs(t, PUBLIC);
    const post = (origin) => ask(alfred, { secure: false, host: PUBLIC, method: 'POST', path: '/signin', headers: { origin, 'content-length': '0' } });
    assert.notEqual((await post(`https://${PUBLIC}:${alfred.httpsPort}`)).status, 403);
    assert.equal((await post('https://evil.example')).status, 403);
});

/** A certificate authority and its certificate for `name`; {ca, certificate, key} as paths. */
function certificates(dir, name) {
    const file = (what) => path.join(dir, what);
    const openssl = (...args) => execFileSync('openssl', args, { stdio: 'ignore' });
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    openssl('req', '-x509', ...key, '-keyout', file('ca.key'), '-out', file('ca.pem'), '-subj', '/CN=Test authority');
    openssl('req', ...key.slice(0, 5), '-keyout', file('key.pem'), '-out', file('request.pem'), '-subj', `/CN=test`);
    writeFileSync(file('extensions'), `subjectAltName = DNS:${name}\n`);
    openssl('x509', '-req', '-in', file('request.pem'), '-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial', '-days', '2', '-extfile', file('extensions'), '-out', file('cert.pem'));
    return { ca: file('ca.pem'), certificate: file('cert.pem'), key: file('key.pem') };
}

test('browsers are told to use https only with a trusted certificate, under its name, over https', async (t) => {
    const dir = mkdtempSync(path.join(os.tmpdir(), 'alfred-tls-'));
    t.after(() => rmSync(dir, { recursive: true }));
    const made = certificates(dir, SECOND);
    const start = (name, env) => startAs(t, name, { certificate: made.certificate, certificate_key: made.key }, env);
    const hsts = async (alfred, options) => (await ask(alfred, options)).headers['strict-transport-security'];

    const trusted = await start(SECOND, { SSL_CERT_FILE: made.ca });
    for (const where of ['/signin', '/nowhere', '/static/css/app.css', '/static/none', '/favicon.ico', '/robots.txt', '/api/me', '/api/turns/x']) {
        assert.equal(await hsts(trusted, { host: SECOND, path: where }), 'max-age=31536000', where);
    }
    assert.equal(await hsts(trusted, { host: 'localhost' }), undefined);
    assert.equal(await hsts(trusted, { host: 'evil.example' }), undefined);
    assert.equal(await hsts(trusted, { host: SECOND, secure: false }), undefined);
    await trusted.stop();

    const untrusted = await start(SECOND, {});
    assert.equal(await hsts(untrusted, { host: SECOND }), undefined);
    assert.match(untrusted.logs(), /the certificate is not trusted for alfred\.lan/);
    await untrusted.stop();

    const otherName = await start('other.lan', { SSL_CERT_FILE: made.ca });
    assert.equal(await hsts(otherName, { host: 'other.lan' }), undefined);
    await otherName.stop();

    const selfSigned = await startAlfred({ t });
    assert.equal(await hsts(selfSigned, { host: 'localhost' }), undefined);
});
