// Alfred behind another reverse proxy: a second nginx, with its defaults and as docs/operations.md configures it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import os from 'node:os';
import { test } from 'node:test';

import { beginTurn, provide, serveFile } from '../../lib/chat.js';
import { Client } from '../../lib/client.js';
import { startNginx } from '../../lib/nginx.js';
import { PASSWORD, ROOT, freePort } from '../../lib/rig.js';
import { bring, many } from '../../lib/transfer.js';

const provider = await provide();
const NAME = 'alfred.example.org';
const https_port = await freePort();
const ORIGIN = `https://${NAME}:${https_port}`;
const alfred = await serveFile({ env: provider.env, config: { server: { https_port, public_url: ORIGIN, trusted_proxy: ['127.0.0.1'] } } });
const anna = await alfred.admin('anna');

/** A folder for the nginx of a test. */
function folder(t) {
    const dir = mkdtempSync(`${os.tmpdir()}/alfred-proxy-`);
    t.after(() => rmSync(dir, { recursive: true, force: true }));
    return dir;
}

/** A second nginx with its defaults; gives Anna's browser at it. */
async function behindDefaults(t) {
    const port = await freePort();
    await startNginx(t, folder(t), `server { listen 127.0.0.1:${port}; location / { proxy_pass ${alfred.httpUrl}; proxy_set_header Host $host; } }`, port);
    const client = new Client(`http://127.0.0.1:${port}`);
    client.cookies = new Map(anna.cookies);
    client.csrf = anna.csrf;
    return client;
}

test('a proxy that buffers answers passes on those that are being written', async (t) => {
    const behind = await behindDefaults(t);
    const { call, events } = await beginTurn(behind, provider, 'Do you arrive in pieces?');
    await call.text('The first piece. ');
    await events.until((e) => e.data.includes('The first piece'));
    await call.text('The second piece.');
    await events.until((e) => e.data.includes('The second piece'));
    await call.end();
    await events.until((e) => e.event === 'end');

    const changes = await behind.events('/api/events');
    await changes.until((e) => e.event === 'hello');
    changes.close();
});

test('a proxy that names itself (Via) gets compressed files and pages', async () => {
    const via = { via: '1.1 Caddy', 'accept-encoding': 'gzip', 'sec-fetch-site': 'same-origin' };
    for (const path of ['/static/css/app.css', '/tasks']) {
        assert.equal((await anna.get(path, { headers: via })).headers['content-encoding'], 'gzip', path);
    }
});

test('under an address with http, where browsers keep no sign-in, the attempt is refused with this reason', async () => {
    const at = (origin) => {
        const client = new Client(alfred.httpUrl, { headers: { host: origin.slice('http://'.length), origin, 'sec-fetch-site': null } });
        return client.post('/signin', { name: 'anna', password: PASSWORD });
    };
    const refused = await at(`http://${NAME}`);
    assert.equal(refused.status, 403);
    assert.match(refused.text, /addresses that begin with https/);
    assert.equal(refused.headers['set-cookie'], undefined);
    for (const local of [`http://127.0.0.1:${alfred.httpPort}`, 'http://localhost', 'http://[::1]']) assert.equal((await at(local)).status, 303, local);
});

/** The site of nginx in docs/operations.md, on this port and with a certificate in `dir`. */
function documented(dir, port) {
    execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', `/CN=${NAME}`,
        '-keyout', `${dir}/privkey.pem`, '-out', `${dir}/fullchain.pem`], { stdio: 'ignore' });
    const site = readFileSync(`${ROOT}/docs/operations.md`, 'utf8').match(/```nginx\n(.*?)```/s)[1]
        .replace(/^ +listen \[::\].*\n/gm, '')
        .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
        .replaceAll(/\/etc\/letsencrypt\/live\/[^/]+/g, dir)
        .replace('http://127.0.0.1:8480', alfred.httpUrl);
    return `gzip on;\n${site}`; // as in Debian's nginx.conf
}

