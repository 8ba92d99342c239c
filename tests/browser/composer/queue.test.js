// Messages that wait above the box during an answer, and those that are held after one that was stopped.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Chat, texts } from '../lib/chat.js';
import { axe } from '../lib/look.js';
import { answers, loaded, phone, ready, stage, until } from '../lib/stage.js';

const { alfred, provider, open, asked, context } = await stage();
const anna = await alfred.admin('anna');
const en = texts('en').script_later, de = texts('de').script_later;
provider.always(answers('Noted.'), (call) => /^Note/.test(call.userText));

/** The number of messages in the session, from the server. */
const stored = async (page) => (await anna.getJson(`/api/sessions/${page.url().match(/\/s\/([^/?#]+)/)[1]}`)).messages.length;

test('a message sent while an answer runs waits above the box and is sent after the end', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.send('Slow two');
    const call = await asked('Slow two');
    await call.text('Wait');
    await chat.reads('Wait');
    assert.ok(await chat.stopButton.isVisible(), 'Send became Stop');
    assert.equal(await chat.sendButton.isVisible(), false);
    await chat.send('Note: next');
    await chat.waiting.filter({ hasText: 'Note: next' }).waitFor();
    assert.equal(await chat.box.inputValue(), '');
    assert.equal(await chat.questions.count(), 1, 'it is not sent yet');
    await chat.send('Note: after that');
    await chat.waiting.nth(1).waitFor();
    const list = await page.getByRole('list', { name: 'Waiting to be sent' }).boundingBox();
    const box = await chat.box.boundingBox();
    assert.ok(list.y + list.height <= box.y, 'above the box');
    await call.text(' for it');
    await call.end();
    await until('both were sent', async () => (await chat.questions.count()) === 3);
    await chat.settled();
    await until('all is answered', async () => (await chat.texts()).length === 6);
    assert.deepEqual(await chat.texts(), ['Slow two', 'Wait for it', 'Note: next', 'Noted.', 'Note: after that', 'Noted.']);
    assert.equal(await chat.waiting.count(), 0);
});

test('a message that waits in one tab is shown in the other, and sent once', async (t) => {
    const both = await context(t, { as: anna });
    const [one, two] = [await both.newPage(), await both.newPage()];
    const loaded = one.waitForResponse(/\/watch\.js/);
    await one.goto('/');
    await (await loaded).finished();
    await new Chat(one).send('Slow in two tabs');
    const call = await asked('Slow in two tabs');
    await call.text('Wait');
    await new Chat(one).reads('Wait');
    await two.goto(one.url());
    await ready(two);
    await new Chat(two).reads('Wait');
    await new Chat(two).send('Note: from the second');
    await new Chat(one).waiting.filter({ hasText: 'Note: from the second' }).waitFor();
    await call.text(' for it');
    await call.end();
    for (const page of [one, two]) {
        await until('it was sent', async () => (await new Chat(page).questions.count()) === 2);
        await new Chat(page).settled();
        await new Chat(page).reads('Noted.');
        assert.deepEqual(await new Chat(page).texts(), ['Slow in two tabs', 'Wait for it', 'Note: from the second', 'Noted.']);
        assert.equal(await new Chat(page).waiting.count(), 0);
    }
    assert.equal(await stored(one), 4);
});

test('a waiting message can be edited, deleted, or sent now', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.send('Slow three');
    const call = await asked('Slow three');
    await call.text('Hold');
    await chat.reads('Hold');
    for (const text of ['to edit', 'to delete', 'Note: now', 'to delete last']) await chat.send(text);
    const remove = (text) => chat.waiting.filter({ hasText: text }).getByRole('button', { name: 'Delete' });
    await remove('to delete last').press('Enter');
    await remove('to delete').press('Enter');
    assert.equal(await chat.waiting.count(), 2);
    assert.ok(await remove('Note: now').evaluate((el) => el === document.activeElement), 'the focus is in the next one');
    await chat.waiting.filter({ hasText: 'to edit' }).getByRole('button', { name: 'Edit' }).click();
    assert.equal(await chat.box.inputValue(), 'to edit');
    assert.equal(await chat.waiting.count(), 1);
    // A reload loses none of them.
    await page.reload();
    await ready(page);
    assert.equal(await chat.box.inputValue(), 'to edit');
    await chat.waiting.filter({ hasText: 'Note: now' }).getByRole('button', { name: 'Send now' }).press('Enter');
    await call.gone; // the answer was stopped at the provider
    await chat.question.filter({ hasText: 'Note: now' }).waitFor();
    assert.ok(await chat.box.evaluate((el) => el === document.activeElement), 'the list is empty');
    await chat.reads('Noted.');
    await chat.settled();
    assert.equal(await chat.waiting.count(), 0);
    assert.deepEqual(await chat.texts(), ['Slow three', 'Hold', 'Note: now', 'Noted.']);
});

