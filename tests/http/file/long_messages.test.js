// Messages with files of up to 1 MB: the page has a part of them, and leads to the rest.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answers } from '../../fake/provider.js';
import { asksForAnswer, ended, eventsOf, provide, send, serveFile, sessionOf, stop } from '../../lib/chat.js';
import { block, row, rows } from '../../lib/rows.js';

const MB = 1024 * 1024, PAGE_BYTES = 80 * 1024;

const provider = await provide();
const alfred = await serveFile({ env: provider.env });
const anna = await alfred.admin('anna');

const isHeld = (call) => call.userText.startsWith('Wait');
provider.always(answers('Read.'), (call) => asksForAnswer(call) && !isHeld(call));

/** Sends and waits for the answer. */
async function exchange(text, options) {
    const sent = await send(anna, text, options);
    await ended(anna, sent.turn);
    return sent;
}

const typed = 'What is in it?\n\n';
const csv = rows(12_000).slice(0, MB - 100).replace(/[^\n]*$/, '');
const long = `${typed}${block('data.csv', csv)}`;

test('a page with five messages of 1 MB has some KB of each, and all of one on request', async () => {
    let session = 'new', asked;
    for (let i = 0; i < 5; i++) ({ session, asked } = await exchange(long.replace('What', `${i}: what`), { session, pasted_from: typed.length + 3 }));
    const path = `/s/${session}`, page = await anna.get(path);
    assert.ok(page.text.length < PAGE_BYTES, `${page.text.length} bytes`);
    assert.ok(!page.text.includes(row(1)));
    assert.equal(page.text.match(/class="file-name">data\.csv</g).length, 5);
    const [, link] = page.text.match(new RegExp(`id="m-${asked}".*?href="([^"]*whole=[^"]*)"`, 's'));
    const whole = await anna.get(link.replaceAll('&amp;', '&').replace(/#.*/, ''));
    assert.ok(whole.text.includes(row(1)) && whole.text.includes(csv.trimEnd().split('\n').at(-1)));
    assert.ok(whole.text.length < 3 * MB, 'the other four are not in it');
    const { messages } = await sessionOf(anna, session);
    assert.equal(messages.find((m) => m.id === asked).text, long.replace('What', '4: what'));
});

test('the event of a question of 1 MB has a part of it, too', async () => {
    const sent = await send(anna, `Wait. ${long}`, { pasted_from: typed.length + 6 });
    const call = await provider.call((c) => asksForAnswer(c) && isHeld(c));
    const first = await (await eventsOf(anna, sent.turn)).next();
    assert.equal(first.event, 'turn');
    assert.ok(first.data.length < PAGE_BYTES, `${first.data.length} bytes`);
    await stop(anna, sent.turn);
    await call.gone;
});

test('a long text without a file is shown by its beginning and its end, and by all of it on request', async () => {
    const lines = Array.from({ length: 10_000 }, (_, i) => `Line ${i} of a log`).join('\n');
    const { session, asked } = await exchange(lines);
    const page = await anna.get(`/s/${session}`);
    assert.ok(page.text.length < PAGE_BYTES, `${page.text.length} bytes`);
    assert.match(page.text, /Line 0 of a log[^]*Line 9999 of a log/);
    assert.ok(!page.text.includes('Line 5000 of'));
    assert.ok((await anna.get(`/s/${session}?message=${asked}&whole=${asked}`)).text.includes('Line 5000 of'));
});

test('without scripts a long message is read and edited behind its link', async () => {
    const { session, asked } = await exchange(long, { pasted_from: typed.length });
    const form = `action="/s/${session}/edit"`, text = `Shorter: ${long}`.slice(0, MB / 2);
    assert.ok(!(await anna.get(`/s/${session}`)).text.includes(form), 'an empty box could be saved');
    assert.ok((await anna.get(`/s/${session}?message=${asked}&whole=${asked}`)).text.includes(form));
    assert.equal((await anna.post(`/sessions/${session}/messages/${asked}/text`, { text })).status, 303);
    assert.equal((await sessionOf(anna, session)).messages[0].text, text);
});

test('a message and its files have at most 1 MB', async () => {
    const answer = await anna.postJson('/api/sessions/new/messages', { text: 'x'.repeat(MB + 1) });
    assert.equal(answer.status, 413);
    assert.match(answer.json.error.message, /longer than 1\sMB/);
});
