// Every request with a body gets its complete answer soon, whether the program reads or refuses the body. Bodies of 9
// to 400 KB go to all three programs, a thousand of each kind, eight at a time.
import assert from 'node:assert/strict';
import http from 'node:http';
import net from 'node:net';
import { after, test } from 'node:test';

import { exchange, provide, serveFile } from '../../lib/chat.js';
import { parallel } from '../../lib/client.js';
import { until } from '../../lib/rig.js';

const KB = 1024;
const REQUESTS = 1000;
const WIDTH = 8;
const ATTEMPTS = 5;
const ANSWER_LIMIT_MS = 40_000; // a lost answer takes 60 s and more
const BODY_CAP = 512 * KB;      // [limits] body_bytes; nginx refuses at 1 KB more

const provider = await provide();
const alfred = await serveFile({ env: provider.env, config: { limits: { message_bytes: 128 * KB, body_bytes: BODY_CAP } } });
const anna = await alfred.admin('anna');
const hers = await exchange(anna, provider, 'Hi', 'Hello');

const agent = new http.Agent({ keepAlive: true, maxSockets: WIDTH });
after(() => agent.destroy());
const file = Buffer.alloc(2 * BODY_CAP, 'x');
const filler = file.subarray(0, BODY_CAP + KB);

/** Sizes from 9 to 400 KB, the same in every run. */
const sizeOf = (i) => 9 * KB + ((i * 7919) % 392) * KB + (i % 13);

/** Posts over plain http with kept connections; returns the status when the whole answer has arrived. */
function post(method, path, headers, body) {
    return new Promise((resolve, reject) => {
        const request = http.request(alfred.httpUrl + path, {
            method,
            agent,
            headers: { origin: alfred.httpUrl, 'sec-fetch-site': 'same-origin', 'content-length': body.length, ...headers },
            signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
        });
        request.on('error', reject);
        request.on('response', (response) => {
            let length = 0;
            response.on('data', (chunk) => (length += chunk.length));
            response.on('error', reject);
            response.on('end', () => {
                assert.ok(length > 0, 'the answer has a body');
                resolve(response.statusCode);
            });
        });
        request.end(body);
    });
}

/** A thousand of `make(i)`; none may fail and all have one of the statuses. A change that waited too long for a thread is repeated, as the answer says. */
async function thousand(t, statuses, make) {
    const began = performance.now();
    const wrong = new Map();
    let slowest = 0;
    await parallel(REQUESTS, WIDTH, async (i) => {
        const start = performance.now();
        let got;
        for (let left = ATTEMPTS; left && (got === undefined || got === 503); left--)
            got = await make(i).catch((error) => error.cause?.code ?? (error.name === 'AbortError' || error.name === 'TimeoutError' ? 'no answer' : (error.code ?? error.message)));
        slowest = Math.max(slowest, performance.now() - start);
        if (!statuses.includes(got)) wrong.set(got, (wrong.get(got) ?? 0) + 1);
    });
    t.diagnostic(`${REQUESTS} in ${Math.round(performance.now() - began)} ms, the slowest ${Math.round(slowest)} ms`);
    assert.deepEqual(Object.fromEntries(wrong), {}, `other answers than ${statuses}`);
}

const JSON_TYPE = { 'content-type': 'application/json', accept: 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };
const cookie = [...anna.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
const SIGNED_IN = { ...JSON_TYPE, cookie, 'x-csrf-token': anna.csrf };

for (const [program, path, headers] of [
    ['pages', '/signout', FORM_TYPE],
    ['api', '/api/exports', JSON_TYPE],
    ['stream', '/api/sessions/new/messages', JSON_TYPE],
]) {
    test(`${program}: a body without a sign-in is answered with 401`, (t) => thousand(t, [401], (i) => post('POST', path, headers, filler.subarray(0, sizeOf(i)))));
}
for (const [program, path] of [
    ['pages', '/data/import'],
    ['api', '/api/imports'],
]) {
    const type = { 'content-type': program === 'api' ? 'application/octet-stream' : 'multipart/form-data; boundary=x' };
    test(`${program}: a file without a sign-in, too long to be collected, is answered with 401`, (t) => thousand(t, [401], (i) => post('POST', path, type, file.subarray(0, BODY_CAP + sizeOf(i)))));
}
/** Sends a whole body and then reads the answer, as Python's http.client does. Returns the answer, or what came of it before the connection ended. */
async function exchangeOn(socket, path, body) {
    let got = '';
    const collect = (piece) => (got += piece);
    const whole = () => {
        const [head, ...rest] = got.split('\r\n\r\n');
        return rest.length > 0 && rest.join('').length >= Number(/content-length: (\d+)/i.exec(head)?.[1]);
    };
    socket.pause().on('data', collect);
    socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer alf_wrong\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`);
    await new Promise((resolve) => socket.write(body, resolve));
    socket.resume();
    await until('the answer or the end', () => socket.closed || whole());
    socket.off('data', collect);
    return got;
}
for (const [program, path] of [
    ['api', '/v1/embeddings'],
    ['stream', '/v1/chat/completions'],
]) {
    test(`${program}: a connection whose long body was refused takes the next request`, async (t) => {
        const socket = net.connect(new URL(alfred.httpUrl).port, 'localhost').setEncoding('latin1').on('error', () => {});
        t.after(() => socket.destroy());
        for (let i = 0; i < 10; i++) assert.match(await exchangeOn(socket, path, file.subarray(0, BODY_CAP + sizeOf(i))), /^HTTP\/1\.1 401\b[^]*keep-alive/, `request ${i}`);
    });
}
for (const [program, path] of [
    ['pages', '/nowhere'],
    ['api', '/api/nowhere'],
    ['stream', '/api/turns/nowhere/at/all'],
]) {
    test(`${program}: a body for an address that does not exist is answered with 404`, (t) => thousand(t, [404], (i) => post('POST', path, SIGNED_IN, filler.subarray(0, sizeOf(i)))));
}
for (const [program, path] of [
    ['pages', '/tasks'],
    ['api', '/api/tasks'],
    ['stream', '/api/sessions/new/messages'],
]) {
    test(`${program}: a body over the cap is answered with 413`, (t) => thousand(t, [413], (i) => post('POST', path, SIGNED_IN, filler.subarray(0, BODY_CAP + 1 + (i % KB)))));
}
for (const [program, method, path, name] of [
    ['api', 'PATCH', `/api/sessions/${hers.session}`, 'title'],
    ['stream', 'POST', `/api/sessions/${hers.session}/messages`, 'text'],
]) {
    const body = (i) => Buffer.from(JSON.stringify({ [name]: 'x'.repeat(sizeOf(i)), unknown: '' }));
    test(`${program}: a body that is read and then refused is answered with 400 or 413`, (t) => thousand(t, [400, 413], (i) => post(method, path, SIGNED_IN, body(i))));
}
test('pages: a form that is read and then refused is answered with 400', (t) => {
    const body = (i) => Buffer.from(`csrf=${encodeURIComponent(anna.csrf)}&unknown=${'x'.repeat(sizeOf(i))}`);
    return thousand(t, [400], (i) => post('POST', '/signout', { ...FORM_TYPE, cookie }, body(i)));
});
test('api: a small body that is taken is answered', (t) => thousand(t, [200], (i) => post('PATCH', `/api/sessions/${hers.session}`, SIGNED_IN, Buffer.from(JSON.stringify({ title: `Title ${i}` })))));
test('stream: a small body that is taken is answered', (t) => thousand(t, [200], () => post('POST', `/api/turns/${hers.turn}/stop`, SIGNED_IN, Buffer.from('{}'))));