/** A new chat with a running answer, and messages that wait for its end. */
async function waiting(t, text, messages, options) {
    const page = await open(t, { as: anna, ...options }), chat = new Chat(page, options?.l);
    const send = async (m) => {
        await chat.write(m);
        await chat.sendButton.click();
    };
    await send(text);
    const call = await asked(text);
    await call.text('Hold');
    await chat.reads('Hold');
    for (const [i, m] of messages.entries()) {
        await send(m);
        await chat.waiting.nth(i).waitFor();
    }
    return { page, chat, call, now: (m) => chat.waiting.filter({ hasText: m }).getByRole('button', { name: 'Send now' }).click() };
}

test('two waiting messages that are sent now are both sent, in the order of the clicks', async (t) => {
    const { page, chat, now } = await waiting(t, 'Slow four', ['Note: one', 'Note: two']);
    let stop;
    const asks = new Promise((ok) => { void page.route('**/stop', (route) => { stop = () => route.continue(); ok(); }, { times: 1 }); });
    await now('Note: two');
    await asks;
    await now('Note: one');
    await stop();
    await chat.waiting.first().waitFor({ state: 'detached' });
    await until('all is answered', async () => (await chat.texts()).length === 6);
    await chat.settled();
    assert.deepEqual(await chat.texts(), ['Slow four', 'Hold', 'Note: two', 'Noted.', 'Note: one', 'Noted.']);
});

test('a waiting message whose answer cannot be stopped waits on, also after a reload', async (t) => {
    const { page, chat, call, now } = await waiting(t, 'Slow five', ['Note: only'], { allow: [/ERR_FAILED/] });
    await page.route('**/stop', (route) => route.abort());
    await now('Note: only');
    await page.locator('#alerts').getByText('cannot be reached').waitFor();
    await page.reload();
    await ready(page);
    await chat.waiting.filter({ hasText: 'Note: only' }).waitFor();
    await call.end();
    await chat.reads('Noted.');
    await chat.settled();
    assert.deepEqual(await chat.texts(), ['Slow five', 'Hold', 'Note: only', 'Noted.']);
    assert.equal(await chat.waiting.count(), 0);
});

/** Whether each waiting message is held. */
const held = (chat) => chat.waiting.evaluateAll((all) => all.map((li) => !!li.querySelector('.held')));

test('after Stop waiting messages are held: a later message does not send them, nor does a reload; Send now does', async (t) => {
    const { page, chat, call } = await waiting(t, 'Slow six', ['Note: first', 'Note: second']);
    await chat.listen();
    await chat.stopButton.click();
    await call.gone;
    await chat.waiting.getByText(en.held).nth(1).waitFor();
    await until('it is said', async () => (await chat.heard()).includes(en.held_messages.other.replace('{n}', '2')));
    assert.deepEqual(await axe(page), []);
    await chat.exchange(provider, answers('I see.'), 'I meant something else');
    assert.deepEqual(await held(chat), [true, true]);
    assert.equal(await stored(page), 4);
    await page.reload();
    await ready(page);
    await chat.waiting.nth(1).waitFor();
    assert.deepEqual(await held(chat), [true, true]);
    // One that waits behind them is sent.
    await chat.send('Slow six again');
    const again = await asked('Slow six again');
    await again.text('Hold');
    await chat.reads('Hold');
    await chat.send('Note: third');
    await chat.waiting.nth(2).waitFor();
    assert.deepEqual(await held(chat), [true, true, false]);
    await again.end();
    await chat.question.filter({ hasText: 'Note: third' }).waitFor();
    await chat.reads('Noted.');
    await chat.settled();
    assert.deepEqual(await held(chat), [true, true]);
    await chat.waiting.filter({ hasText: 'second' }).getByRole('button', { name: en.send_now }).click();
    await chat.question.filter({ hasText: 'Note: second' }).waitFor();
    await chat.settled();
    await chat.waiting.getByRole('button', { name: en.edit_waiting }).click();
    assert.equal(await chat.box.inputValue(), 'Note: first');
    assert.equal(await chat.waiting.count(), 0);
    assert.deepEqual(await chat.questions.locator('.bubble').allInnerTexts(), ['Slow six', 'I meant something else', 'Slow six again', 'Note: third', 'Note: second']);
});

