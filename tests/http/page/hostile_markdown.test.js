// Texts that would take md4c alone seconds or minutes: answers, pages, and other users meanwhile.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answers } from '../../fake/provider.js';
import { asksForAnswer, eventsOf, exchange, provide, send, serveFile } from '../../lib/chat.js';

const provider = await provide();
const alfred = await serveFile({ env: provider.env });
const anna = await alfred.admin('anna');
const bert = await alfred.user('bert');

const SIZE = 400_000;
const fill = (unit) => unit.repeat(Math.ceil(SIZE / unit.length));

/** The end of a turn, as a browser gets it: a slow reader reconnects. */
async function endOf(client, turn) {
    for (;;) {
        const events = await eventsOf(client, turn);
        for (let event = await events.next(); event; event = await events.next())
            if (event.event === 'end') return JSON.parse(event.data);
    }
}

/** Sends the text in pieces of 16 KB to a reader. */
async function answeredWith(text) {
    provider.next(answers(text, 16_384), (call) => asksForAnswer(call) && call.userText === 'Go');
    const sent = await send(anna, 'Go');
    return { ...sent, end: await endOf(anna, sent.turn) };
}

for (const [name, unit, plain] of [
    ['bare addresses', 'www.a.b ', false],
    ['addresses with brackets', 'http://a.b(', false],
    ['lines with brackets', '[a]\n', true],
    ['openers of formulas', '*$$\n', false],
]) {
    test(`an answer of ${name}`, async () => {
        const { session, end } = await answeredWith(fill(unit));
        assert.equal(end.status, 'done');
        assert.equal(end.html.includes('<div class="plain">'), plain);
        const page = await anna.get(`/s/${session}`);
        assert.equal(page.status, 200);
        assert.equal(page.text.includes('This text is shown without formatting'), plain);
    });
}

test('while a hostile answer is streamed, another user is answered and the stream goes on', async () => {
    provider.next(answers(fill('[a](b \n'), 4096), (call) => asksForAnswer(call) && call.userText === 'Go');
    const hostile = await send(anna, 'Go');
    const watched = endOf(anna, hostile.turn);
    const { end } = await exchange(bert, provider, 'Hello', 'Hello **Bert**');
    assert.match(end.html, /Hello <strong>Bert<\/strong>/);
    assert.equal((await bert.get('/sessions')).status, 200);
    assert.equal((await watched).status, 'done');
});

test('a message that was deleted is not shown from the cache', async () => {
    const { session, reply } = await exchange(anna, provider, 'Secret?', 'The secret is **amber**.');
    assert.match((await anna.get(`/s/${session}`)).text, /<strong>amber<\/strong>/);
    assert.match((await anna.get(`/s/${session}`)).text, /<strong>amber<\/strong>/);
    const gone = await anna.post(`/sessions/${session}/messages/${reply}/delete`, {});
    assert.equal(gone.status, 303, gone.text);
    assert.doesNotMatch((await anna.get(`/s/${session}`)).text, /amber/);
    assert.doesNotMatch((await anna.get(`/api/sessions/${session}`)).text, /amber/);
});
