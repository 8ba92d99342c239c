// Slow or silent clients cost one connection each, do not delay others, and have a time limit.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { test } from 'node:test';

import { exchange, provide, serveFile } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';

const SILENT = 64;
const SLOW = 24;                 // of each kind; a program has 6 threads for reading and 6 for changes
const SLOW_S = { least: 15, most: 90 }; // FCGI_GRACE_MS and what a busy machine adds

const provider = await provide();
const alfred = await serveFile({ env: provider.env });
const anna = await alfred.admin('anna');
const hers = await exchange(anna, provider, 'Hi', 'Hello');
const runDir = alfred.runDir();

/** All three programs answer a read and a write. Nothing but the end of a slow client would free a blocked thread. */
async function othersAreServed() {
    assert.equal((await anna.get('/')).status, 200);
    assert.equal((await anna.postJson(`/api/turns/${hers.turn}/stop`, {})).status, 200);
    assert.equal((await anna.request('PATCH', `/api/sessions/${hers.session}`, { json: { title: 'Title' } })).status, 200);
}

test("silent connections to a program's socket block no other client and are closed", async (t) => {
    const attempt = async () => {
        const closed = [];
        let ended = 0;
        for (const name of ['pages', 'api', 'stream']) {
            for (let i = 0; i < SILENT; i++) {
                const socket = net.connect(`${runDir}/${name}.sock`);
                t.after(() => socket.destroy());
                socket.on('error', () => {});
                socket.resume();
                closed.push(once(socket, 'close').then(() => ended++));
                await new Promise((resolve) => socket.once('connect', resolve));
            }
        }
        await othersAreServed();
        const meanwhile = ended === 0;
        await Promise.all(closed);
        return meanwhile;
    };
    await until('others are served while all of them are open', attempt); // the machine may have stopped until they were closed
});

/** Sends a body with one byte per second; returns the answer and its time in seconds. */
function trickle(t, path, type) {
    const began = performance.now();
    return new Promise((resolve, reject) => {
        const headers = { ...type, cookie: [...anna.cookies].map(([name, value]) => `${name}=${value}`).join('; '), 'x-csrf-token': anna.csrf };
        const request = http.request(alfred.httpUrl + path, { method: 'POST', agent: false, headers: { origin: alfred.httpUrl, 'sec-fetch-site': 'same-origin', 'content-length': 100_000, ...headers } });
        const timer = setInterval(() => request.write(' '), 1000);
        t.after(() => {
            clearInterval(timer);
            request.destroy();
        });
        request.on('error', reject);
        request.on('response', (response) => {
            clearInterval(timer);
            let text = '';
            response.setEncoding('utf8').on('data', (piece) => (text += piece));
            response.on('end', () => resolve({ status: response.statusCode, text, seconds: (performance.now() - began) / 1000 }));
        });
        request.flushHeaders();
    });
}

test('bodies of one byte per second delay no other client, and are refused after their time limit', async (t) => {
    const json = { 'content-type': 'application/json', accept: 'application/json' };
    const slow = [trickle(t, '/api/imports', { 'content-type': 'application/octet-stream' })];
    for (let i = 0; i < SLOW; i++) {
        slow.push(trickle(t, '/tasks', { 'content-type': 'application/x-www-form-urlencoded' }));
        slow.push(trickle(t, '/api/tasks', json));
        slow.push(trickle(t, `/api/sessions/${hers.session}/messages`, json));
    }
    let ended = 0, over = false;
    for (const one of slow) one.then(() => ended++, () => {});
    const all = Promise.all(slow).finally(() => (over = true));
    all.catch(() => {});
    await othersAreServed();
    assert.equal(ended, 0, 'all of them were still sending');
    await until('the slow ones had their time', async () => {
        await othersAreServed();
        return over;
    }, SLOW_S.most * 1000);
    for (const answer of await all) {
        assert.equal(answer.status, 400);
        assert.match(answer.text, /slow|incomplete/);
        assert.ok(answer.seconds > SLOW_S.least && answer.seconds < SLOW_S.most, `after ${answer.seconds} s`);
    }
});