test('a message that is sent now does not hold the others, which follow it', async (t) => {
    const { chat, now } = await waiting(t, 'Slow seven', ['Note: one', 'Note: two']);
    await now('Note: two');
    await until('all is answered', async () => (await chat.texts()).length === 6);
    await chat.settled();
    assert.deepEqual(await chat.texts(), ['Slow seven', 'Hold', 'Note: two', 'Noted.', 'Note: one', 'Noted.']);
});

test('a message that waited while the page was closed is held when the answer has ended meanwhile', async (t) => {
    const { page, chat, call } = await waiting(t, 'Slow eight', ['Note: closed']);
    const url = page.url();
    await page.goto('/settings');
    await call.end();
    await until('the answer is complete', async () => (await anna.getJson(`/api/sessions/${url.split('/').pop()}`)).messages.at(-1).status === 'done');
    await page.goto(url);
    await chat.waiting.getByText(en.held).waitFor();
    await chat.exchange(provider, answers('I see.'), 'Another one');
    assert.deepEqual(await held(chat), [true]);
    assert.equal(await stored(page), 4);
});

test('an answer that one device stops holds what waits on another one, in German on a phone', async (t) => {
    const { page, chat, call } = await waiting(t, 'Slow nine', ['Note: on the phone'], { locale: 'de-DE', ...phone, l: texts('de') });
    assert.ok((await chat.waiting.locator('p').boundingBox()).width > 280, 'the buttons are below the text');
    const other = await open(t, { as: anna, path: new URL(page.url()).pathname });
    await new Chat(other).reads('Hold');
    assert.equal(await new Chat(other).waiting.count(), 0);
    await new Chat(other).stopButton.click();
    await call.gone;
    await chat.waiting.getByText(de.held).waitFor();
    assert.deepEqual(await axe(page), []);
    await loaded(other, 'chat/watch');
    await new Chat(other).exchange(provider, answers('I see.'), 'From the desktop');
    await chat.reads('I see.');
    await chat.settled();
    assert.deepEqual(await held(chat), [true]);
    await chat.waiting.getByRole('button', { name: de.send_now }).tap();
    await new Chat(other).question.filter({ hasText: 'Note: on the phone' }).waitFor();
    await chat.reads('Noted.');
    assert.equal(await chat.waiting.count(), 0);
});

test('in two tabs of a browser a held message is held in both, and sent once', async (t) => {
    const both = await context(t, { as: anna });
    const [one, two] = [await both.newPage(), await both.newPage()], chats = [new Chat(one), new Chat(two)];
    await one.goto('/');
    await ready(one);
    await chats[0].send('Slow ten');
    const call = await asked('Slow ten');
    await call.text('Hold');
    await chats[0].reads('Hold');
    await two.goto(one.url());
    await loaded(two, 'chat/watch');
    await chats[0].send('Note: held in both');
    await chats[1].waiting.waitFor();
    await chats[1].stopButton.click();
    for (const chat of chats) await chat.waiting.getByText(en.held).waitFor();
    await chats[1].waiting.getByRole('button', { name: en.send_now }).click();
    for (const chat of chats) {
        await chat.question.filter({ hasText: 'Note: held in both' }).waitFor();
        await chat.reads('Noted.');
        await chat.settled();
        assert.equal(await chat.waiting.count(), 0);
    }
    assert.equal(await stored(one), 4);
});
