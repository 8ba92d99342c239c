// An authenticator app, and users who have one.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';

const STEP_MS = 30_000, DIGITS = 6;
export const CODE_PAGE = '/signin/code';

/** The step of now. */
export const step = () => Math.floor(Date.now() / STEP_MS);

function unbase32(text) {
    let bits = '';
    for (const c of text) bits += 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(c).toString(2).padStart(5, '0');
    return Buffer.from(bits.match(/.{8}/g).map((b) => parseInt(b, 2)));
}

/** The code of RFC 6238 that an app shows `later` steps from now. */
export function codeOf(secret, later = 0) {
    const counter = Buffer.alloc(8);
    counter.writeBigUInt64BE(BigInt(step() + later));
    const hash = createHmac('sha1', unbase32(secret)).update(counter).digest();
    return String((hash.readUInt32BE(hash.at(-1) & 15) & 0x7fffffff) % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** A code that is wrong now and in the steps around. */
export const wrongCode = (secret) => ['000000', '111111', '222222', '333333'].find((code) => ![-2, -1, 0, 1, 2].some((later) => codeOf(secret, later) === code));

/** Sends the code of now with `send`, again if the machine stood still until the code was too old. */
export async function withCode(secret, send) {
    for (;;) {
        const begun = step(), answer = await send(codeOf(secret));
        if (answer.status !== 401 || step() - begun <= 1) return answer;
    }
}

/** The secret on the page of the setup. */
export async function begin(client) {
    const begun = await client.post('/account/second-step', { current: client.password });
    assert.equal(begun.status, 303, begun.text);
    const page = await client.get(begun.location);
    assert.equal(page.status, 200);
    return page.text.match(/secret=([A-Z2-7]{32})&amp;/)[1];
}

/** The codes on a page that shows them. */
export const recoveryCodes = (page) => page.text.match(/<textarea class="codes"[^>]*>([^<]*)</)[1].trim().split('\n');

/** Turns the second step on. The app has shown no code since. */
export async function turnOn(alfred, client) {
    const secret = await begin(client);
    const on = await withCode(secret, (code) => client.post('/account/second-step/confirm', { code }));
    assert.equal(on.status, 200, on.text);
    forget(alfred, client.userName);
    return { secret, recovery: recoveryCodes(on) };
}

/** As if a time had passed: the code of now was not used yet. */
export const forget = (alfred, name) => alfred.sql('UPDATE second_step SET last_step = 0 WHERE user_id = (SELECT id FROM user WHERE name = ?)', name);

/** A new browser after the right password. */
export async function halfway(alfred, name, password, client = alfred.client()) {
    const answer = await client.post('/signin', { name, password });
    assert.equal(answer.status, 303);
    assert.match(answer.location, /^\/signin\/code\?/);
    return client;
}
