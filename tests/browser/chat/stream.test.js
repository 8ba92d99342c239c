// The running answer: it grows, it can be stopped, and a reload, a second tab or a broken connection loses or doubles
// no letter. Errors are shown.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { callsTool, fails } from '../../fake/provider.js';
import { lay } from '../lib/cable.js';
import { Chat } from '../lib/chat.js';
import { answers, asksForAnswer, ready, stage, until } from '../lib/stage.js';

const { alfred, provider, open, asked } = await stage({ title: 'Of the moon and the sea' });
const anna = await alfred.admin('anna');

/** Sends and waits for the first words; returns {chat, call}. */
async function begin(page, text, words) {
    const chat = new Chat(page);
    await chat.send(text);
    const call = await asked(text);
    await call.text(words);
    await chat.reads(words);
    return { chat, call };
}

test('the question is shown at once, and the answer grows with every piece', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.send('Tell me');
    await page.locator('#transcript .bubble', { hasText: 'Tell me' }).waitFor();
    const call = await asked('Tell me');
    let text = '';
    for (const piece of ['The', ' moon', ' pulls', ' at the ', '**sea**', '.']) {
        await call.text(piece);
        text += piece;
        await chat.reads(text.replaceAll('**', ''));
    }
    assert.equal(await chat.reply.locator('.acts').count(), 0, 'no actions until it has settled');
    await call.end();
    await chat.settled();
    assert.equal(await chat.answer.locator('strong').innerText(), 'sea');
    assert.deepEqual(await chat.texts(), ['Tell me', 'The moon pulls at the sea.']);
});

test("the model's reasoning is folded above its answer, and stays open for its reader", async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.send('Think first');
    const call = await asked('Think first');
    await call.text('<think>The moon is far,');
    const thought = chat.reply.locator('details.thought');
    await thought.getByText('Thinking', { exact: true }).waitFor();
    assert.equal(await thought.locator('pre').isVisible(), false, 'folded');
    const icons = () => page.locator('.thought summary svg').evaluateAll((all) => all.map((el) => el.getAttribute('class')));
    const turned = () => page.locator('.thought .fold').evaluate((el) => getComputedStyle(el).transform !== 'none');
    assert.deepEqual(await icons(), ['i', 'i fold'], 'a mark says that it opens');
    assert.equal(await turned(), false);
    await thought.locator('summary').click();
    await until('the mark says that it closes', turned);
    await call.text(' but heavy.</think>It pulls.');
    await thought.getByText(/^Thought for/).waitFor();
    assert.deepEqual(await icons(), ['i', 'i fold']);
    const running = await thought.locator('summary').boundingBox();
    await chat.reads('It pulls.');
    await call.end();
    await chat.settled();
    const settled = page.locator('details.thought');
    assert.deepEqual(await icons(), ['i', 'i fold']);
    assert.deepEqual(await settled.locator('summary').boundingBox(), running, 'nothing moves');
    assert.match(await settled.locator('summary').innerText(), /Thought for/);
    assert.equal(await settled.locator('pre').innerText(), 'The moon is far, but heavy.');
    assert.equal(await settled.locator('pre').isVisible(), true, 'still open');
    if (process.env.SHOTS_DIR) await page.screenshot({ path: `${process.env.SHOTS_DIR}/thought.png` });
});

test('no part of an answer moves when it is complete', async (t) => {
    const page = await open(t, { as: anna });
    const { chat, call } = await begin(page, 'Steady', 'First paragraph');
    await call.text('.\n\n- one\n- two\n\n```js\nlet x = 1;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nLast words.');
    await chat.answer.filter({ hasText: 'Last words.' }).waitFor();
    await page.locator('.hljs-keyword').waitFor();
    const places = () =>
        chat.answer.evaluate((el) => [...el.querySelectorAll('p, li, pre, td')].map((x) => Math.round(x.getBoundingClientRect().top - el.getBoundingClientRect().top)));
    const before = await places();
    await call.end();
    await chat.settled();
    await page.locator('.hljs-keyword').waitFor();
    assert.deepEqual(await places(), before);
});

