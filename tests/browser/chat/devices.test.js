// Two devices with one session: each follows turns that the other begins, and no conversation gets a branch by accident.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ended, exchange, send, sessionOf } from '../../lib/chat.js';
import { Chat } from '../lib/chat.js';
import { answers, asksForAnswer, stage, until } from '../lib/stage.js';

const { alfred, provider, open: opened, asked, browser } = await stage();
const anna = await alfred.admin('anna');
const again = () => alfred.signIn('anna');

/** A session with one exchange, open on a device of its own. */
async function device(t, session, options = {}) {
    const page = await open(t, { as: await again(), path: `/s/${session}`, ...options });
    return Object.assign(new Chat(page), { page });
}
const begin = (text) => exchange(anna, provider, text, `Answer to ${text}`);
/** A page in a browser without shared workers: their requests cannot be seen or stopped here. live.test.js has both. */
async function open(t, { path, ...options }) {
    const page = await opened(t, options);
    await page.addInitScript(() => delete globalThis.SharedWorker);
    if (path) await page.goto(path);
    return page;
}
const EVENTS = /\/api\/events\?/;
/** The server has told the page what changed. */
const watches = (page) => page.waitForResponse(EVENTS);
/** Without the connection that tells of turns, as on a device that slept. */
const deaf = (page) => page.route(EVENTS, (route) => route.abort());
const DEAF = { allow: [/ERR_FAILED/, /status of 409/] };

test('a turn that one device starts is read live on the other', async (t) => {
    const { session } = await begin('On two devices');
    const one = await device(t, session);
    const page = await open(t, { as: await again() });
    await Promise.all([watches(page), page.goto(`/s/${session}`)]);
    const two = new Chat(page);
    await one.send('From the first device');
    const call = await asked('From the first device');
    await call.text('It begins');
    await two.reads('It begins');
    await two.stopButton.waitFor();
    assert.equal((await two.question.locator('.bubble').innerText()).trim(), 'From the first device');
    await call.text(' and ends.');
    await call.end();
    await two.settled();
    await two.reads('It begins and ends.');
    await one.settled();
    assert.deepEqual(await two.texts(), await one.texts());
    // And the other way round; what was read live is the end to go on from.
    await two.send('From the second device');
    const back = await asked('From the second device');
    assert.ok(back.prompt.includes('It begins and ends.'));
    await back.text('Heard on both.');
    await one.reads('Heard on both.');
    await back.end();
    await one.settled();
    await two.settled();
    assert.deepEqual(await one.texts(), await two.texts());
    assert.equal((await sessionOf(anna, session)).messages.length, 6, 'one branch');
});

test('an answer again on one device takes the place of the answer on the other', async (t) => {
    const { session } = await begin('Say it twice');
    const one = await device(t, session);
    const page = await open(t, { as: await again() });
    await Promise.all([watches(page), page.goto(`/s/${session}`)]);
    const two = new Chat(page);
    await one.act(one.reply, 'Answer again').click();
    const call = await asked('Say it twice');
    await call.text('Said again.');
    await two.reads('Said again.');
    await call.end();
    await two.settled();
    assert.deepEqual(await two.texts(), ['Say it twice', 'Said again.']);
});

test('missed messages appear when the connection is back', async (t) => {
    const { session } = await begin('Asleep');
    const two = await device(t, session, DEAF);
    await deaf(two.page);
    await two.page.reload();
    await exchange(anna, provider, 'While it slept', 'Quietly.', { session });
    assert.equal(await two.messages.count(), 2);
    await two.page.unroute(EVENTS);
    await two.page.evaluate(() => dispatchEvent(new Event('online')));
    await two.reads('Quietly.');
    assert.equal(await two.messages.count(), 4);
});

test('a version that takes the place of the focused message gets the focus', async (t) => {
    const { session, reply } = await begin('Read with the focus');
    const two = await device(t, session);
    await two.reply.focus();
    const edited = await anna.request('PATCH', `/api/sessions/${session}/messages/${reply}`, { json: { text: 'Edited elsewhere' } });
    assert.equal(edited.status, 200);
    // As after an event of an earlier answer that comes late.
    await two.page.evaluate(() => import(`/static/${document.documentElement.dataset.asset}/js/turn/refresh.js`).then((m) => m.refresh()));
    await two.reads('Edited elsewhere');
    assert.ok(await two.reply.evaluate((el) => el === document.activeElement));
});

