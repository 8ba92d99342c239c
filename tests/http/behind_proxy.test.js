// Alfred behind another reverse proxy: a second nginx, with its defaults and as docs/operations.md configures it.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import { test } from 'node:test';

import { asksForAnswer, eventsOf, provide, send, serveFile } from '../lib/chat.js';
import { Client } from '../lib/client.js';
import { startNginx } from '../lib/nginx.js';
import { PASSWORD, freePort } from '../lib/rig.js';

const provider = await provide();
const NAME = 'alfred.example.org';
const alfred = await serveFile({ env: provider.env, config: { server: { hosts: [NAME] } } });
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
    const { turn } = await send(behind, 'Do you arrive in pieces?');
    const call = await provider.call((c) => asksForAnswer(c) && c.asks('Do you arrive in pieces?'));
    await call.start();
    const events = await eventsOf(behind, turn);
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