for (const [how, stop] of [
    ['the button', (chat) => chat.stopButton.click()],
    ['Esc', (chat) => chat.page.keyboard.press('Escape')],
]) {
    test(`${how} stops the provider's request and keeps the text so far`, async (t) => {
        const page = await open(t, { as: anna });
        const text = `Stop me by ${how}`;
        const { chat, call } = await begin(page, text, 'As far as');
        await chat.listen();
        await stop(chat);
        await call.gone;
        await chat.settled();
        assert.deepEqual(await chat.texts(), [text, 'As far as']);
        await chat.reply.getByText('Stopped.').waitFor();
        assert.ok(await chat.sendButton.isVisible());
        await until('it is said', async () => (await chat.heard()).includes('Stopped'));
        await page.reload();
        assert.deepEqual(await chat.texts(), [text, 'As far as']);
    });
}

test('a reload in the middle continues the answer', async (t) => {
    const page = await open(t, { as: anna });
    const { chat, call } = await begin(page, 'Reload me', 'One two');
    await page.reload();
    await chat.reads('One two');
    await ready(page);
    await call.text(' three');
    await chat.reads('One two three');
    // And words that come while no page is there.
    await page.goto('about:blank');
    await call.text(' four');
    await page.goBack();
    await ready(page);
    await call.text(' five');
    await chat.reads('One two three four five');
    await call.end();
    await chat.settled();
    assert.deepEqual(await chat.texts(), ['Reload me', 'One two three four five']);
});

test('a second tab follows, letter by letter, and so does a tab that was open before', async (t) => {
    const page = await open(t, { as: anna });
    const first = new Chat(page);
    await first.exchange(provider, answers('Ready.'), 'Are you there?');
    const before = new Chat(await page.context().newPage());
    await before.page.goto(page.url());
    await ready(before.page);

    const { call } = await begin(page, 'Two of us', 'Both');
    const after = new Chat(await page.context().newPage());
    await after.page.goto(page.url());
    await ready(after.page);
    for (const chat of [first, before, after]) await chat.reads('Both');
    await call.text(' see this');
    for (const chat of [first, before, after]) await chat.reads('Both see this');
    await call.end();
    for (const chat of [first, before, after]) {
        await chat.settled();
        assert.deepEqual(await chat.texts(), ['Are you there?', 'Ready.', 'Two of us', 'Both see this']);
    }
});

test('a broken connection is resumed without a lost or doubled letter', async (t) => {
    const cable = await lay(alfred);
    t.after(() => cable.remove());
    const page = await open(t, { as: anna, baseURL: cable.baseUrl, allow: [/net::ERR_/] });
    const resumed = [];
    page.on('request', (r) => /\/turns\/[^/]+\/events$/.test(r.url()) && resumed.push(r.headers()['last-event-id']));
    const { chat, call } = await begin(page, 'Into the tunnel', 'Before');
    cable.cut();
    await page.getByText('The connection is lost.').waitFor();
    await call.text(' dark');
    await call.text(' after');
    cable.mend();
    await chat.reads('Before dark after');
    await page.getByText('The connection is lost.').waitFor({ state: 'detached' });
    await call.text(' all');
    await call.end();
    await chat.settled();
    assert.deepEqual(await chat.texts(), ['Into the tunnel', 'Before dark after all']);
    assert.match(resumed.at(-1), /^\d+\.\d+$/, 'it goes on from the last event');
});

test('a server that ends each connection at once is asked with growing pauses', async (t) => {
    const cable = await lay(alfred);
    t.after(() => cable.remove());
    const page = await open(t, { as: anna, baseURL: cable.baseUrl, allow: [/net::ERR_/] });
    const { chat, call } = await begin(page, 'On and off', 'So far');
    const event = await page.evaluate(() => {
        const [asked, reply] = [...document.querySelectorAll('#transcript article')].slice(-2);
        const { session } = document.getElementById('composer').dataset;
        return { session, session_url: `/s/${session}`, asked_html: asked.outerHTML, reply: reply.dataset.id, reply_html: reply.outerHTML };
    });
    const times = [];
    const events = /\/page\/turns\/[^/]+\/events$/;
    await page.route(events, (route) => {
        times.push(Date.now());
        const turn = new URL(route.request().url()).pathname.split('/')[3];
        return route.fulfill({ contentType: 'text/event-stream', body: `event: turn\ndata: ${JSON.stringify({ turn, ...event })}\n\n` });
    });
    cable.cut();
    cable.mend();
    await until('it has come back four times', () => times.length >= 4);
    // The waits double from 250 ms; a clock of the browser may be a millisecond off.
    for (const [i, wait] of [500, 1000, 2000].entries()) assert.ok(times[i + 1] - times[i] >= wait - 5, `waits: ${times.map((at) => at - times[0])}`);
    await page.unroute(events);
    await chat.reads('So far');
    await call.text(' so good');
    await call.end();
    await chat.settled();
    assert.deepEqual(await chat.texts(), ['On and off', 'So far so good']);
});