test('a reader of another version or an older part stays there', async (t) => {
    const { session, asked: first } = await begin('A question');
    const old = await exchange(anna, provider, 'Old branch', 'Old.', { session });
    await exchange(anna, provider, 'New branch', 'New.', { session, parent: first });
    const page = await open(t, { as: await again() });
    await Promise.all([watches(page), page.goto(`/s/${session}?at=${old.reply}`)]);
    const two = new Chat(page);
    const before = await two.texts();
    const { end } = await exchange(anna, provider, 'Goes on elsewhere', 'Elsewhere.', { session });
    assert.equal(end.status, 'done');
    await page.reload();
    assert.deepEqual(await two.texts(), before);
    assert.equal(await two.stopButton.isVisible(), false);
});

/** A device that has missed an exchange writes a message. */
async function outdated(t, options) {
    const started = await begin(`Outdated ${Math.random()}`);
    const two = await device(t, started.session, { ...DEAF, ...options });
    if (options?.javaScriptEnabled !== false) {
        await deaf(two.page);
        await two.page.reload();
    }
    const missed = await exchange(anna, provider, 'Meanwhile', 'Much has happened.', { session: started.session });
    await two.write('My text\nin two lines');
    return { two, started, missed };
}
const asksWhere = (chat) => chat.page.getByRole('alert').filter({ hasText: 'This conversation has continued since you opened it.' });

for (const [how, options] of [['with JavaScript', {}], ['without JavaScript', { javaScriptEnabled: false }]]) {
    test(`a send from an outdated end asks, and goes on at the end, ${how}`, async (t) => {
        const { two, started, missed } = await outdated(t, options);
        await two.sendButton.click();
        await asksWhere(two).waitFor();
        assert.equal(await two.box.inputValue(), 'My text\nin two lines', 'nothing typed is lost');
        assert.equal((await sessionOf(anna, started.session)).messages.length, 4, 'nothing was sent');
        await two.page.screenshot({ path: `${process.env.SHOTS ?? '/tmp'}/gone-on.png` });
        const clicked = two.page.getByRole('button', { name: 'Continue at the end' }).click();
        const call = await asked('My text\nin two lines');
        assert.ok(call.prompt.includes('Much has happened.'));
        await call.text('At the end.');
        await call.end();
        await clicked;
        await two.reads('At the end.');
        const { messages } = await sessionOf(anna, started.session);
        assert.equal(messages.length, 6);
        assert.equal(messages[4].parent_id, missed.reply);
        assert.equal(await two.messages.count(), 6);
        assert.equal(await asksWhere(two).count(), 0);
        assert.equal(await two.box.inputValue(), '');
    });

    test(`a send from an outdated end can begin a branch, ${how}`, async (t) => {
        const { two, started } = await outdated(t, options);
        await two.sendButton.click();
        const clicked = two.page.getByRole('button', { name: 'Branch here' }).click();
        const call = await asked('My text\nin two lines');
        assert.ok(!call.prompt.includes('Much has happened.'));
        await call.text('A branch.');
        await call.end();
        await clicked;
        await two.reads('A branch.');
        const { messages } = await sessionOf(anna, started.session);
        assert.equal(messages.length, 4);
        assert.equal(messages[2].parent_id, started.reply);
        assert.equal(messages[2].siblings, 2);
        assert.deepEqual((await two.texts()).slice(-2), ['My text\nin two lines', 'A branch.']);
    });
}

test('a send to a branch that was deleted elsewhere keeps the text, and goes on at the end', async (t) => {
    const { session, reply } = await begin('Which branch will go?');
    provider.next(answers('The other branch.'), (c) => asksForAnswer(c) && c.userText === 'Which branch will go?');
    const other = (await anna.postJson(`/api/sessions/${session}/messages/${reply}/regenerate`, {})).json;
    await ended(anna, other.turn);
    const page = await open(t, { as: await again(), path: `/s/${session}?at=${reply}`, allow: [/status of 404/] });
    assert.equal((await anna.request('DELETE', `/api/sessions/${session}/messages/${reply}`, { json: {} })).status, 200);
    const chat = new Chat(page);
    await chat.send('Written for an hour');
    const note = page.locator('#send-problem .problem');
    await note.getByText('This part of the conversation was deleted. Your text is kept.').waitFor();
    assert.equal(await chat.box.inputValue(), 'Written for an hour');
    provider.next(answers('Here.'), (c) => asksForAnswer(c) && c.userText === 'Written for an hour');
    await note.getByRole('button', { name: 'Continue at the end' }).click();
    await chat.reads('Here.');
    assert.deepEqual(await chat.texts(), ['Which branch will go?', 'The other branch.', 'Written for an hour', 'Here.']);
});