test('everything works behind nginx as it is documented', async (t) => {
    const [dir, port] = [folder(t), await freePort()];
    await startNginx(t, dir, documented(dir, port), port);
    /** A browser behind the proxy. */
    const browser = (headers = {}) => new Client(`https://127.0.0.1:${port}`, { headers: { host: NAME, origin: ORIGIN, ...headers } });

    const carl = browser({ 'sec-fetch-site': null });
    const sent = await carl.get('/');
    assert.deepEqual([sent.status, sent.location, sent.headers['strict-transport-security']], [303, '/signin', 'max-age=31536000']);
    assert.equal((await carl.post('/signin', { name: 'anna', password: PASSWORD })).status, 303);
    assert.equal((await carl.get('/')).status, 200);
    assert.equal((await carl.post('/tasks', { text: 'With an Origin' })).status, 303);
    assert.equal((await carl.post('/tasks', { text: 'Of another site' }, { headers: { origin: 'https://evil.example' } })).status, 403);
    assert.equal((await browser({ host: 'evil.example' }).get('/signin')).status, 421);

    const uploaded = await bring(carl, JSON.stringify(many(100, 'A long text. '.repeat(1000))));
    assert.equal(uploaded.state, 'done', 'an upload over 1 MB, the default limit of nginx');
    const css = await carl.get('/static/css/app.css', { headers: { 'accept-encoding': 'gzip' } });
    assert.equal(css.headers['content-encoding'], 'gzip');
    const other = await carl.get('/tasks', { headers: { 'accept-encoding': 'gzip', 'sec-fetch-site': 'cross-site' } });
    assert.deepEqual([other.status, other.headers['content-encoding']], [200, undefined], 'the proxy compresses nothing for another site');

    const { call, events } = await beginTurn(carl, provider, 'Through the proxy?');
    await call.text('A piece.');
    await events.until((e) => e.data.includes('A piece'));
    await call.end();
    await events.until((e) => e.event === 'end');
});

/** A sign-in of Anna over a connection from this address of loopback, with an X-Forwarded-For; the status. */
async function signInFrom(localAddress, reported, url) {
    const form = new URLSearchParams({ name: 'anna', password: PASSWORD }).toString();
    const { port, protocol } = new URL(url);
    const request = (protocol === 'https:' ? https : http).request({ host: '127.0.0.1', port, localAddress, path: '/signin', method: 'POST', agent: false, rejectUnauthorized: false,
        headers: { host: NAME, origin: ORIGIN, 'content-type': 'application/x-www-form-urlencoded', 'content-length': form.length, 'x-forwarded-for': reported } });
    request.end(form);
    const [response] = await once(request, 'response');
    response.resume();
    return response.statusCode;
}
const lastAddress = () => alfred.sql('SELECT address FROM audit ORDER BY id DESC LIMIT 1')[0].address;

test('a client behind a trusted proxy cannot choose its address', async (t) => {
    const [dir, port] = [folder(t), await freePort()];
    await startNginx(t, dir, documented(dir, port), port);
    assert.equal(await signInFrom('127.0.0.2', '203.0.113.9', `https://127.0.0.1:${port}`), 303);
    assert.equal(lastAddress(), '127.0.0.2');
});

test('the log says that the users of a proxy share one address, when it is not trusted', async () => {
    assert.equal(await signInFrom('127.0.0.1', '198.51.100.7, 2001:DB8::9', alfred.httpUrl), 303);
    assert.equal(lastAddress(), '2001:db8::9');
    assert.doesNotMatch(alfred.logs(), /X-Forwarded-For/, 'it is trusted');
    assert.equal(await signInFrom('127.0.0.3', '203.0.113.9', alfred.httpUrl), 303);
    await alfred.waitForLog(/warn .*127\.0\.0\.3.*X-Forwarded-For.*trusted_proxy/);
    assert.equal(lastAddress(), '127.0.0.3');
});