test('an answer that cannot be saved says so and stays, also after Stop, until there is space', async (t) => {
    const db = alfred.openDatabase();
    t.after(() => {
        db.exec('DROP TRIGGER IF EXISTS refuse');
        db.close();
    });
    const page = await open(t, { as: anna });
    const asked = [];
    page.on('request', (r) => /\/turns\/[^/]+\/events$/.test(r.url()) && asked.push(r.url()));
    const { chat, call } = await begin(page, 'Keep this', 'Every word');
    db.exec("CREATE TRIGGER refuse BEFORE UPDATE ON turn BEGIN SELECT raise(ABORT, 'refused'); END");
    await call.end();
    const note = page.locator('.live-note', { hasText: 'The answer could not be saved yet' });
    await note.waitFor();
    assert.deepEqual(await chat.texts(), ['Keep this', 'Every word']);
    assert.equal(asked.length, 0, 'the first connection stays');
    await page.reload();
    await ready(page);
    await note.waitFor();
    await chat.reads('Every word');
    await chat.stopButton.click();
    await chat.reads('Every word');
    db.exec('DROP TRIGGER refuse');
    await chat.settled();
    await note.waitFor({ state: 'detached' });
    assert.deepEqual(await chat.texts(), ['Keep this', 'Every word']);
    assert.equal(asked.length, 1, 'one connection since the reload');
});

test('when the stream program dies, the answer so far is kept and can be tried again', async (t) => {
    const page = await open(t, { as: anna, allow: [/ERR_/, /status of 50[234]/, /status of 404/] });
    const { chat, call } = await begin(page, 'Fragile', 'Half of');
    await alfred.killAndAwait('stream');
    await call.gone;
    await chat.reply.getByText('interrupted').waitFor();
    const buttons = ['Continue', 'Try again'].map((name) => chat.reply.getByRole('button', { name }));
    await until('both are in one row', async () => {
        const [on, again] = await Promise.all(buttons.map((one) => one.boundingBox())); // null while the answer is drawn again
        return again && again.y === on?.y;
    });
    assert.deepEqual(await chat.reply.locator('.retry').getByRole('button').allTextContents(), ['Continue', 'Try again'], 'in the order that failed answers have');
    assert.deepEqual(await chat.texts(), ['Fragile', 'Half of']);
    provider.next(answers('All of it.'), asksForAnswer);
    await chat.reply.getByRole('button', { name: /again/i }).first().click();
    await chat.reads('All of it.');
    await chat.settled();
});

test("a provider's error says what happened, keeps the question, and trying again works", async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    provider.next(fails(401, { message: 'bad key' }), (call) => call.userText === 'Will it work?');
    await chat.send('Will it work?');
    const problem = chat.reply.locator('.problem');
    await problem.waitFor();
    assert.match(await problem.innerText(), /key/i);
    assert.match(await problem.innerText(), /kept/);
    assert.equal(await chat.question.locator('.bubble').innerText(), 'Will it work?');
    await page.reload();
    await ready(page);
    await problem.waitFor();
    provider.next(answers('Now it does.'), (call) => call.userText === 'Will it work?');
    assert.equal(await problem.getByRole('button').count(), 0, 'a wrong key is not offered again beside the sentence');
    await chat.act(chat.reply, 'Answer again').click();
    await chat.reads('Now it does.');
    await chat.settled();
    assert.equal(await chat.questions.count(), 1);
});

test('an interrupted answer keeps its text beside the error', async (t) => {
    const page = await open(t, { as: anna });
    const { chat, call } = await begin(page, 'Break off', 'So far so');
    call.breakOff();
    await chat.reply.locator('.problem, .note').first().waitFor();
    await chat.settled();
    await chat.reads('So far so');
    await chat.reply.getByRole('button', { name: /again|retry/i }).first().waitFor();
    const choices = chat.reply.locator('.problem, .retry').getByRole('button');
    assert.deepEqual(await choices.allTextContents(), ['Continue', 'Try again'], 'first what loses nothing');
    assert.equal(await chat.reply.locator('.problem').getByRole('button').count(), 2, 'both are in the box');
});