test('when the message that was the end is gone, only the end is offered', async (t) => {
    const { two, started, missed } = await outdated(t);
    assert.equal((await anna.request('DELETE', `/api/sessions/${started.session}/messages/${started.reply}`, { json: {} })).status, 200);
    assert.ok(missed.reply);
    await two.sendButton.click();
    await asksWhere(two).waitFor();
    assert.equal(await two.page.getByRole('button', { name: 'Branch here' }).count(), 0);
    await two.page.getByRole('button', { name: 'Continue at the end' }).click();
    const call = await asked('My text\nin two lines');
    await call.text('Still.');
    await call.end();
    await two.reads('Still.');
    assert.equal((await sessionOf(anna, started.session)).messages.length, 3);
});

test('a session that another device deletes says so, until it is restored', async (t) => {
    const { session } = await begin('To be deleted elsewhere');
    const page = await open(t, { as: await again(), allow: [/status of 410/] });
    await Promise.all([watches(page), page.goto(`/s/${session}`)]);
    await page.locator('#text').fill('A draft');
    const { json } = await anna.request('DELETE', `/api/sessions/${session}`);
    const note = page.locator('#send-problem .problem');
    await note.getByText('This session is in the trash now.').waitFor();
    assert.equal(await page.locator('#text').inputValue(), 'A draft');
    await anna.postJson(`/api/trash/${json.trash ?? session}/restore`, {});
    await note.waitFor({ state: 'detached' });
    await anna.request('DELETE', `/api/sessions/${session}`);
    await note.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('button', { name: 'Restore' }).waitFor();
});

test('the connection is closed while the page is hidden', async (t) => {
    const { session } = await begin('Hidden');
    const page = await open(t, { as: await again() });
    await Promise.all([watches(page), page.goto(`/s/${session}`)]);
    const ended = page.waitForEvent('requestfailed', (r) => EVENTS.test(r.url()));
    await page.evaluate(() => {
        Object.defineProperty(document, 'hidden', { value: true, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
    });
    await ended;
    await Promise.all([watches(page), page.evaluate(() => {
        Object.defineProperty(document, 'hidden', { value: false, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
    })]);
    assert.ok(browser.isConnected());
});

test('a message that came second is sent when the first answer has ended before the page could follow it', async (t) => {
    const { session } = await begin('Two at once');
    const page = await open(t, { as: await again(), ...DEAF });
    await deaf(page);
    await page.goto(`/s/${session}`);
    const chat = new Chat(page);
    let sent, call;
    await page.route('**/page/sessions/*/messages', async (route) => {
        sent = await send(anna, 'The first', { session });
        call = await asked('The first');
        await route.continue();
    }, { times: 1 });
    await page.route((url) => url.pathname === `/s/${session}`, async (route) => {
        await call.text('Quick.');
        await call.end();
        await ended(anna, sent.turn);
        await route.continue();
    }, { times: 1 });
    await chat.send('The second');
    const second = await asked('The second');
    await second.text('Not lost.');
    await second.end();
    await chat.reads('Not lost.');
    await chat.settled();
    assert.deepEqual((await chat.texts()).slice(2), ['The first', 'Quick.', 'The second', 'Not lost.']);
    assert.equal(await chat.waiting.count(), 0);
});

test('an answer that ended while the tab was hidden is unread until the user looks at it', async (t) => {
    const { session } = await begin('Before I go');
    const chat = await device(t, session), { page } = chat;
    const hide = (hidden) => page.evaluate((is) => {
        Object.defineProperty(document, 'hidden', { value: is, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
    await chat.send('While I am away');
    const call = await asked('While I am away');
    await hide(true);
    await call.text('Done.');
    await call.end();
    await chat.settled();
    const unread = async () => (await anna.getJson(`/api/sessions/${session}`)).session.unread;
    assert.equal(await unread(), true);
    await hide(false);
    await until('it is read', async () => !(await unread()));
});