test('screen readers hear Generating and Complete once each, and no token', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.listen();
    await chat.send('Say it');
    const call = await asked('Say it');
    for (const piece of ['a', ' b', ' c', ' d']) {
        await call.text(piece);
        await chat.answer.filter({ hasText: piece.trim() }).waitFor();
    }
    await call.end();
    await chat.settled();
    await until('Complete is said', async () => (await chat.heard()).includes('Complete'));
    assert.deepEqual(await chat.heard(), ['Generating', 'Complete']);
    assert.equal(await page.locator('#transcript').evaluate((el) => Boolean(el.closest('[aria-live]') || el.querySelector('[aria-live], [role=status], [role=alert]'))), false);
    assert.equal(await page.getByRole('list', { name: 'Conversation' }).getByRole('article').count(), 2);
});

test('a call of a tool without text is no empty article for screen readers', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    provider.next(callsTool('add_task', { text: 'Buy milk' }), (c) => c.asks('Add milk to my to-do list') && !c.hasToolResult);
    provider.next(answers('It is on your list.'), (c) => c.asks('Add milk to my to-do list') && c.hasToolResult);
    await chat.send('Add milk to my to-do list');
    await chat.reads('It is on your list.');
    await chat.settled();
    await page.locator('.used').first().waitFor();
    assert.doesNotMatch(await page.locator('#transcript').ariaSnapshot(), /- article "[^"]*"$/m);
});

test('screen readers hear in each turn why it waits', async (t) => {
    const page = await open(t, { as: anna }), chat = new Chat(page);
    await chat.listen();
    for (const text of ['Wait once', 'Wait again']) {
        provider.next(fails(429, { retryAfter: 1 }), (call) => call.userText === text);
        provider.next(answers('At last.'), (call) => call.userText === text);
        await chat.send(text);
        await chat.settled();
        await until('its end is said', async () => (await chat.heard()).at(-1) === 'Complete');
    }
    // The provider asks for a second; a little is added at random, and the number is rounded up.
    const heard = (await chat.heard()).map((text) => text.replace(/\d+/, 'n')), wait = 'The provider is busy. Next try in n s.';
    assert.deepEqual(heard, ['Generating', wait, 'Complete', 'Generating', wait, 'Complete']);
});

test('the title arrives after the first exchange and moves no row', async (t) => {
    const maria = await alfred.user('maria');
    for (const text of ['Older one', 'Newer one']) {
        provider.next(answers('Yes.'), asksForAnswer);
        const sent = await maria.postJson('/api/sessions/new/messages', { text }, { headers: { accept: 'application/json' } });
        await until('it is answered', async () => !(await maria.getJson(`/api/sessions/${sent.json.session.id}`)).turn);
    }
    const page = await open(t, { as: maria });
    const chat = new Chat(page);
    const { call } = await begin(page, 'Name me', 'Named');
    const order = () => chat.rows.evaluateAll((rows) => rows.map((r) => r.dataset.session));
    await until('the row is there', async () => (await chat.rows.count()) === 3);
    assert.ok(page.url().endsWith((await order())[0]), 'the new session is the first row');
    await chat.rows.first().locator('.running').waitFor();
    const before = await order();
    await call.end();
    await chat.settled();
    await chat.rows.first().filter({ hasText: 'Of the moon and the sea' }).waitFor();
    assert.deepEqual(await order(), before);
    assert.equal(await chat.rows.first().locator('.running').isVisible(), false);
    await page.locator('#session-title', { hasText: 'Of the moon and the sea' }).waitFor();
    assert.match(await page.title(), /Of the moon and the sea/);
    await page.reload();
    assert.deepEqual(await order(), before);
});

test('the page follows an answer while the user scrolls the list of sessions, and not when the user scrolls up in the answer', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.send('Something long');
    const call = await asked('Something long');
    const lines = (word) => Array.from({ length: 60 }, (_, i) => `- ${word} ${i}\n`).join('');
    const atEnd = () => page.evaluate(() => document.documentElement.scrollHeight - innerHeight - scrollY < 4);
    await call.text(lines('first'));
    await until('the page follows', async () => (await chat.answer.getByText('first 59').count()) && atEnd());
    await page.mouse.move(100, 300);
    await page.mouse.wheel(0, -200);
    await call.text(lines('second'));
    await until('the page follows', async () => (await chat.answer.getByText('second 59').count()) && atEnd());
    await page.mouse.move(800, 300);
    await page.mouse.wheel(0, -200);
    await until('the view is higher', async () => !(await atEnd()));
    await call.text(lines('third'));
    await chat.answer.getByText('third 59').waitFor({ state: 'attached' });
    assert.ok(!(await atEnd()));
    await call.end();
    await chat.settled();
});
